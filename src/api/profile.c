/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signed-in user's own account: read it, rename it, delete it, or change its address. Deleting it and changing the
 * address require the password; wrong passwords are throttled as at sign-in.
 */
#include "api/profile.h"

#include <string.h>

#include "accounts/accounts.h"
#include "accounts/own_account.h"
#include "accounts/user.h"
#include "api/account_context.h"
#include "api/account_refusal.h"
#include "api/failure.h"
#include "api/token_response.h"
#include "http/answer.h"
#include "http/request.h"
#include "jose/token.h"
#include "lib/fields.h"
#include "mail/email.h"

/* ---- get, update ---- */

static cat_answer_t *answer_account(cat_request_t *q, const cat_account_t *user, const char *message)
{
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, 256);
    cat_fields_write(&b, cat_user_profile_fields, CAT_USER_PROFILE_FIELDS,
                     (const char *const[CAT_USER_PROFILE_FIELDS]){user->id, user->username, user->email,
                                                                  user->confirmed ? "1" : "0", user->role,
                                                                  q->may_write ? "1" : "0", user->created_at});
    return cat_answer_success(q->pool, 200, &b, message);
}

static cat_answer_t *answer_failure(cat_request_t *q, apr_status_t rv)
{
    return rv == APR_NOTFOUND ? cat_account_refusal_gone(q) : cat_failure_answer(q->pool, rv);
}

cat_answer_t *cat_profile_get(cat_request_t *q)
{
    cat_account_t *user;
    apr_status_t rv = cat_accounts_read(q->db, q->pool, q->user->subject, &user);

    return rv == APR_SUCCESS ? answer_account(q, user, NULL) : answer_failure(q, rv);
}

/* Accepts a reserved name if the user already has it, because catalogctl can give a user a reserved name. */
static void check_update(cat_request_t *q, cat_input_t *input)
{
    const char *name, *present = q->user->username;

    cat_fields_check(q->pool, cat_user_profile_fields, CAT_USER_PROFILE_FIELDS, CAT_UPDATE, q->strict, q->body, input);
    name = input->values[CAT_USER_PROFILE_USERNAME];
    if (!input->errors && !input->given) {
        cat_fields_add_error(q->pool, input, "", "required", "must have the field username");
    }
    if (name && !(present && !strcasecmp(present, name))) {
        cat_account_refusal_check_name(q, input, name);
    }
}

cat_answer_t *cat_profile_update(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_account_t *user;
    cat_answer_t *answer;
    cat_input_t input;
    apr_status_t rv;

    check_update(q, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    rv = cat_own_account_rename(&c, q->user->subject, input.values[CAT_USER_PROFILE_USERNAME], &user);
    if (rv == APR_EEXIST) {
        cat_fields_add_error(q->pool, &input, "username", "taken", "is already taken");
        return cat_answer_invalid(q->pool, CAT_PROBLEM_USER_EXISTS, input.errors);
    }
    if (rv != APR_SUCCESS) {
        return answer_failure(q, rv);
    }
    answer = answer_account(q, user, "Account updated");
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}

/* ---- a new address ---- */

enum { NEW_EMAIL, EMAIL_PASSWORD, EMAIL_FIELDS };

/* clang-format off */
static const cat_field_t email_fields[EMAIL_FIELDS] = {
    [NEW_EMAIL] =      {"newEmail", CAT_STRING, CAT_REQUIRED,                           1, CAT_EMAIL_MAX, NULL, &cat_user_email_rule,
        "The new e-mail address", "grace@example.com"},
    [EMAIL_PASSWORD] = {"password", CAT_STRING, CAT_REQUIRED | CAT_SECRET | CAT_OPAQUE, 1, 256,           NULL, NULL,
        "The current password", "correct horse"},
};
/* clang-format on */

static void check_email(cat_request_t *q, cat_input_t *input)
{
    const char *email, *password;

    cat_fields_check(q->pool, email_fields, EMAIL_FIELDS, CAT_CREATE, q->strict, q->body, input);
    email = input->values[NEW_EMAIL];
    password = input->values[EMAIL_PASSWORD];
    if (email && password && !strcasecmp(email, password)) {
        cat_fields_add_error(q->pool, input, "newEmail", "personal", "must not be the password");
    }
}

/* Does not check whether another account has the address, because neither the response nor its time must show that. The
 * mailer checks it. */
cat_answer_t *cat_profile_change_email(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_answer_t *answer;
    cat_input_t input;
    cat_login_t result;
    apr_status_t rv;

    check_email(q, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    rv = cat_own_account_change_email(&c, q->user->subject, input.values[NEW_EMAIL], input.values[EMAIL_PASSWORD],
                                      &result);
    answer = cat_account_refusal_password(q, rv, &result, &input, "password");
    if (!answer) {
        answer = cat_answer_success(q->pool, 202, NULL,
                                    q->conf->mail ? "If no other account has the address, its mailbox receives a link"
                                                  : "If no other account has the address, a mail is queued for it");
        cat_answer_name_ignored(answer, q->pool, input.ignored);
    }
    return answer;
}

/* ---- remove ---- */

static const cat_field_t remove_fields[] = {
    {"password", CAT_STRING, CAT_REQUIRED | CAT_SECRET | CAT_OPAQUE, 1, 256, NULL, NULL, "The current password",
     "correct horse"},
};

cat_answer_t *cat_profile_remove(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_answer_t *answer;
    cat_input_t input;
    cat_login_t result;
    int is_last;
    apr_status_t rv;

    cat_fields_check(q->pool, remove_fields, 1, CAT_CREATE, q->strict, q->body, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    rv = cat_own_account_delete(&c, q->user->subject, input.values[0], &result, &is_last);
    answer = cat_account_refusal_password(q, rv, &result, &input, "password");
    if (answer || is_last) {
        return answer ? answer : cat_answer_problem(q->pool, CAT_PROBLEM_LAST_ADMIN, NULL);
    }
    answer = cat_answer_success(q->pool, 200, NULL, "Account deleted");
    if (q->cookies) {
        cat_token_response_drop_cookie(q, answer);
    }
    return answer;
}

/* ---- descriptions ---- */

static const cat_member_t get_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &cat_user_profile_shape, CAT_ALWAYS, "The signed-in user"},
    CAT_MEMBER_END,
};
static const cat_shape_t get_shape = {.kind = CAT_SHAPE_OBJECT, .name = "AccountAnswer", .members = get_members};

static const cat_member_t update_members[] = {
    CAT_MEMBER_SUCCESS,
    CAT_MEMBER_MESSAGE,
    {"data", &cat_user_profile_shape, CAT_ALWAYS, "The signed-in user afterwards"},
    CAT_MEMBER_END,
};
static const cat_shape_t update_shape = {.kind = CAT_SHAPE_OBJECT, .name = "AccountUpdated", .members = update_members};

static const cat_problem_t get_problems[] = {CAT_PROBLEM_ACCOUNT_GONE, CAT_PROBLEM_COUNT};
static const cat_problem_t update_problems[] = {CAT_PROBLEM_ACCOUNT_GONE, CAT_PROBLEM_USER_EXISTS, CAT_PROBLEM_COUNT};
static const cat_problem_t email_problems[] = {CAT_PROBLEM_ACCOUNT_GONE, CAT_PROBLEM_LOGIN_DELAY, CAT_PROBLEM_COUNT};
static const cat_problem_t remove_problems[] = {CAT_PROBLEM_ACCOUNT_GONE, CAT_PROBLEM_LOGIN_DELAY,
                                                CAT_PROBLEM_LAST_ADMIN, CAT_PROBLEM_COUNT};

const cat_description_t cat_profile_about_get = {
    .id = "getAccount",
    .tag = "Accounts",
    .summary = "Read the signed-in user",
    .status = 200,
    .answered = "The user",
    .shape = &get_shape,
    .problems = get_problems,
};

const cat_description_t cat_profile_about_update = {
    .id = "updateAccount",
    .tag = "Accounts",
    .summary = "Change the signed-in user's name",
    .input = "AccountChange",
    .fields = cat_user_profile_fields,
    .field_count = CAT_USER_PROFILE_FIELDS,
    .purpose = CAT_UPDATE,
    .status = 200,
    .answered = "The user has changed",
    .shape = &update_shape,
    .problems = update_problems,
};

const cat_description_t cat_profile_about_remove = {
    .id = "deleteAccount",
    .tag = "Accounts",
    .summary = "Delete the signed-in user's account",
    .input = "AccountDeletion",
    .fields = remove_fields,
    .field_count = 1,
    .purpose = CAT_CREATE,
    .status = 200,
    .answered = "The account is deleted",
    .shape = &cat_description_done,
    .headers = CAT_HEADER_COOKIE,
    .problems = remove_problems,
};

const cat_description_t cat_profile_about_change_email = {
    .id = "changeEmail",
    .tag = "Accounts",
    .summary = "Change the e-mail address",
    .about =
        "The new address receives a link; the address changes when the link is used. The answer is the same whether "
        "or not another account has the address.",
    .input = "EmailChange",
    .fields = email_fields,
    .field_count = EMAIL_FIELDS,
    .purpose = CAT_CREATE,
    .status = 202,
    .answered = "The request is accepted",
    .shape = &cat_description_done,
    .problems = email_problems,
};
