/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/webhook_list.h"
#include "ctl/list.h"

int ctl_webhooks_list(ctl_t *ctl)
{
    return ctl_list_print(ctl, cat_webhook_view_fields, CAT_WEBHOOK_VIEW_FIELDS, SQL_WEBHOOK_LIST, CAT_NO_VALUES);
}

static apr_status_t retry_webhook(ctl_t *ctl, const char *id, int *count)
{
    apr_status_t rv = cat_webhook_list_retry(ctl->db, &ctl->actor, id, ctl->now, count);

    return rv == APR_SUCCESS && id && !*count ? APR_NOTFOUND : rv;
}

int ctl_webhooks_retry(ctl_t *ctl)
{
    return ctl_list_act(ctl, retry_webhook, "there is no such webhook that is dead or fails; nothing was changed");
}
