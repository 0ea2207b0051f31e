/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_OUTBOX_H
#define CAT_ACCOUNTS_OUTBOX_H

#include "db/db.h"

/*
 * The mail queue. A row names a template and a user. The mailer makes the text when it sends the mail, so the database
 * never has the token of a link in clear. Delivery is at least once: the mailer claims a row for the time of a lease;
 * if its server dies, another mailer claims the row after the lease has expired.
 */

/* Names of the templates. */
#define CAT_MAIL_CONFIRM "confirm"
#define CAT_MAIL_RESET "reset"
#define CAT_MAIL_INVITE "invite"             /* Its link sets the first password of the account. */
#define CAT_MAIL_CHANGED "changed"           /* The account has a new password. */
#define CAT_MAIL_NEW_EMAIL "new_email"       /* To the address that the user wants to have from now on. */
#define CAT_MAIL_EMAIL_NOTICE "email_notice" /* To the address that the user has until now. */
#define CAT_MAIL_RENAMED "renamed"
#define CAT_MAIL_NEW_KEY "new_key"
#define CAT_MAIL_TEST "test" /* To an administrator who wants to know whether mails arrive. */

/* Names of the templates with a link. They are also the purposes of the tokens in the links. */
#define CAT_MAIL_LINKS CAT_MAIL_CONFIRM, CAT_MAIL_RESET, CAT_MAIL_INVITE, CAT_MAIL_NEW_EMAIL

/* A mail that a mailer has claimed. */
typedef struct cat_mail_t {
    const char *id; /* Part of the Message-ID, so the same in every attempt. */
    const char *template;
    const char *user_id; /* NULL if no user has the address for which the mail was queued. */
    const char *username;
    const char *email;
    const char *language; /* Language of the user. NULL if it is not known. */
    int other_email;      /* True if `email` is not the user's own address. */
    int confirmed;        /* True if `email` is the user's own address and the user has confirmed it. */
    int locked;           /* True if the account is locked. */
    const char *lease;    /* Identifies the claim. */
    int attempts;         /* Number of attempts, including the current one. */
    apr_time_t created;
} cat_mail_t;

/* Queues a mail, in the caller's transaction if one is open. The recipient is the user `user_id` or, if that is NULL,
 * the user who has the address `email_key` (cat_email_fold) when the mail is sent. */
apr_status_t cat_outbox_add(cat_db_t *db, apr_pool_t *pool, const char *template, const char *user_id,
                            const char *email_key, apr_time_t now);

/* Queues a mail about the user's account to `email`, which need not be the user's own address. */
apr_status_t cat_outbox_add_to(cat_db_t *db, apr_pool_t *pool, const char *template, const char *user_id,
                               const char *email, apr_time_t now);

/* Claims the mail that has been due for the longest time. The claim ends after `lease` microseconds. Sets *mail, on
 * `pool`, or to NULL if no mail is due or other mailers were faster. */
apr_status_t cat_outbox_claim(cat_db_t *db, apr_pool_t *pool, apr_time_t now, apr_interval_time_t lease,
                              cat_mail_t **mail);

/*
 * The functions below end the claim. They change nothing if the lease has expired and another mailer has claimed the
 * mail. `error` tells administrators why the mail was not sent; it is shortened to CAT_MAIL_ERROR_MAX characters.
 */
#define CAT_MAIL_ERROR_MAX 255

/* Deletes a mail that was sent or need not be sent. */
apr_status_t cat_outbox_done(cat_db_t *db, const cat_mail_t *mail);

/* Makes the mail due again at `when`. */
apr_status_t cat_outbox_retry(cat_db_t *db, apr_pool_t *pool, const cat_mail_t *mail, const char *error,
                              apr_time_t when);

/* Marks the mail as dead. It is not sent unless an administrator retries it (accounts/mail_queue.h). */
apr_status_t cat_outbox_bury(cat_db_t *db, apr_pool_t *pool, const cat_mail_t *mail, const char *error);

#endif
