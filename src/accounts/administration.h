/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_ADMINISTRATION_H
#define CAT_ACCOUNTS_ADMINISTRATION_H

#include <apr_tables.h>

#include "accounts/accounts.h"
#include "accounts/audit.h"

/*
 * What administrators do to accounts, over HTTP and with catalogctl. Each function works in the caller's transaction,
 * which may run several times, and stores what was done in the audit table. An access token keeps its claims until it
 * expires, and a link in a mail is a way into the account; so a change that takes a right away ends the user's sessions and
 * withdraws the links; a lock ends the user's keys, too.
 */

/* Begins an administrator's work of any kind, in its transaction. Administrators work one after the other, so what is read afterwards
 * stays true, but for what users themselves do. *may 0: the actor is no administrator any more. */
apr_status_t cat_administration_begin(cat_db_t *db, apr_pool_t *pool, const cat_actor_t *actor, int *may);

typedef enum {
    CAT_ADMINISTRATION_DONE,
    CAT_ADMINISTRATION_LAST,     /* nothing was done: no other administrator would be left */
    CAT_ADMINISTRATION_FORBIDDEN /* nothing was done: the actor is no administrator any more */
} cat_administration_outcome_t;

/* A condition on the stored account: as cat_products_condition_t. */
typedef struct cat_account_condition_t {
    apr_status_t (*judge)(void *baton, const cat_account_t *account);
    void *baton;
} cat_account_condition_t;

/* One administrator's work. */
typedef struct cat_administration_t {
    cat_db_t *db;
    apr_pool_t *pool;
    apr_time_t now;
    cat_actor_t actor;
    int force; /* flag: the last administrator, too; add: a name that was given up, too */
    const cat_account_condition_t *condition; /* NULL: none */

    /* Set by each function: */
    cat_administration_outcome_t outcome;
    apr_array_header_t *ended; /* for cat_session_revoke, after the commit */
} cat_administration_t;

/* What to change: the fields of accounts/user.h's view that a client may set, as record texts; NULL: unchanged. */
typedef struct cat_account_change_t {
    const char *role, *verified, *locked;
} cat_account_change_t;

/* APR_NOTFOUND: no account has the id. *account: as it is afterwards. */
apr_status_t cat_administration_update(cat_administration_t *a, const char *id, const cat_account_change_t *change,
                                       cat_account_t **account);

/* Each APR_NOTFOUND as above. Delete: also sessions, links and mails. Unlock: lifts the lock and the delay after wrong
 * passwords. Revoke: ends all sessions and keys, and withdraws all links. */
typedef apr_status_t cat_administration_act_t(cat_administration_t *a, const char *id);
cat_administration_act_t cat_administration_delete, cat_administration_unlock, cat_administration_revoke;

/* Sets the hash of a new password. Ends the user's sessions, withdraws mailed links and the delay after wrong passwords, and stores a mail that
 * tells the user; keys stay. Returns APR_NOTFOUND if no account has the id. */
apr_status_t cat_administration_set_password(cat_administration_t *a, const char *id, const char *hash);

/* Stores an account as cat_accounts_add does, with a role and a confirmed address if change says so. */
apr_status_t cat_administration_add(cat_administration_t *a, const char *const *record, const char *password_hash,
                                    const char *mail, const cat_account_change_t *change);

#endif
