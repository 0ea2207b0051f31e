/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_LOGIN_H
#define CAT_ACCOUNTS_LOGIN_H

#include "accounts/accounts.h"
#include "accounts/context.h"
#include "accounts/session.h"

/* Outcome of an attempt with a password. */
typedef enum {
    CAT_LOGIN_OK,
    /* The password is wrong or was replaced during the attempt, or the account does not exist or is locked. */
    CAT_LOGIN_WRONG,
    /* Too many attempts have failed. The password was not compared. */
    CAT_LOGIN_WAIT
} cat_login_outcome_t;

typedef struct cat_login_t {
    cat_login_outcome_t outcome;
    int wait; /* Seconds until the next attempt is allowed, if the outcome is CAT_LOGIN_WAIT. */
    /* Set by cat_login_sign_in if the outcome is CAT_LOGIN_OK: */
    cat_account_t *account;
    cat_session_t session;
} cat_login_t;

/*
 * Compares `password` with the password of the account, unless the throttle of `key` requires a delay
 * (accounts/throttle.h). If `account` is NULL, the outcome is CAT_LOGIN_WRONG after the same time. Releases the
 * connection, because hashing takes longer than everything else. Returns a status other than APR_SUCCESS if the server
 * failed; the attempt then does not count as failed.
 */
apr_status_t cat_login_prove(const cat_account_context_t *c, const char *key, const cat_account_t *account,
                             const char *password, cat_login_t *result);

/*
 * Compares `password` with the user's password, like cat_login_prove, and sets *account to the account as it was read
 * for that. If the outcome is CAT_LOGIN_OK, then runs `work` in a transaction. `work` must call
 * cat_login_check_unchanged and return its status. If that is APR_NOTFOUND, the transaction is rolled back and the
 * outcome is CAT_LOGIN_WRONG. Returns APR_NOTFOUND if the account did not exist when the function was called.
 */
apr_status_t cat_login_run(const cat_account_context_t *c, const char *user_id, const char *password,
                           cat_account_t **account, cat_login_t *result, cat_work_t *work, void *baton);

/* Locks the account's row until the transaction ends and forgives the user's failed attempts. Returns APR_NOTFOUND if,
 * since the password was compared, the password was replaced or the account was locked or deleted. */
apr_status_t cat_login_check_unchanged(const cat_account_context_t *c, const cat_account_t *account);

/* Opens a session if `login` is the name or the address of an account and `password` is its password. An unknown login
 * takes the same steps as a known one, so neither the outcome nor the time shows which accounts exist. Returns a status
 * other than APR_SUCCESS if the server failed; the attempt then does not count as failed. */
apr_status_t cat_login_sign_in(const cat_account_context_t *c, const char *login, const char *password,
                               cat_login_t *result);

#endif
