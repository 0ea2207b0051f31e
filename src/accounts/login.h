/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_LOGIN_H
#define CAT_ACCOUNTS_LOGIN_H

#include "accounts/accounts.h"
#include "accounts/context.h"
#include "accounts/session.h"

/* What came of a password that a client sent. */
typedef enum {
    CAT_LOGIN_OK,
    CAT_LOGIN_WRONG, /* the password is wrong or has been replaced since, or there is no such account, or it is locked */
    CAT_LOGIN_WAIT   /* too many have failed: the password was not compared */
} cat_login_outcome_t;

typedef struct cat_login_t {
    cat_login_outcome_t outcome;
    int wait; /* CAT_LOGIN_WAIT: seconds */
    /* CAT_LOGIN_OK, after cat_login_sign_in: */
    cat_account_t *account;
    cat_session_t session;
} cat_login_t;

/*
 * Compares the password with the account's, behind the throttle of key (accounts/throttle.h). account NULL: the outcome
 * is CAT_LOGIN_WRONG, after the same time. Releases the connection, because hashing takes longer than everything else.
 * A status other than APR_SUCCESS is a fault; the attempt does not count then.
 */
apr_status_t cat_login_prove(const cat_account_context_t *c, const char *key, const cat_account_t *account,
                             const char *password, cat_login_t *result);

/*
 * Runs `work` in a transaction if the password is the user's. Sets *account to the account with which the password was compared, and *result as
 * cat_login_prove does; unless the outcome is CAT_LOGIN_OK, `work` has not run or was rolled back. `work` must call cat_login_check_unchanged,
 * which returns APR_NOTFOUND if meanwhile the password was replaced, or the account locked or deleted; the outcome is then CAT_LOGIN_WRONG.
 * Returns APR_NOTFOUND if the account is gone before.
 */
apr_status_t cat_login_run(const cat_account_context_t *c, const char *user_id, const char *password,
                           cat_account_t **account, cat_login_t *result, cat_work_t *work, void *baton);
apr_status_t cat_login_check_unchanged(const cat_account_context_t *c, const cat_account_t *account);

/* Opens a session if the password is that of the account that login names. An unknown account is treated like a known
 * one at every step, so that neither the outcome nor its time tells them apart. Status as above. */
apr_status_t cat_login_sign_in(const cat_account_context_t *c, const char *login, const char *password,
                               cat_login_t *result);

#endif
