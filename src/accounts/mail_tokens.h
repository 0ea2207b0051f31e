/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_MAIL_TOKENS_H
#define CAT_ACCOUNTS_MAIL_TOKENS_H

#include "accounts/outbox.h"
#include "db/db.h"

/* The secret tokens in the links of mails, stored as hashes. Each is for one purpose (a CAT_MAIL_ name) and can be
 * used once, while the account is not locked. One that went to the user's own address is void once the user has
 * another. */

/* What a token stands for. */
typedef struct cat_mail_link_t {
    const char *user_id;
    const char *email; /* the address that it was sent to */
} cat_mail_link_t;

/* Makes the token of a mail, which expires after ttl seconds; *token is on the pool. APR_NOTFOUND: the mail must not be
 * sent, because since it was claimed it has been withdrawn, another mailer has claimed it, or its user has been locked
 * or deleted. */
apr_status_t cat_mail_tokens_make(cat_db_t *db, apr_pool_t *pool, const cat_mail_t *mail, int ttl, const char **token);

/* Stores a new token for a purpose in the caller's transaction, where no mail carries it: *token is on the pool. */
apr_status_t cat_mail_tokens_add(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *user_id,
                                 const char *email, apr_time_t now, int ttl, const char **token);

/* Finds what a token stands for without using the token. link->user_id NULL: the token is unknown, used, void or
 * expired. */
apr_status_t cat_mail_tokens_find(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *token,
                                  apr_time_t now, cat_mail_link_t *link);

/* Uses up the token and all others that the user has for the purpose, in the caller's transaction, before whose end
 * nobody else changes the account. link->user_id NULL: as above, or another request has used it at the same time. */
apr_status_t cat_mail_tokens_use(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *token, apr_time_t now,
                                 cat_mail_link_t *link);

/* Deletes the user's tokens for the purpose, and the mails in the queue that would carry one, in the caller's
 * transaction, which has written the user's row before. */
apr_status_t cat_mail_tokens_withdraw(cat_db_t *db, const char *purpose, const char *user_id);

/* The same for all purposes. */
apr_status_t cat_mail_tokens_withdraw_all(cat_db_t *db, const char *user_id);

#endif
