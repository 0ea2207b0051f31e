/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_OUTBOX_H
#define CAT_ACCOUNTS_OUTBOX_H

#include "db/db.h"

/*
 * The mail queue. A row names a template and a user; the mailer makes the text when it sends the mail, so no link's
 * token is ever in the database in clear. Delivery is at least once: the mailer claims a row for a lease, and when a
 * server dies in between, another mailer claims the row after the lease has expired.
 */

/* The templates' names. */
#define CAT_MAIL_CONFIRM "confirm"
#define CAT_MAIL_RESET "reset"
#define CAT_MAIL_INVITE "invite" /* its link sets the first password, as that of a reset does */
#define CAT_MAIL_CHANGED "changed"
#define CAT_MAIL_NEW_EMAIL "new_email"       /* to an address that a user wants to have */
#define CAT_MAIL_EMAIL_NOTICE "email_notice" /* to the address that the user has so far */
#define CAT_MAIL_RENAMED "renamed"
#define CAT_MAIL_NEW_KEY "new_key"
#define CAT_MAIL_TEST "test" /* to an administrator who wants to know whether mails arrive */

/* Those of mails with a link, which are the purposes of the links' tokens as well. */
#define CAT_MAIL_LINKS CAT_MAIL_CONFIRM, CAT_MAIL_RESET, CAT_MAIL_INVITE, CAT_MAIL_NEW_EMAIL

typedef struct cat_mail_t {
    const char *id; /* the same on every try: the Message-ID is made of it */
    const char *template;
    const char *user_id; /* NULL: no user has the address that the request named */
    const char *username;
    const char *email;
    const char *language; /* of the user; NULL: not known */
    int other_email;      /* flag: the address is not the user's own */
    int confirmed;        /* flag: the user has confirmed the address */
    int locked;           /* flag: the account is locked */
    const char *lease;
    int attempts; /* including this one */
    apr_time_t created;
} cat_mail_t;

/* Queues a mail, in the caller's transaction if there is one: to a user, or (user_id NULL) to the user who has the
 * address email_key (cat_email_fold) when the mail is sent. */
apr_status_t cat_outbox_add(cat_db_t *db, apr_pool_t *pool, const char *template, const char *user_id,
                            const char *email_key, apr_time_t now);

/* Queues a mail about a user's account to an address, which need not be the user's any more when the mail is sent. */
apr_status_t cat_outbox_add_to(cat_db_t *db, apr_pool_t *pool, const char *template, const char *user_id,
                               const char *email, apr_time_t now);

/* Claims the mail that has been due the longest, for lease. *mail NULL: none is due. */
apr_status_t cat_outbox_claim(cat_db_t *db, apr_pool_t *pool, apr_time_t now, apr_interval_time_t lease,
                              cat_mail_t **mail);

/* Each ends the claim; without effect if the lease has expired and another mailer has claimed the mail since. Bury:
 * the mail will never be sent. error: why it could not be sent, for administrators; shortened to CAT_MAIL_ERROR_MAX
 * characters. */
#define CAT_MAIL_ERROR_MAX 255
apr_status_t cat_outbox_done(cat_db_t *db, const cat_mail_t *mail);
apr_status_t cat_outbox_retry(cat_db_t *db, apr_pool_t *pool, const cat_mail_t *mail, const char *error,
                              apr_time_t when);
apr_status_t cat_outbox_bury(cat_db_t *db, apr_pool_t *pool, const cat_mail_t *mail, const char *error);

#endif
