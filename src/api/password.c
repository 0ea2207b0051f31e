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

static apr_status_t finish(cat_request_t *q, apr_status_t rv, const apr_array_header_t *ended)
{
    if (rv != APR_SUCCESS) {
        cat_db_rollback(q->db);
        return rv;
    }
    rv = cat_db_commit(q->db);
    if (rv == APR_SUCCESS) {
        cat_session_revoke(q, ended);
    }
    return rv;
}

/* ---- reset ---- */

enum { TOKEN, NEW_BY_RESET, RESET_FIELDS };

/* clang-format off */
static const cat_field_t reset_fields[RESET_FIELDS] = {
    [TOKEN] =        {"token",    CAT_STRING, CAT_REQUIRED, 1, 1000, NULL, NULL},
    [NEW_BY_RESET] = {"password", CAT_STRING, CAT_REQUIRED, 8, 256,  NULL, NULL},
};
/* clang-format on */

/* Whoever could read the mail has the address: it counts as confirmed. */
static apr_status_t reset(cat_request_t *q, const char *token, const char *hash)
{
    const char *user_id;
    apr_array_header_t *ended = NULL;
    apr_status_t rv = cat_db_begin(q->db);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = cat_mail_tokens_find(q->db, q->pool, PURPOSE, token, q->now, &user_id);
    if (rv == APR_SUCCESS) {
        rv = cat_mail_tokens_drop(q->db, PURPOSE, user_id);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(q->db, SQL_USER_CONFIRM, CAT_VALUES(cat_time_store(q->pool, q->now), user_id), NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(q->db, SQL_USER_SET_PASSWORD, CAT_VALUES(hash, user_id), NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = follow(q, user_id, NULL, &ended);
    }
    return finish(q, rv, ended);
}

cat_answer_t *cat_password_reset(cat_request_t *q)
{
    cat_input_t input;
    const char *hash, *user_id;
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
        rv = cat_passwords_hash(q, input.values[NEW_BY_RESET], &hash);
    }
    if (rv == APR_SUCCESS) {
        rv = reset(q, input.values[TOKEN], hash);
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
static apr_status_t change(cat_request_t *q, const cat_account_t *account, const char *password)
{
    const char *hash;
    apr_array_header_t *ended = NULL;
    apr_status_t rv = cat_passwords_hash(q, password, &hash);

    if (rv == APR_SUCCESS) {
        rv = cat_db_begin(q->db);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = cat_accounts_set_hash(q->db, account, hash);
    if (rv == APR_SUCCESS) {
        rv = follow(q, account->id, q->user->session, &ended);
    }
    return finish(q, rv == APR_NOTFOUND ? APR_EINVAL : rv, ended);
}

cat_answer_t *cat_password_change(cat_request_t *q)
{
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
        rv = change(q, account, input.values[NEW_BY_CHANGE]);
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
