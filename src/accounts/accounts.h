/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_ACCOUNTS_H
#define CAT_ACCOUNTS_ACCOUNTS_H

#include "db/db.h"

/* An account as it is stored. */
typedef struct cat_account_t {
    const char *id;
    const char *username;
    const char *email;
    const char *created_at; /* as stored */
    const char *password_hash;
    const char *role;
    int confirmed;
} cat_account_t;

/* Stores an account and queues the mail that asks to confirm its address, in the caller's transaction. record: by
 * accounts/user.h's table, checked. APR_EEXIST: the name or the address is taken. */
apr_status_t cat_accounts_add(cat_db_t *db, apr_pool_t *pool, const char *const *record, const char *password_hash,
                              apr_time_t now);

/* By user name or e-mail address, whatever the case. APR_NOTFOUND: nobody. */
apr_status_t cat_accounts_find(cat_db_t *db, apr_pool_t *pool, const char *login, cat_account_t **user);
apr_status_t cat_accounts_read(cat_db_t *db, apr_pool_t *pool, const char *id, cat_account_t **user);

/* Stores a hash for an account whose password was looked at outside of the caller's transaction, perhaps the same one again:
 * nobody else changes the account before the transaction ends. APR_NOTFOUND: it has another password by now, or is gone. */
apr_status_t cat_accounts_set_hash(cat_db_t *db, const cat_account_t *seen, const char *hash);

#endif
