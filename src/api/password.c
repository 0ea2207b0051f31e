/* SPDX-License-Identifier: Apache-2.0 */
#include "api/password.h"

#include <string.h>

#include "accounts/login.h"
#include "accounts/mail_tokens.h"
#include "accounts/outbox.h"
#include "accounts/passwords.h"
#include "accounts/session.h"
#include "accounts/throttle.h"
#include "api/mail_requests.h"
#include "api/token_response.h"
#include "http/answer.h"
#include "http/challenge.h"
#include "http/rate_limit.h"
#include "http/request.h"
#include "jose/token.h"
#include "lib/time.h"

#define PURPOSE "reset"

cat_answer_t *cat_password_forgot(cat_request_t *q)
{
    return cat_mail_requests_take(q, PURPOSE);
}

/* What goes with a new password, within the caller's transaction: ends the sessions but except (NULL: all), makes links that
 * would set another password worthless, and notifies the owner. */
static apr_status_t follow(cat_request_t *q, const cat_account_t *account, const char *except,
                           apr_array_header_t **ended)
{
    apr_status_t rv = cat_session_end_others(q->db, q->pool, account->id, except, q->now, ended);

    if (rv == APR_SUCCESS) {
        rv = cat_mail_tokens_withdraw(q->db, PURPOSE, account->id);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_throttle_unlock(q->db, q->pool, account);
    }
    return rv == APR_SUCCESS ? cat_outbox_add(q->db, q->pool, "changed", account->id, NULL, q->now) : rv;
}

/* ---- reset ---- */

enum { TOKEN, NEW_BY_RESET, RESET_FIELDS };

/* clang-format off */
static const cat_field_t reset_fields[RESET_FIELDS] = {
    [TOKEN] =        {"token",    CAT_STRING, CAT_REQUIRED, 1, 1000, NULL, NULL},
    [NEW_BY_RESET] = {"password", CAT_STRING, CAT_REQUIRED, 8, 256,  NULL, NULL},
};
/* clang-format on */

typedef struct new_password_t {
    cat_request_t *q;
    const char *token;            /* of a reset */
    const cat_account_t *account; /* of a change, as it was when the current password was proven */
    const char *hash;
    apr_array_header_t *ended;
} new_password_t;

static apr_status_t set(new_password_t *n, cat_work_t *work)
{
    apr_status_t rv = cat_db_transact(n->q->db, work, n);

    if (rv == APR_SUCCESS) {
        cat_session_revoke(n->q, n->ended);
    }
    return rv;
}

/* Whoever could read the mail has the address: it counts as confirmed. */
static apr_status_t reset(void *baton)
{
    new_password_t *n = baton;
    cat_request_t *q = n->q;
    const char *user_id;
    cat_account_t *account;
    apr_status_t rv = cat_mail_tokens_use(q->db, q->pool, PURPOSE, n->token, q->now, &user_id);

    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(q->db, SQL_USER_CONFIRM, CAT_VALUES(cat_time_store(q->pool, q->now), user_id), NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(q->db, SQL_USER_SET_PASSWORD, CAT_VALUES(n->hash, user_id), NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_accounts_read(q->db, q->pool, user_id, &account);
    }
    return rv == APR_SUCCESS ? follow(q, account, NULL, &n->ended) : rv;
}

cat_answer_t *cat_password_reset(cat_request_t *q)
{
    new_password_t new = {.q = q};
    cat_input_t input;
    const char *user_id;
    apr_status_t rv;

    cat_fields_check(q->pool, reset_fields, RESET_FIELDS, CAT_CREATE, q->strict, q->body, &input);
    cat_passwords_check(q, &input, "password", input.values[NEW_BY_RESET]);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    /* A first look, so that a bad token costs no hash. */
    rv = cat_mail_tokens_find(q->db, q->pool, PURPOSE, input.values[TOKEN], q->now, &user_id);
    cat_db_release(q->db);
    if (rv == APR_SUCCESS) {
        rv = cat_passwords_hash(q, input.values[NEW_BY_RESET], &new.hash);
    }
    if (rv == APR_SUCCESS) {
        new.token = input.values[TOKEN];
        rv = set(&new, reset);
    }
    if (rv == APR_NOTFOUND) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_LINK, NULL);
    }
    return rv == APR_SUCCESS ? cat_answer_success(q->pool, 200, NULL, "Password changed; sign in with the new one")
                             : cat_answer_failure(q->pool, rv);
}

/* ---- change ---- */

enum { CURRENT, NEW_BY_CHANGE, CHANGE_FIELDS };

/* clang-format off */
static const cat_field_t change_fields[CHANGE_FIELDS] = {
    [CURRENT] =       {"currentPassword", CAT_STRING, CAT_REQUIRED, 1, 256, NULL, NULL},
    [NEW_BY_CHANGE] = {"newPassword",     CAT_STRING, CAT_REQUIRED, 8, 256, NULL, NULL},
};
/* clang-format on */

/* Guessing here is slowed down as it is at sign-in. APR_NOTFOUND: the account is gone. */
static apr_status_t prove_current(cat_request_t *q, const char *password, cat_account_t **account, cat_login_t *result)
{
    apr_status_t rv = cat_accounts_read(q->db, q->pool, q->user->subject, account);

    if (rv != APR_SUCCESS) {
        cat_db_release(q->db);
        return rv;
    }
    return cat_login_prove(q, (*account)->username, *account, password, result);
}

/* APR_NOTFOUND: another password was set since the current one was proven. */
static apr_status_t change(void *baton)
{
    new_password_t *n = baton;
    cat_request_t *q = n->q;
    apr_status_t rv = cat_accounts_set_hash(q->db, n->account, n->hash);

    return rv == APR_SUCCESS ? follow(q, n->account, q->user->session, &n->ended) : rv;
}

static apr_status_t set_proven(new_password_t *n, const char *password, cat_login_t *result)
{
    cat_request_t *q = n->q;
    apr_status_t rv = cat_passwords_hash(q, password, &n->hash);

    if (rv == APR_SUCCESS) {
        rv = set(n, change);
    }
    if (rv == APR_NOTFOUND) {
        result->outcome = CAT_LOGIN_WRONG;
        return APR_SUCCESS;
    }
    if (rv != APR_SUCCESS) {
        cat_throttle_withdraw(q->db, q->pool, n->account->username, q->network);
    }
    return rv;
}

static void check_change(cat_request_t *q, cat_input_t *input)
{
    const char *current, *new;

    cat_fields_check(q->pool, change_fields, CHANGE_FIELDS, CAT_CREATE, q->strict, q->body, input);
    current = input->values[CURRENT];
    new = input->values[NEW_BY_CHANGE];
    cat_passwords_check(q, input, "newPassword", new);
    if (current && new && !strcmp(current, new)) {
        cat_fields_add_error(q->pool, input, "newPassword", "unchanged", "must differ from the current password");
    }
}

static cat_answer_t *answer_change(cat_request_t *q, cat_input_t *input, const cat_login_t *result)
{
    switch (result->outcome) {
    case CAT_LOGIN_WAIT:
        return cat_rate_limit_delay(q->pool, result->wait);
    case CAT_LOGIN_WRONG:
        cat_fields_add_error(q->pool, input, "currentPassword", "wrong", "is not the current password");
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input->errors);
    default:
        return cat_answer_success(q->pool, 200, NULL, "Password changed; the other sessions have ended");
    }
}

cat_answer_t *cat_password_change(cat_request_t *q)
{
    new_password_t new = {.q = q};
    cat_input_t input;
    cat_account_t *account;
    cat_login_t result;
    apr_status_t rv;

    check_change(q, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    rv = prove_current(q, input.values[CURRENT], &account, &result);
    if (rv == APR_SUCCESS && result.outcome == CAT_LOGIN_OK) {
        new.account = account;
        rv = set_proven(&new, input.values[NEW_BY_CHANGE], &result);
    }
    if (rv == APR_NOTFOUND) {
        return cat_challenge_refuse(q->pool, q->conf, CAT_PROBLEM_TOKEN_INVALID, "invalid_token",
                                    "The account is gone");
    }
    return rv == APR_SUCCESS ? answer_change(q, &input, &result) : cat_answer_failure(q->pool, rv);
}
