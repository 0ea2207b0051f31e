/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_MAIL_QUEUE_H
#define CAT_ACCOUNTS_MAIL_QUEUE_H

#include "accounts/audit.h"
#include "accounts/page.h"
#include "db/db.h"
#include "http/schema.h"
#include "lib/fields.h"

/* The mail queue (accounts/outbox.h) for administrators, over HTTP and with catalogctl: list, retry and test. */

/* States of a mail. cat_mail_states has their names, with NULL at the end. A dead mail is not sent unless an
 * administrator retries it. */
enum { CAT_MAIL_PENDING, CAT_MAIL_SENDING, CAT_MAIL_DEAD };
extern const char *const cat_mail_states[];
#define CAT_MAIL_STATES_TEXT "pending, sending or dead"

/* The fields of a mail, in the order of OUTBOX_COLUMNS (db/dialects/sql.def). */
enum {
    CAT_MAIL_VIEW_ID,
    CAT_MAIL_VIEW_TEMPLATE,
    CAT_MAIL_VIEW_TO,
    CAT_MAIL_VIEW_STATE,
    CAT_MAIL_VIEW_ATTEMPTS,
    CAT_MAIL_VIEW_NEXT_AT,
    CAT_MAIL_VIEW_CREATED_AT,
    CAT_MAIL_VIEW_ERROR,
    CAT_MAIL_VIEW_FIELDS
};

extern const cat_field_t cat_mail_view_fields[CAT_MAIL_VIEW_FIELDS];
extern const cat_shape_t cat_mail_view_shape;

/* Reads a page of the queued mails in `state`, newest first, onto the pool of `db`. `state` is NULL for all states. */
apr_status_t cat_mail_queue_read(cat_db_t *db, const char *state, cat_page_t *page);

/* ---- retry dead mails ---- */

typedef enum {
    CAT_MAIL_RETRY_DONE,
    CAT_MAIL_RETRY_NOT_DEAD, /* Nothing was done: the mail is waiting or being sent. */
    CAT_MAIL_RETRY_FORBIDDEN /* Nothing was done: the actor is not an administrator any more. */
} cat_mail_retry_outcome_t;

/* Arguments and outcome of the functions below. They run in the caller's transaction, which may run several times. A
 * retried mail is queued as if it were new, and the retry is recorded in the audit table. */
typedef struct cat_mail_retry_t {
    cat_db_t *db;
    apr_pool_t *pool;
    apr_time_t now;
    cat_actor_t actor;

    /* Set by each function: */
    cat_mail_retry_outcome_t outcome;
} cat_mail_retry_t;

/* Queues the dead mail `id` again. Sets *mail to the mail as it is afterwards, a record of cat_mail_view_fields, or to
 * NULL if the outcome is CAT_MAIL_RETRY_FORBIDDEN. Returns APR_NOTFOUND if no mail has the id. */
apr_status_t cat_mail_queue_retry(cat_mail_retry_t *r, const char *id, const char *const **mail);

/* Queues all dead mails again. Sets *count to their number. */
apr_status_t cat_mail_queue_retry_all(cat_mail_retry_t *r, int *count);

/* Queues a test mail to the actor. Records nothing in the audit table, because a test changes nothing. */
apr_status_t cat_mail_queue_test(cat_mail_retry_t *r);

#endif
