/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mail queue for administrators, who can list mails and retry dead mails.
 *
 *     pending -> sending -> (sent: the row is deleted)
 *        ^          |
 *        |          v
 *        +------- dead, until cat_mail_queue_retry makes it pending, as if it were new
 */
#include "accounts/mail_queue.h"

#include <apr_strings.h>

#include "accounts/administration.h"
#include "accounts/outbox.h"
#include "lib/time.h"

const char *const cat_mail_states[] = {
    [CAT_MAIL_PENDING] = "pending", [CAT_MAIL_SENDING] = "sending", [CAT_MAIL_DEAD] = "dead", NULL};

static const cat_text_rule_t state_rule = {.words = cat_mail_states};

/* clang-format off */
const cat_field_t cat_mail_view_fields[CAT_MAIL_VIEW_FIELDS] = {
    /*                             name         kind        flags                      least most absent rule */
    [CAT_MAIL_VIEW_ID] =         {"id",        CAT_STRING, CAT_SERVER,                0,    0,   NULL,  &cat_fields_id,
        "The mail's id, a UUID of version 7, as the error log names it", "01a206e3-5c16-7420-9973-b22df6eefd60"},
    [CAT_MAIL_VIEW_TEMPLATE] =   {"template",  CAT_STRING, CAT_SERVER,                0,    0,   NULL,  NULL,
        "What it is about: `confirm`, `reset`, `invite`, `changed`, `new_email`, `email_notice`, `renamed`, `new_key` or `test`", "confirm"},
    [CAT_MAIL_VIEW_TO] =         {"to",        CAT_STRING, CAT_SERVER,                0,    0,   NULL,  NULL,
        "The address that it goes to", "ada@example.com"},
    [CAT_MAIL_VIEW_STATE] =      {"state",     CAT_STRING, CAT_SERVER,                0,    0,   NULL,  &state_rule,
        "`pending`, `sending`, or `dead`: refused permanently, or undeliverable for three days", "dead"},
    [CAT_MAIL_VIEW_ATTEMPTS] =   {"attempts",  CAT_NUMBER, CAT_SERVER | CAT_WHOLE,    0,    0,   NULL,  NULL,
        "How many attempts to send it there have been", "3"},
    [CAT_MAIL_VIEW_NEXT_AT] =    {"nextAt",    CAT_TIME,   CAT_SERVER | CAT_OPTIONAL, 0,    0,   NULL,  NULL,
        "When the next attempt is due, in UTC; absent for a dead mail", "2026-11-21T16:17:33.270Z"},
    [CAT_MAIL_VIEW_CREATED_AT] = {"createdAt", CAT_TIME,   CAT_SERVER,                0,    0,   NULL,  NULL,
        "When it was queued, for the last time if somebody retried it, in UTC", "2026-11-21T16:17:07.937Z"},
    [CAT_MAIL_VIEW_ERROR] =      {"error",     CAT_STRING, CAT_SERVER | CAT_NULLABLE, 0,  255,   NULL,  NULL,
        "Why the last attempt failed; null while none has, and after a retry", "the server answered 550 to the message"},
};
/* clang-format on */

const cat_shape_t cat_mail_view_shape = {
    .kind = CAT_SHAPE_RECORD, .name = "QueuedMail", .fields = cat_mail_view_fields, .count = CAT_MAIL_VIEW_FIELDS};

/* ---- the list ---- */

apr_status_t cat_mail_queue_read(cat_db_t *db, const char *state, cat_page_t *page)
{
    const char *const values[] = {state ? state : "", state ? state : ""};
    const cat_page_query_t query = {
        .counts = SQL_OUTBOX_COUNT_STATE, .selects = SQL_OUTBOX_PAGE, .values = values, .count = 2};

    return cat_page_read(db, &query, page);
}

/* ---- retry ---- */

static apr_status_t begin_work(cat_mail_retry_t *r)
{
    int may;
    apr_status_t rv = cat_administration_begin(r->db, r->pool, &r->actor, &may);

    r->outcome = may ? CAT_MAIL_RETRY_DONE : CAT_MAIL_RETRY_FORBIDDEN;
    return rv;
}

/* Revives the mail `id` if it is dead, or all dead mails if `id` is NULL. */
static apr_status_t revive_mails(const cat_mail_retry_t *r, const char *id, int *count)
{
    const char *time = cat_time_store(r->pool, r->now);
    return cat_db_exec(r->db, SQL_OUTBOX_REVIVE, CAT_VALUES(time, time, id), count);
}

static apr_status_t store_entry(const cat_mail_retry_t *r, const char *id, int count)
{
    static const cat_field_t mails = {.name = "mails", .kind = CAT_NUMBER};
    cat_audit_entry_t entry;

    cat_audit_begin(&entry, r->pool, CAT_AUDIT_MAIL_RETRY, id, NULL);
    cat_audit_add_change(&entry, &mails, NULL, apr_itoa(r->pool, count));
    return cat_audit_store(&entry, r->db, &r->actor, r->now);
}

apr_status_t cat_mail_queue_retry(cat_mail_retry_t *r, const char *id, const char *const **mail)
{
    apr_status_t rv = begin_work(r);
    int count = 0;

    *mail = NULL;
    if (rv == APR_SUCCESS && r->outcome == CAT_MAIL_RETRY_DONE) {
        rv = revive_mails(r, id, &count);
        if (rv == APR_SUCCESS) {
            rv = cat_db_one(r->db, SQL_OUTBOX_GET, CAT_VALUES(id), mail);
        }
        if (rv == APR_SUCCESS && !count) {
            r->outcome = CAT_MAIL_RETRY_NOT_DEAD;
        }
    }
    return count && rv == APR_SUCCESS ? store_entry(r, id, count) : rv;
}

apr_status_t cat_mail_queue_retry_all(cat_mail_retry_t *r, int *count)
{
    apr_status_t rv = begin_work(r);

    *count = 0;
    if (rv == APR_SUCCESS && r->outcome == CAT_MAIL_RETRY_DONE) {
        rv = revive_mails(r, NULL, count);
    }
    return *count && rv == APR_SUCCESS ? store_entry(r, NULL, *count) : rv;
}

apr_status_t cat_mail_queue_test(cat_mail_retry_t *r)
{
    apr_status_t rv = begin_work(r);

    return rv == APR_SUCCESS && r->outcome == CAT_MAIL_RETRY_DONE
               ? cat_outbox_add(r->db, r->pool, CAT_MAIL_TEST, r->actor.id, NULL, r->now)
               : rv;
}
