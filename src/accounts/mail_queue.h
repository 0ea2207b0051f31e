/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_MAIL_QUEUE_H
#define CAT_ACCOUNTS_MAIL_QUEUE_H

#include "accounts/audit.h"
#include "accounts/page.h"
#include "db/db.h"
#include "http/schema.h"
#include "lib/fields.h"

/* What administrators see of the mail queue (accounts/outbox.h), and do to it, over HTTP and with catalogctl. */

/* A mail's states, for which a query may ask; the last one is NULL. Dead: it will not be sent unless somebody retries it. */
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

/* A page of the mails that are not sent yet, newest first, on the pool of db. state NULL: any. */
apr_status_t cat_mail_queue_read(cat_db_t *db, const char *state, cat_page_t *page);

/* ---- sending dead mails after all ---- */

typedef enum {
    CAT_MAIL_RETRY_DONE,
    CAT_MAIL_RETRY_NOT_DEAD, /* nothing was done: the mail waits or is being sent */
    CAT_MAIL_RETRY_FORBIDDEN /* nothing was done: the actor is no administrator any more */
} cat_mail_retry_outcome_t;

/* One administrator's work. Each function works in the caller's transaction, which may run several times, and stores what
 * was done in the audit table. A mail is queued as if it were new. */
typedef struct cat_mail_retry_t {
    cat_db_t *db;
    apr_pool_t *pool;
    apr_time_t now;
    cat_actor_t actor;

    /* Set by each function: */
    cat_mail_retry_outcome_t outcome;
} cat_mail_retry_t;

/* APR_NOTFOUND: no mail has the id. *mail: as it is afterwards, a record of cat_mail_view_fields. */
apr_status_t cat_mail_queue_retry(cat_mail_retry_t *r, const char *id, const char *const **mail);

/* All dead mails. *count: how many there were. */
apr_status_t cat_mail_queue_retry_all(cat_mail_retry_t *r, int *count);

/* Queues a mail to the actor, who wants to know whether mails arrive. It is in no audit table, because it changes nothing. */
apr_status_t cat_mail_queue_test(cat_mail_retry_t *r);

#endif
