/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "accounts/webhook_list.h"
#include "ctl/database.h"
#include "ctl/list.h"
#include "lib/id.h"

int ctl_webhooks_list(ctl_t *ctl)
{
    return ctl_list_print(ctl, cat_webhook_view_fields, CAT_WEBHOOK_VIEW_FIELDS, SQL_WEBHOOK_LIST, CAT_NO_VALUES);
}

typedef struct retry_t {
    ctl_t *ctl;
    int revived;
    const char *unknown; /* the first id that no webhook has which is dead or fails */
} retry_t;

static apr_status_t retry_each(retry_t *r)
{
    ctl_t *ctl = r->ctl;
    apr_status_t rv = APR_SUCCESS;
    int count;

    for (int i = 0; i < ctl->count && rv == APR_SUCCESS; i++) {
        if (ctl_list_is_repeated(ctl, i)) {
            continue;
        }
        rv = cat_webhook_list_retry(ctl->db, &ctl->actor, cat_id_fold(ctl->pool, ctl->args[i]), ctl->now, &count);
        if (rv == APR_SUCCESS && !count) {
            r->unknown = ctl->args[i];
            rv = APR_NOTFOUND;
        }
        r->revived++;
    }
    return rv;
}

static apr_status_t retry_webhooks(void *baton)
{
    retry_t *r = baton;
    ctl_t *ctl = r->ctl;

    r->revived = 0;
    return ctl->count ? retry_each(r) : cat_webhook_list_retry(ctl->db, &ctl->actor, NULL, ctl->now, &r->revived);
}

int ctl_webhooks_retry(ctl_t *ctl)
{
    retry_t r = {.ctl = ctl};
    apr_status_t rv = ctl_database_write(ctl, retry_webhooks, &r);

    if (rv == APR_NOTFOUND) {
        return ctl_fail(r.unknown, "there is no such webhook that is dead or fails; nothing was changed");
    }
    if (rv == APR_SUCCESS) {
        printf("%d\n", r.revived);
    }
    return rv == APR_SUCCESS ? CTL_DONE : CTL_FAILED;
}
