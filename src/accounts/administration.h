/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_ADMINISTRATION_H
#define CAT_ACCOUNTS_ADMINISTRATION_H

#include <apr_tables.h>

#include "accounts/accounts.h"
#include "accounts/audit.h"

/*
 * Administrators' work on accounts, over HTTP and with catalogctl. The functions run in the caller's transaction, which
 * may run several times, and record what they do in the audit table.
 *
 * An access token keeps its claims until it expires, and a link in a mail opens the account. So a change that takes a
 * right away ends the user's sessions and withdraws the links. A lock also ends the user's API keys.
 */

/* Begins an administrator's work in the caller's transaction. Administrators' transactions run one after the other, so
 * only users themselves can change accounts before this transaction ends. Sets *may to false if the actor is not an
 * administrator any more; always sets it to true for catalogctl. */
apr_status_t cat_administration_begin(cat_db_t *db, apr_pool_t *pool, const cat_actor_t *actor, int *may);

typedef enum {
    CAT_ADMINISTRATION_DONE,
    CAT_ADMINISTRATION_LAST,     /* Nothing was done: no other administrator would be left. */
    CAT_ADMINISTRATION_FORBIDDEN /* Nothing was done: the actor is not an administrator any more. */
} cat_administration_outcome_t;

/* A condition on the stored account. The functions below call `judge` in the transaction, perhaps several times. If it
 * returns another status than APR_SUCCESS, such as CAT_ECHANGED, they change nothing and return that status. */
typedef struct cat_account_condition_t {
    apr_status_t (*judge)(void *baton, const cat_account_t *account);
    void *baton;
} cat_account_condition_t;

/* Arguments and outcome of the functions below. */
typedef struct cat_administration_t {
    cat_db_t *db;
    apr_pool_t *pool;
    apr_time_t now;
    cat_actor_t actor;
    /* True to change even the last administrator, and to give an account a name that another user gave up. */
    int force;
    const cat_account_condition_t *condition; /* NULL if there is none. */

    /* Set by each function: */
    cat_administration_outcome_t outcome;
    apr_array_header_t *ended; /* Ids for cat_session_revoke, which the caller calls after the commit. */
} cat_administration_t;

/* New values of the fields of cat_user_view_fields (accounts/user.h) that a client may set, as texts of a record
 * (lib/fields.h). NULL leaves the field unchanged. */
typedef struct cat_account_change_t {
    const char *role, *verified, *locked;
} cat_account_change_t;

/* Changes an account. Sets *account to the account as it is afterwards; sets it to NULL if the outcome is
 * CAT_ADMINISTRATION_FORBIDDEN. Returns APR_NOTFOUND if no account has the id. */
apr_status_t cat_administration_update(cat_administration_t *a, const char *id, const cat_account_change_t *change,
                                       cat_account_t **account);

/* Works on the account with the id. Returns APR_NOTFOUND if no account has it. */
typedef apr_status_t cat_administration_act_t(cat_administration_t *a, const char *id);

/* Deletes the account with its sessions, API keys, links and mails. */
cat_administration_act_t cat_administration_delete;

/* Lifts the lock and the delay after wrong passwords. */
cat_administration_act_t cat_administration_unlock;

/* Ends all sessions and API keys of the user and withdraws all links. */
cat_administration_act_t cat_administration_revoke;

/* Sets the hash of a new password. Ends the user's sessions, withdraws all mailed links, lifts the delay after wrong
 * passwords, and queues a mail that notifies the user. API keys stay valid. Returns APR_NOTFOUND if no account has the
 * id. */
apr_status_t cat_administration_set_password(cat_administration_t *a, const char *id, const char *hash);

/* Stores an account like cat_accounts_add, with the role and the confirmation of `change`. Does not call
 * cat_administration_begin; the caller does. */
apr_status_t cat_administration_add(cat_administration_t *a, const char *const *record, const char *password_hash,
                                    const char *mail, const cat_account_change_t *change);

#endif
