/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registration: POST /register signs the new user in, POST /users only creates the account. Both check the body against
 * the same field table, and store the account with its confirmation mail in one transaction. A rate limits the accounts
 * that a network creates with sub-addresses of one mailbox, because each account sends a mail there.
 */
#include "api/users.h"

#include <apr_strings.h>

#include "accounts/passwords.h"
#include "accounts/registration.h"
#include "accounts/role.h"
#include "accounts/session.h"
#include "accounts/user.h"
#include "api/account_context.h"
#include "api/account_refusal.h"
#include "api/failure.h"
#include "api/idempotency.h"
#include "api/sessions.h"
#include "api/token_response.h"
#include "http/answer.h"
#include "http/rate_limit.h"
#include "http/request.h"
#include "lib/id.h"
#include "lib/time.h"
#include "mail/email.h"
#include "shm/limit.h"

static cat_answer_t *answer_taken(cat_request_t *q, cat_input_t *input, const cat_registration_t *result)
{
    if (result->username_taken) {
        cat_fields_add_error(q->pool, input, "username", "taken", "is already taken");
    }
    if (result->email_taken) {
        cat_fields_add_error(q->pool, input, "email", "taken", "is already taken");
    }
    return input->errors ? cat_answer_invalid(q->pool, CAT_PROBLEM_USER_EXISTS, input->errors)
                         : cat_answer_problem(q->pool, CAT_PROBLEM_USER_EXISTS, NULL);
}

/* Limit on the accounts that a network registers with sub-addresses of one mailbox. */
typedef struct quota_t {
    cat_rate_t rate; /* Allows everything if the address is not a sub-address, or if the server sends no mails. */
    const char *party;
} quota_t;

static quota_t find_quota(cat_request_t *q, const char *email)
{
    const char *mailbox = cat_email_mailbox(q->pool, cat_email_fold(q->pool, email));

    return mailbox && q->conf->mail
               ? (quota_t){q->conf->rates[CAT_RATE_MAIL], apr_pstrcat(q->pool, mailbox, " ", q->network, NULL)}
               : (quota_t){.party = ""};
}

/* Registers the user if the quota allows. `session` may be NULL, see cat_registration_add. Returns NULL, or the
 * response to a failure. */
static cat_answer_t *register_counted(cat_request_t *q, const cat_account_context_t *c, cat_input_t *input,
                                      cat_session_t *session)
{
    quota_t quota = find_quota(q, input->values[CAT_USER_EMAIL]);
    cat_verdict_t verdict =
        cat_limit_take(q->limits, CAT_RATE_LIMIT_ADDRESS, quota.party, quota.rate, cat_time_monotonic());
    cat_registration_t result;
    apr_status_t rv;

    if (!verdict.allowed) {
        return cat_rate_limit_refuse(q->pool, CAT_RATE_LIMIT_ADDRESS, quota.rate, verdict);
    }
    rv = cat_registration_add(c, input->values, session, &result);
    if (rv == APR_SUCCESS && result.outcome == CAT_REGISTRATION_OK) {
        return NULL;
    }
    cat_limit_give_back(q->limits, CAT_RATE_LIMIT_ADDRESS, quota.party, quota.rate, cat_time_monotonic());
    return rv == APR_SUCCESS ? answer_taken(q, input, &result) : cat_failure_answer(q->pool, rv);
}

static int is_open(const cat_conf_t *conf)
{
    return conf->registration;
}

/* Checks rules that need more than one field or the configuration. A value is NULL if the body does not have a text for
 * it. */
static void check_together(cat_request_t *q, const cat_account_context_t *c, cat_input_t *input)
{
    const char *name = input->values[CAT_USER_USERNAME], *password = input->values[CAT_USER_PASSWORD];
    const cat_account_t owner = {.username = name, .email = input->values[CAT_USER_EMAIL]};

    cat_passwords_check(c, input, "password", password);
    if (password && owner.username && owner.email) {
        cat_passwords_check_personal(c, input, "password", password, &owner);
    }
    if (name) {
        cat_account_refusal_check_name(q, input, name);
    }
}

/* Checks the body against the first `count` fields and adds the id and the creation time, so that input->values is the
 * record to store. Returns NULL, or the refusal. */
static cat_answer_t *check_user(cat_request_t *q, const cat_account_context_t *c, int count, cat_input_t *input)
{
    if (!is_open(q->conf)) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_CLOSED, NULL);
    }
    cat_fields_check(q->pool, cat_user_fields, count, CAT_CREATE, q->strict, q->body, input);
    check_together(q, c, input);
    if (input->errors) {
        return cat_answer_malformed(q->pool, input->errors);
    }
    input->values[CAT_USER_ID] = cat_id_make(q->pool, q->now);
    input->values[CAT_USER_CREATED_AT] = cat_time_store(q->pool, q->now);
    return NULL;
}

static cat_answer_t *represent_user(cat_request_t *q, const cat_input_t *input)
{
    cat_buffer_t b;
    cat_answer_t *answer;

    cat_buffer_init(&b, q->pool, 256);
    cat_fields_write(&b, cat_user_fields, CAT_USER_FIELDS, input->values);
    answer = cat_answer_text(q->pool, 201, b.data, b.length);
    cat_answer_name_ignored(answer, q->pool, input->ignored);
    return answer;
}

cat_answer_t *cat_users_create(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_input_t input;
    cat_answer_t *answer, *refusal = check_user(q, &c, CAT_USER_FIELDS, &input);

    if (refusal) {
        return refusal;
    }
    answer = represent_user(q, &input);
    cat_idempotency_keep(q, answer);
    refusal = register_counted(q, &c, &input, NULL);
    return refusal ? refusal : answer;
}

static const char *choose_welcome(const cat_request_t *q)
{
    return q->conf->mail ? "User registered; a confirmation e-mail is on its way" : "User registered";
}

static cat_answer_t *answer_tokens(cat_request_t *q, const cat_input_t *input, const cat_session_t *session)
{
    const cat_token_response_t tokens = {
        .user = input->values,
        .role = cat_role_names[CAT_ROLE_USER],
        .session_id = session->id,
        .refresh_token = session->refresh_token,
        .cookie = *input->values[CAT_USER_COOKIE] == '1',
    };

    return cat_token_response_answer(q, 201, choose_welcome(q), &tokens);
}

/* Handles a repeated registration, whose first response may have been lost together with the tokens. Signs the user in
 * with all checks, because the password may have changed since, and because the client may be guessing it. */
static cat_answer_t *repeat_registration(cat_request_t *q)
{
    cat_input_t input;
    cat_answer_t *answer;

    cat_fields_check(q->pool, cat_user_fields, CAT_USER_SESSION_FIELDS, CAT_CREATE, 0, q->body, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    answer = cat_sessions_sign_in(q, &(cat_sign_in_t){.login = input.values[CAT_USER_USERNAME],
                                                      .password = input.values[CAT_USER_PASSWORD],
                                                      .cookie = *input.values[CAT_USER_COOKIE] == '1',
                                                      .message = choose_welcome(q)});
    answer->status = answer->status == 200 ? 201 : answer->status;
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}

cat_answer_t *cat_users_register(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_input_t input;
    cat_session_t session;
    cat_answer_t *answer;

    if (cat_idempotency_is_replay(q)) {
        return repeat_registration(q);
    }
    answer = check_user(q, &c, CAT_USER_SESSION_FIELDS, &input);
    if (answer) {
        return answer;
    }
    cat_idempotency_keep_secret(q);
    answer = register_counted(q, &c, &input, &session);
    if (!answer) {
        answer = answer_tokens(q, &input, &session);
        cat_answer_name_ignored(answer, q->pool, input.ignored);
    }
    return answer;
}

/* ---- descriptions ---- */

static const cat_problem_t problems[] = {CAT_PROBLEM_USER_EXISTS, CAT_PROBLEM_COUNT};
static const cat_problem_t register_problems[] = {CAT_PROBLEM_USER_EXISTS, CAT_PROBLEM_CREDENTIALS,
                                                  CAT_PROBLEM_LOGIN_DELAY, CAT_PROBLEM_COUNT};

const cat_description_t cat_users_about_register = {
    .id = "register",
    .tag = "Accounts",
    .summary = "Register and sign in",
    .about = "Creates an account, sends a mail to confirm its address, and returns tokens. Repeated with its "
             "`Idempotency-Key`, it signs in and returns a fresh pair.",
    .input = "Registration",
    .fields = cat_user_fields,
    .field_count = CAT_USER_SESSION_FIELDS,
    .purpose = CAT_CREATE,
    .status = 201,
    .answered = "The account is created, and the user has signed in",
    .shape = &cat_token_response_shape_registered,
    .headers = CAT_HEADER_COOKIE,
    .problems = register_problems,
    .is_open = is_open,
    .refuses_closed = 1,
};

const cat_description_t cat_users_about_create = {
    .id = "createUser",
    .tag = "Accounts",
    .summary = "Create an account",
    .about = "Sends a mail to confirm its address. Does not sign in.",
    .input = "NewUser",
    .fields = cat_user_fields,
    .field_count = CAT_USER_FIELDS,
    .purpose = CAT_CREATE,
    .status = 201,
    .answered = "The account",
    .shape = &cat_user_shape,
    .problems = problems,
    .is_open = is_open,
    .refuses_closed = 1,
};
