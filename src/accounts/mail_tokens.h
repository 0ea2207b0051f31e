/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_MAIL_TOKENS_H
#define CAT_ACCOUNTS_MAIL_TOKENS_H

#include "accounts/outbox.h"
#include "db/db.h"

/* Secret tokens in the links of mails. The database stores their hashes. A token has one purpose (a CAT_MAIL_ name,
 * accounts/outbox.h) and can be used once, while the account is not locked. A token that was sent to the user's own
 * address becomes invalid when the user gets another address. */

/* User and address for which a token was made. */
typedef struct cat_mail_link_t {
    const char *user_id;
    const char *email; /* Address that the token was sent to. */
} cat_mail_link_t;

/* Makes the token of a mail that the caller has claimed, in a transaction of its own. The token expires after `ttl`
 * seconds. Sets *token, on the pool. Returns APR_NOTFOUND if the mail must not be sent: since it was claimed, it was
 * withdrawn, another mailer claimed it, or its user was locked or deleted. */
apr_status_t cat_mail_tokens_make(cat_db_t *db, apr_pool_t *pool, const cat_mail_t *mail, int ttl, const char **token);

/* Makes a token that no mail carries and stores it in the caller's transaction. The token expires after `ttl` seconds.
 * Sets *token, on the pool. */
apr_status_t cat_mail_tokens_add(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *user_id,
                                 const char *email, apr_time_t now, int ttl, const char **token);

/* Finds the user and the address of a token without using the token. Sets link->user_id to NULL if the token is
 * unknown, used, withdrawn, invalid or expired. */
apr_status_t cat_mail_tokens_find(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *token,
                                  apr_time_t now, cat_mail_link_t *link);

/* Uses the token: finds its user and address, and deletes all tokens that the user has for the purpose, in the caller's
 * transaction. Locks the user's row, so nobody else changes the account before the transaction ends. Sets link->user_id
 * to NULL if the token is unknown, used (perhaps by a request at the same time), withdrawn, invalid or expired. */
apr_status_t cat_mail_tokens_use(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *token, apr_time_t now,
                                 cat_mail_link_t *link);

/* Deletes the user's tokens for the purpose, and the queued mails that would carry one, in the caller's transaction.
 * The transaction must have written the user's row before, to lock it. */
apr_status_t cat_mail_tokens_withdraw(cat_db_t *db, const char *purpose, const char *user_id);

/* Withdraws the user's tokens for all purposes, like cat_mail_tokens_withdraw. */
apr_status_t cat_mail_tokens_withdraw_all(cat_db_t *db, const char *user_id);

#endif
