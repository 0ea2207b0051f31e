/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_LOGIN_H
#define CAT_ACCOUNTS_LOGIN_H

#include "accounts/accounts.h"
#include "accounts/session.h"
#include "http/request.h"

/* What came of a password that a client sent. */
typedef enum {
    CAT_LOGIN_OK,
    CAT_LOGIN_WRONG, /* the password; or the account has another one by now, or there is none */
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
 * Compares the password with the account's, behind the throttle of login. account NULL: it is wrong, and takes as long. Releases
 * the connection, because hashing takes longer than all the rest. A status other than APR_SUCCESS is a fault; the attempt does
 * not count then.
 */
apr_status_t cat_login_prove(cat_request_t *q, const char *login, const cat_account_t *account, const char *password,
                             cat_login_t *result);

/* Does the password of whoever login names open a session? An unknown user is treated like a known one at every step, so that
 * neither the outcome nor its time tells them apart. Status as above. */
apr_status_t cat_login_sign_in(cat_request_t *q, const char *login, const char *password, cat_login_t *result);

#endif
