/* SPDX-License-Identifier: Apache-2.0 */
#include "api/password.h"

#include "db/mail_requests.h"
#include "db/mail_tokens.h"
#include "db/outbox.h"
#include "db/passwords.h"
#include "db/session.h"
#include "lib/grant.h"
#include "lib/time.h"
#include "shm/rate.h"

#define PURPOSE "reset"

cat_answer_t *cat_password_forgot(cat_request_t *q)
{
    return cat_mail_requests_take(q, PURPOSE);
}

/* What goes with a new password, within the caller's transaction: ends the sessions but except (NULL: all), and tells the
 * owner. */
static apr_status_t follow(cat_request_t *q, const char *user_id, const char *except, apr_array_header_t **ended)
{
    apr_status_t rv = cat_session_end_others(q->db, q->pool, user_id, except, q->now, ended);

    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(q->db, SQL_LOGIN_UNLOCK, CAT_VALUES(user_id), NULL);
    }
    return rv == APR_SUCCESS ? cat_outbox_add(q->db, q->pool, "changed", user_id, NULL, q->now) : rv;
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
    apr_status_t rv = cat_mail_tokens_use(q->db, q->pool, PURPOSE, n->token, q->now, &user_id);

    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(q->db, SQL_USER_CONFIRM, CAT_VALUES(cat_time_store(q->pool, q->now), user_id), NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(q->db, SQL_USER_SET_PASSWORD, CAT_VALUES(n->hash, user_id), NULL);
    }
    return rv == APR_SUCCESS ? follow(q, user_id, NULL, &n->ended) : rv;
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
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input.errors);
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

/* Guessing here is slowed down as it is at sign-in. APR_EINVAL: the password is wrong. APR_EAGAIN: *wait seconds first. */
static apr_status_t prove(cat_request_t *q, const char *password, cat_account_t **account, int *wait)
{
    int match = 0;
    apr_status_t rv = cat_accounts_read(q->db, q->pool, q->user->subject, account);

    if (rv == APR_SUCCESS) {
        rv = cat_accounts_try(q->db, q->pool, (*account)->id, q->network, q->now, wait);
    }
    cat_db_release(q->db);
    if (rv == APR_SUCCESS) {
        rv = cat_passwords_match(q, password, *account, &match);
    }
    return rv == APR_SUCCESS && !match ? APR_EINVAL : rv;
}

/* APR_EINVAL: another password was set since the current one was proven. */
static apr_status_t change(void *baton)
{
    new_password_t *n = baton;
    cat_request_t *q = n->q;
    apr_status_t rv = cat_accounts_set_hash(q->db, n->account, n->hash);

    if (rv == APR_SUCCESS) {
        rv = follow(q, n->account->id, q->user->session, &n->ended);
    }
    return rv == APR_NOTFOUND ? APR_EINVAL : rv;
}

cat_answer_t *cat_password_change(cat_request_t *q)
{
    new_password_t new = {.q = q};
    cat_input_t input;
    cat_account_t *account;
    int wait = 0;
    apr_status_t rv;

    cat_fields_check(q->pool, change_fields, CHANGE_FIELDS, CAT_CREATE, q->strict, q->body, &input);
    cat_passwords_check(q, &input, "newPassword", input.values[NEW_BY_CHANGE]);
    if (input.errors) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input.errors);
    }
    rv = prove(q, input.values[CURRENT], &account, &wait);
    if (rv == APR_SUCCESS) {
        rv = cat_passwords_hash(q, input.values[NEW_BY_CHANGE], &new.hash);
    }
    if (rv == APR_SUCCESS) {
        new.account = account;
        rv = set(&new, change);
    }
    if (rv == APR_EAGAIN) {
        return cat_rate_delay(q->pool, wait);
    }
    if (rv == APR_EINVAL) {
        cat_fields_add_error(q->pool, &input, "currentPassword", "wrong", "is not the current password");
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input.errors);
    }
    if (rv == APR_NOTFOUND) {
        return cat_grant_refuse(q, CAT_PROBLEM_TOKEN_INVALID, "The account is gone", 1);
    }
    return rv == APR_SUCCESS ? cat_answer_success(q->pool, 200, NULL, "Password changed; the other sessions have ended")
                             : cat_answer_failure(q->pool, rv);
}
