/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/mail_queue.h"
#include "ctl/list.h"

int ctl_mails_list(ctl_t *ctl)
{
    return ctl_list_print(ctl, cat_mail_view_fields, CAT_MAIL_VIEW_FIELDS, SQL_OUTBOX_LIST, CAT_NO_VALUES);
}

static apr_status_t retry_mail(ctl_t *ctl, const char *id, int *count)
{
    cat_mail_retry_t work = {.db = ctl->db, .pool = ctl->pool, .now = ctl->now, .actor = ctl->actor};
    const char *const *mail;
    apr_status_t rv = id ? cat_mail_queue_retry(&work, id, &mail) : cat_mail_queue_retry_all(&work, count);

    return rv == APR_SUCCESS && work.outcome == CAT_MAIL_RETRY_NOT_DEAD ? APR_NOTFOUND : rv;
}

int ctl_mails_retry(ctl_t *ctl)
{
    return ctl_list_act(ctl, retry_mail, "there is no such dead mail; nothing was changed");
}
