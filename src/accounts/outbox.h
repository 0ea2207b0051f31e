/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_OUTBOX_H
#define CAT_ACCOUNTS_OUTBOX_H

#include "db/db.h"

/*
 * The mail queue. A mail is a row that says which template goes to which user; the text is made when it is sent, so no link's
 * token ever lies in the database in clear. Delivery is at least once: a row is claimed for a lease, and whoever dies with it
 * leaves it to be claimed again when the lease has run out.
 */
typedef struct cat_mail_t {
    const char *id; /* the same on every try: the Message-ID is made of it */
    const char *template;
    const char *user_id; /* NULL: it was asked for by an address that nobody has */
    const char *username;
    const char *email;
    int confirmed; /* the user's address is */
    const char *lease;
    int attempts; /* this one included */
    apr_time_t created;
} cat_mail_t;

/* Queues a mail, in the caller's transaction where there is one, to a user, or to whoever has an address when it is sent:
 * user_id or email_key (cat_email_fold) is NULL. */
apr_status_t cat_outbox_add(cat_db_t *db, apr_pool_t *pool, const char *template, const char *user_id,
                            const char *email_key, apr_time_t now);

/* Claims the mail that is due the longest, for lease. APR_NOTFOUND: none is due. */
apr_status_t cat_outbox_claim(cat_db_t *db, apr_pool_t *pool, apr_time_t now, apr_interval_time_t lease,
                              cat_mail_t **mail);

/* Each ends the claim; without effect when the lease has run out and another one claimed the mail since. */
apr_status_t cat_outbox_done(cat_db_t *db, const cat_mail_t *mail);
apr_status_t cat_outbox_retry(cat_db_t *db, apr_pool_t *pool, const cat_mail_t *mail, apr_time_t when);
apr_status_t cat_outbox_bury(cat_db_t *db, const cat_mail_t *mail); /* it will never be sent */

#endif
