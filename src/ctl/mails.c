/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <apr_strings.h>

#include "accounts/audit.h"
#include "ctl/database.h"
#include "ctl/list.h"
#include "lib/time.h"

enum { ID, TEMPLATE, TO, STATE, ATTEMPTS, NEXT_AT, CREATED_AT, FIELDS };
static const cat_field_t fields[FIELDS] = {
    [ID] = {.name = "id", .kind = CAT_STRING},
    [TEMPLATE] = {.name = "template", .kind = CAT_STRING},
    [TO] = {.name = "to", .kind = CAT_STRING},
    [STATE] = {.name = "state", .kind = CAT_STRING},
    [ATTEMPTS] = {.name = "attempts", .kind = CAT_NUMBER},
    [NEXT_AT] = {.name = "nextAt", .kind = CAT_TIME},
    [CREATED_AT] = {.name = "createdAt", .kind = CAT_TIME},
};

int ctl_mails_list(ctl_t *ctl)
{
    return ctl_list_print(ctl, fields, FIELDS, SQL_OUTBOX_LIST, CAT_NO_VALUES);
}

/* id NULL: all. */
static apr_status_t revive(ctl_t *ctl, const char *id, int *count)
{
    const char *time = cat_time_store(ctl->pool, ctl->now);

    return cat_db_exec(ctl->db, SQL_OUTBOX_REVIVE, CAT_VALUES(time, time, id), count);
}

static apr_status_t note_retry(ctl_t *ctl, const char *id, int count)
{
    static const cat_field_t mails = {.name = "mails", .kind = CAT_NUMBER};
    cat_audit_entry_t entry;

    cat_audit_begin(&entry, ctl->pool, CAT_AUDIT_MAIL_RETRY, id, NULL);
    cat_audit_add_change(&entry, &mails, NULL, apr_itoa(ctl->pool, count));
    return cat_audit_store(&entry, ctl->db, &ctl->actor, ctl->now);
}

typedef struct retry_t {
    int revived;
    const char *unknown; /* the first id that no dead mail has */
} retry_t;

static apr_status_t retry(ctl_t *ctl, void *baton)
{
    retry_t *r = baton;
    apr_status_t rv = APR_SUCCESS;
    int count;

    r->revived = 0;
    if (ctl->count == 0) {
        rv = revive(ctl, NULL, &r->revived);
        return rv == APR_SUCCESS && r->revived ? note_retry(ctl, NULL, r->revived) : rv;
    }
    for (int i = 0; i < ctl->count && rv == APR_SUCCESS; i++) {
        rv = revive(ctl, ctl->args[i], &count);
        r->revived += count;
        if (rv == APR_SUCCESS && !count) {
            r->unknown = ctl->args[i];
            rv = APR_NOTFOUND;
        }
        if (rv == APR_SUCCESS) {
            rv = note_retry(ctl, ctl->args[i], count);
        }
    }
    return rv;
}

int ctl_mails_retry(ctl_t *ctl)
{
    retry_t r = {0, NULL};
    apr_status_t rv = ctl_database_write(ctl, retry, &r);

    if (rv == APR_NOTFOUND) {
        return ctl_fail(r.unknown, "there is no such dead mail; nothing was changed");
    }
    if (rv == APR_SUCCESS) {
        printf("%d\n", r.revived);
    }
    return rv == APR_SUCCESS ? CTL_DONE : CTL_FAILED;
}
