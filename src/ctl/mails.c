/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "accounts/mail_queue.h"
#include "ctl/database.h"
#include "ctl/list.h"
#include "lib/id.h"

int ctl_mails_list(ctl_t *ctl)
{
    return ctl_list_print(ctl, cat_mail_view_fields, CAT_MAIL_VIEW_FIELDS, SQL_OUTBOX_LIST, CAT_NO_VALUES);
}

typedef struct retry_t {
    ctl_t *ctl;
    int revived;
    const char *unknown; /* the first id that no dead mail has */
} retry_t;

static apr_status_t retry_each(cat_mail_retry_t *work, retry_t *r)
{
    ctl_t *ctl = r->ctl;
    const char *const *mail;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < ctl->count && rv == APR_SUCCESS; i++) {
        if (ctl_list_is_repeated(ctl, i)) {
            continue;
        }
        rv = cat_mail_queue_retry(work, cat_id_fold(ctl->pool, ctl->args[i]), &mail);
        if (rv == APR_SUCCESS && work->outcome == CAT_MAIL_RETRY_NOT_DEAD) {
            rv = APR_NOTFOUND;
        }
        if (rv == APR_NOTFOUND) {
            r->unknown = ctl->args[i];
        }
        r->revived++;
    }
    return rv;
}

static apr_status_t retry_mails(void *baton)
{
    retry_t *r = baton;
    ctl_t *ctl = r->ctl;
    cat_mail_retry_t work = {.db = ctl->db, .pool = ctl->pool, .now = ctl->now, .actor = ctl->actor};

    r->revived = 0;
    return ctl->count ? retry_each(&work, r) : cat_mail_queue_retry_all(&work, &r->revived);
}

int ctl_mails_retry(ctl_t *ctl)
{
    retry_t r = {.ctl = ctl};
    apr_status_t rv = ctl_database_write(ctl, retry_mails, &r);

    if (rv == APR_NOTFOUND) {
        return ctl_fail(r.unknown, "there is no such dead mail; nothing was changed");
    }
    if (rv == APR_SUCCESS) {
        printf("%d\n", r.revived);
    }
    return rv == APR_SUCCESS ? CTL_DONE : CTL_FAILED;
}
