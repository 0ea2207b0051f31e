/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_ACCOUNTS_H
#define CAT_ACCOUNTS_ACCOUNTS_H

#include "accounts/context.h"
#include "db/db.h"

/* An account as it is stored. The texts are on the pool of the database session that read the account. */
typedef struct cat_account_t {
    const char *id;
    const char *username;
    const char *email;
    const char *created_at; /* Milliseconds since the epoch, decimal. */
    const char *password_hash;
    const char *role;
    int confirmed;            /* True if the user has confirmed the address. */
    int locked;               /* True if an administrator has locked the account. */
    const char *signed_in_at; /* Last sign-in, in milliseconds since the epoch, decimal. NULL if there was none. */
} cat_account_t;

/* Stores an account in the caller's transaction. Also queues a mail with the template `mail` (accounts/outbox.h) to the
 * new user, unless `mail` is NULL. `record` holds checked values of cat_user_fields (accounts/user.h). Returns
 * APR_EEXIST if another account has the name or the address, or if another user gave the name up less than
 * CAT_NAMES_DAYS ago (accounts/names.h). */
apr_status_t cat_accounts_add(cat_db_t *db, apr_pool_t *pool, const char *const *record, const char *password_hash,
                              const char *mail, apr_time_t now);

/* Stores the language of the user's browser, c->language, in the caller's transaction, for the mails that the user will
 * get. Keeps the stored language if c->language is NULL. If `signs_in` is true, also stores the time of the sign-in. */
apr_status_t cat_accounts_record_visit(const cat_account_context_t *c, const char *id, int signs_in);

/* Looks up an account by user name or e-mail address (ASCII case-insensitive), or by id. Returns APR_NOTFOUND and sets
 * *user to NULL if no account matches. *user is on `pool`. */
apr_status_t cat_accounts_find(cat_db_t *db, apr_pool_t *pool, const char *login, cat_account_t **user);
apr_status_t cat_accounts_read(cat_db_t *db, apr_pool_t *pool, const char *id, cat_account_t **user);

/* Replaces the password hash of the account `seen`, whose password was compared before the caller's transaction began.
 * `hash` may equal the stored hash. Locks the account's row, so no other request changes the account until the
 * transaction ends. Returns APR_NOTFOUND if, since `seen` was read, the password was replaced or the account was locked
 * or deleted. */
apr_status_t cat_accounts_set_hash(cat_db_t *db, const cat_account_t *seen, const char *hash);

/* Takes a lock that all servers share and that ends with the caller's transaction. Every transaction that may remove,
 * lock or demote an administrator calls this function first. So these transactions run one after the other. */
apr_status_t cat_accounts_lock_admins(cat_db_t *db);

/* Sets *is_last to true if the account belongs to an administrator who is not locked, and every other administrator is
 * locked. The result stays valid until the transaction ends if the transaction called cat_accounts_lock_admins
 * before. */
apr_status_t cat_accounts_is_last_admin(cat_db_t *db, const cat_account_t *account, int *is_last);

/* Returns true if the account has the role admin and is not locked. */
int cat_accounts_is_admin(const cat_account_t *account);

#endif
