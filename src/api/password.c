/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets a new password, with a link in a mail or with the current password.
 *
 *     POST /auth/password/forgot   queues a mail; the response never shows whether an account has the address
 *     GET  /auth/password/reset    checks the link without using it
 *     POST /auth/password/reset    takes the token of the mail's link, and the new password
 *     POST /auth/password/change   takes the current and the new password
 *
 * All checks come before the hash, because hashing takes much longer.
 */
#include "api/password.h"

#include <string.h>

#include "accounts/new_password.h"
#include "accounts/outbox.h"
#include "accounts/passwords.h"
#include "api/account_context.h"
#include "api/account_refusal.h"
#include "api/failure.h"
#include "api/mail_requests.h"
#include "http/answer.h"
#include "http/request.h"
#include "jose/token.h"
#include "lib/fields.h"

cat_answer_t *cat_password_forgot(cat_request_t *q)
{
    return cat_mail_requests_take(q, CAT_MAIL_RESET);
}

/* ---- reset ---- */

enum { TOKEN, NEW_BY_RESET, RESET_FIELDS };

/* clang-format off */
static const cat_field_t reset_fields[RESET_FIELDS] = {
    [TOKEN] =        {"token",    CAT_STRING, CAT_REQUIRED,              1, 1000, NULL, NULL,
        "The token of the mail's link, after `#token=`", "Zm9yIGFkYQ"},
    [NEW_BY_RESET] = {"password", CAT_STRING, CAT_REQUIRED | CAT_OPAQUE, 8, 256,  NULL, NULL,
        "The new password", "right staple"},
};
/* clang-format on */

/* Lets a page check the link before the user types a password. Does not use the token, because mail scanners follow
 * links. */
cat_answer_t *cat_password_check(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    const char *token = cat_mail_requests_find_token(q);
    cat_account_t *owner = NULL;
    apr_status_t rv = token ? cat_new_password_find(&c, token, &owner) : APR_SUCCESS;

    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    return owner ? cat_answer_success(q->pool, 200, NULL, "The link is valid")
                 : cat_answer_problem(q->pool, CAT_PROBLEM_LINK, NULL);
}

/* Checks the token before hashing, so that a request with an invalid token costs no hash. */
cat_answer_t *cat_password_reset(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_input_t input;
    cat_account_t *owner;
    int is_set = 0;
    apr_status_t rv;

    cat_fields_check(q->pool, reset_fields, RESET_FIELDS, CAT_CREATE, q->strict, q->body, &input);
    cat_passwords_check(&c, &input, "password", input.values[NEW_BY_RESET]);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    rv = cat_new_password_find(&c, input.values[TOKEN], &owner);
    if (rv == APR_SUCCESS && owner) {
        cat_passwords_check_personal(&c, &input, "password", input.values[NEW_BY_RESET], owner);
        if (input.errors) {
            return cat_answer_malformed(q->pool, input.errors);
        }
        rv = cat_new_password_reset(&c, input.values[TOKEN], input.values[NEW_BY_RESET], &is_set);
    }
    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    return is_set ? cat_answer_success(q->pool, 200, NULL, "Password changed; sign in with the new one")
                  : cat_answer_problem(q->pool, CAT_PROBLEM_LINK, NULL);
}

/* ---- change ---- */

enum { CURRENT, NEW_BY_CHANGE, END_KEYS, CHANGE_FIELDS };

/* clang-format off */
static const cat_field_t change_fields[CHANGE_FIELDS] = {
    [CURRENT] =       {"currentPassword", CAT_STRING, CAT_REQUIRED | CAT_OPAQUE, 1, 256, NULL, NULL,
        "The password until now", "correct horse"},
    [NEW_BY_CHANGE] = {"newPassword",     CAT_STRING, CAT_REQUIRED | CAT_OPAQUE, 8, 256, NULL, NULL,
        "The new password, which must differ", "right staple"},
    [END_KEYS] =      {"endKeys",         CAT_BOOLEAN, 0,                        0, 0,   "0",  NULL,
        "Whether the user's keys end too", "true"},
};
/* clang-format on */

/* Adds the errors of the body to `input`. Returns APR_NOTFOUND if the account has been deleted. */
static apr_status_t check_change(cat_request_t *q, const cat_account_context_t *c, cat_input_t *input)
{
    const char *current, *new;
    cat_account_t *owner;
    apr_status_t rv = APR_SUCCESS;

    cat_fields_check(q->pool, change_fields, CHANGE_FIELDS, CAT_CREATE, q->strict, q->body, input);
    current = input->values[CURRENT];
    new = input->values[NEW_BY_CHANGE];
    cat_passwords_check(c, input, "newPassword", new);
    if (current && new && !strcmp(current, new)) {
        cat_fields_add_error(q->pool, input, "newPassword", "unchanged", "must differ from the current password");
    }
    if (!input->errors) {
        rv = cat_accounts_read(q->db, q->pool, q->user->subject, &owner);
        cat_db_release(q->db);
    }
    if (!input->errors && rv == APR_SUCCESS) {
        cat_passwords_check_personal(c, input, "newPassword", new, owner);
    }
    return rv;
}

cat_answer_t *cat_password_change(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_answer_t *refusal;
    cat_input_t input;
    cat_login_t result;
    apr_status_t rv;

    rv = check_change(q, &c, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_new_password_change(&c, q->user->subject, q->user->session, input.values[CURRENT],
                                     input.values[NEW_BY_CHANGE], *input.values[END_KEYS] == '1', &result);
    }
    refusal = cat_account_refusal_password(q, rv, &result, &input, "currentPassword");
    return refusal ? refusal
                   : cat_answer_success(q->pool, 200, NULL, "Password changed; the other sessions have ended");
}

/* ---- descriptions ---- */

static const cat_problem_t problems[] = {CAT_PROBLEM_LINK, CAT_PROBLEM_COUNT};
static const cat_problem_t change_problems[] = {CAT_PROBLEM_LOGIN_DELAY, CAT_PROBLEM_ACCOUNT_GONE, CAT_PROBLEM_COUNT};

const cat_description_t cat_password_about_forgot = {
    .id = "requestPasswordReset",
    .summary = "Send a link to set a new password",
    CAT_MAIL_REQUESTS_DESCRIPTION,
};

const cat_description_t cat_password_about_check = {
    .id = "checkPasswordReset",
    .problems = problems,
    CAT_MAIL_REQUESTS_CHECK,
};

const cat_description_t cat_password_about_reset = {
    .id = "resetPassword",
    .tag = "Mail",
    .summary = "Set a new password with a mailed link",
    .about = "Ends all sessions of the user and confirms the address.",
    .input = "PasswordReset",
    .fields = reset_fields,
    .field_count = RESET_FIELDS,
    .purpose = CAT_CREATE,
    .status = 200,
    .answered = "The new password is set",
    .shape = &cat_description_done,
    .problems = problems,
};

const cat_description_t cat_password_about_change = {
    .id = "changePassword",
    .tag = "Accounts",
    .summary = "Change the password",
    .about = "Ends the user's other sessions, and with `endKeys` the user's keys.",
    .input = "PasswordChange",
    .fields = change_fields,
    .field_count = CHANGE_FIELDS,
    .purpose = CAT_CREATE,
    .status = 200,
    .answered = "The new password is set",
    .shape = &cat_description_done,
    .problems = change_problems,
};
