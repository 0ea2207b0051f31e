/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_ACCOUNTS_H
#define CAT_ACCOUNTS_ACCOUNTS_H

#include "accounts/context.h"
#include "db/db.h"

/* An account as it is stored. */
typedef struct cat_account_t {
    const char *id;
    const char *username;
    const char *email;
    const char *created_at; /* as stored */
    const char *password_hash;
    const char *role;
    int confirmed;            /* flag: the user has confirmed the address */
    int locked;               /* flag: an administrator has locked the account */
    const char *signed_in_at; /* last, as stored; NULL: never */
} cat_account_t;

/* Stores an account and queues the mail with that template to its address (NULL: none), in the caller's transaction. record: by
 * accounts/user.h's table, checked. APR_EEXIST: the name or the address is taken, or somebody gave the name up
 * (accounts/names.h). */
apr_status_t cat_accounts_add(cat_db_t *db, apr_pool_t *pool, const char *const *record, const char *password_hash,
                              const char *mail, apr_time_t now);

/* Notes in the caller's transaction in which language the user's browser asks for pages and, if the user signs in, when. */
apr_status_t cat_accounts_note(const cat_account_context_t *c, const char *id, int signs_in);

/* Each reads an account: by user name or e-mail address, ignoring ASCII case, or by id. APR_NOTFOUND: there is none;
 * *user is NULL. */
apr_status_t cat_accounts_find(cat_db_t *db, apr_pool_t *pool, const char *login, cat_account_t **user);
apr_status_t cat_accounts_read(cat_db_t *db, apr_pool_t *pool, const char *id, cat_account_t **user);

/* Replaces the hash of an account whose password was compared before the caller's transaction began; hash may be the
 * same. No other request changes the account before the transaction ends. APR_NOTFOUND: the password has been replaced
 * since, or the account locked or deleted. */
apr_status_t cat_accounts_set_hash(cat_db_t *db, const cat_account_t *seen, const char *hash);

/*
 * The last administrator. A transaction that may take one away calls lock first: then no other such transaction, on any
 * server, runs before it ends, and is_last is true if the account is an administrator's, and no other one can sign in.
 */
apr_status_t cat_accounts_lock_admins(cat_db_t *db);
apr_status_t cat_accounts_is_last_admin(cat_db_t *db, const cat_account_t *account, int *is_last);

/* Is it an administrator's account that is not locked? */
int cat_accounts_is_admin(const cat_account_t *account);

#endif
