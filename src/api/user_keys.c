/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates, lists and ends the API keys of the user's programs. Only the response that creates an API key has its token,
 * because the server does not store the token.
 */
#include "api/user_keys.h"

#include <stdlib.h>

#include "accounts/login.h"
#include "accounts/user.h"
#include "accounts/user_key.h"
#include "api/account_context.h"
#include "api/account_refusal.h"
#include "api/failure.h"
#include "http/answer.h"
#include "http/request.h"
#include "jose/token.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/log.h"
#include "lib/time.h"

#define DAY 86400

/* ---- create ---- */

enum { NAME, EXPIRES_IN, ROLE, PASSWORD, INPUT_FIELDS };

/* clang-format off */
static const cat_field_t input_fields[INPUT_FIELDS] = {
    /* name         kind        flags                      least most                         absent rule */
    [NAME] =       {"name",      CAT_STRING, CAT_REQUIRED | CAT_VISIBLE, 1,   100,                          NULL, &cat_user_key_name_rule,
        "What the key is for", "ERP"},
    [EXPIRES_IN] = {"expiresIn", CAT_NUMBER, CAT_WHOLE,                  1,   CAT_USER_KEY_DAYS_MOST * DAY, NULL, NULL,
        "For how many seconds the key is valid; 90 days if it is absent", "7776000"},
    [ROLE] =       {"role",      CAT_STRING, 0,                          1,   16,                           NULL, &cat_user_role_rule,
        "The role of the key, at most the user's own, which is the default", "editor"},
    [PASSWORD] =   {"password",  CAT_STRING, CAT_REQUIRED | CAT_SECRET | CAT_OPAQUE, 1, 256,                NULL, NULL,
        "The user's password", "correct horse"},
};
/* clang-format on */

typedef struct creation_t {
    cat_request_t *q;
    cat_account_context_t c;
    cat_account_t *account; /* Account as it was when the password was compared. */
    cat_actor_t actor;
    const char *role; /* Role that the client sent. NULL if it sent none. */
    cat_user_key_t key;
    const char *token; /* Token of the API key. */
    cat_user_key_outcome_t outcome;
} creation_t;

static apr_status_t add_key(void *baton)
{
    creation_t *creation = baton;
    const cat_request_t *q = creation->q;
    apr_status_t rv = cat_login_check_unchanged(&creation->c, creation->account);

    creation->key.role = creation->role;
    return rv != APR_SUCCESS ? rv
                             : cat_user_key_add(q->db, q->pool, &creation->key, q->conf->max_keys, &creation->actor,
                                                &creation->outcome);
}

/* Cuts the time of expiry to seconds, because a token has whole seconds. */
static cat_user_key_t make_key(const cat_request_t *q, const cat_input_t *input)
{
    const char *seconds = input->values[EXPIRES_IN];
    apr_int64_t lifetime = seconds ? strtoll(seconds, NULL, 10) : CAT_USER_KEY_DAYS * DAY;

    return (cat_user_key_t){
        .id = cat_id_make(q->pool, q->now),
        .user_id = q->user->subject,
        .name = input->values[NAME],
        .created = q->now,
        .expires = apr_time_from_sec(apr_time_sec(q->now) + lifetime),
    };
}

static cat_answer_t *answer_created(cat_request_t *q, const cat_user_key_t *key, const char *token)
{
    const char *expires = cat_time_store(q->pool, key->expires);
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, 1024);
    CAT_BUFFER_LITERAL(&b, "{\"success\":true,\"message\":\"Key created\"");
    cat_json_add_member(&b, ",\"id\":", key->id);
    cat_json_add_member(&b, ",\"name\":", key->name);
    CAT_BUFFER_LITERAL(&b, ",\"expiresAt\":");
    cat_fields_write_value(&b, &cat_user_key_fields[CAT_USER_KEY_EXPIRES_AT], expires);
    cat_json_add_member(&b, ",\"token\":", token);
    CAT_BUFFER_LITERAL(&b, "}");
    return cat_answer_text(q->pool, 201, b.data, b.length);
}

static cat_answer_t *answer_outcome(cat_request_t *q, const creation_t *creation, cat_input_t *input)
{
    switch (creation->outcome) {
    case CAT_USER_KEY_MANY:
        return cat_answer_problem(q->pool, CAT_PROBLEM_KEYS_FULL, NULL);
    case CAT_USER_KEY_ABOVE:
        cat_fields_add_error(q->pool, input, "role", "invalid", "must not be above your own role");
        return cat_answer_malformed(q->pool, input->errors);
    default:
        return answer_created(q, &creation->key, creation->token);
    }
}

/* Makes the token, before the API key is stored: nobody could use a stored key without a token. Returns false, after
 * logging it, if that fails. */
static int sign_key(cat_request_t *q, creation_t *creation)
{
    const cat_keys_t *keys = cat_keyring_get(q->conf->keys, q->now, NULL);

    creation->token = creation->key.id ? cat_user_key_sign(q->pool, q->conf, keys, &creation->key) : NULL;
    if (!creation->token) {
        cat_log(q->log, CAT_LOG_ERROR, 0, "CAT150: the token of a key could not be created");
    }
    return creation->token != NULL;
}

cat_answer_t *cat_user_keys_create(cat_request_t *q)
{
    creation_t creation = {.q = q, .c = cat_account_context_make(q), .actor = cat_account_context_actor(q)};
    cat_answer_t *answer;
    cat_input_t input;
    cat_login_t result;
    apr_status_t rv;

    cat_fields_check(q->pool, input_fields, INPUT_FIELDS, CAT_CREATE, q->strict, q->body, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    creation.key = make_key(q, &input);
    creation.role = input.values[ROLE];
    if (!sign_key(q, &creation)) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_UNABLE, NULL);
    }
    rv = cat_login_run(&creation.c, q->user->subject, input.values[PASSWORD], &creation.account, &result, add_key,
                       &creation);
    answer = cat_account_refusal_password(q, rv, &result, &input, "password");
    if (answer) {
        return answer;
    }
    answer = answer_outcome(q, &creation, &input);
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}

/* ---- list, remove ---- */

static apr_status_t add_row(void *baton, const char *const *row, int count)
{
    cat_buffer_t *b = baton;

    cat_buffer_add_text(b, b->length > 1 ? "," : "");
    cat_fields_write(b, cat_user_key_fields, count, row);
    return APR_SUCCESS;
}

cat_answer_t *cat_user_keys_list(cat_request_t *q)
{
    cat_buffer_t b;
    apr_status_t rv;

    cat_buffer_init(&b, q->pool, 1024);
    CAT_BUFFER_LITERAL(&b, "[");
    rv = cat_db_each(q->db, SQL_USER_KEY_LIST, CAT_VALUES(q->user->subject, cat_time_store(q->pool, q->now)), add_row,
                     &b);
    CAT_BUFFER_LITERAL(&b, "]");
    return rv == APR_SUCCESS ? cat_answer_success(q->pool, 200, &b, NULL) : cat_failure_answer(q->pool, rv);
}

cat_answer_t *cat_user_keys_remove(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    const cat_actor_t actor = cat_account_context_actor(q);
    apr_status_t rv = cat_user_key_end(&c, q->params[0], &actor);

    if (rv == APR_NOTFOUND) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_KEY_UNKNOWN, NULL);
    }
    return rv == APR_SUCCESS ? cat_answer_success(q->pool, 200, NULL, "Key ended") : cat_failure_answer(q->pool, rv);
}

/* ---- descriptions ---- */

static const cat_problem_t create_problems[] = {CAT_PROBLEM_ACCOUNT_GONE, CAT_PROBLEM_LOGIN_DELAY,
                                                CAT_PROBLEM_KEYS_FULL, CAT_PROBLEM_COUNT};
static const cat_problem_t remove_problems[] = {CAT_PROBLEM_KEY_UNKNOWN, CAT_PROBLEM_COUNT};

static const cat_shape_t id = {.kind = CAT_SHAPE_TEXT, .rule = &cat_fields_id};
static const cat_shape_t token = {.kind = CAT_SHAPE_TEXT, .example = "\"eyJhbGciOiJIUzI1NiIs...\""};
static const cat_member_t created_members[] = {
    CAT_MEMBER_SUCCESS,
    CAT_MEMBER_MESSAGE,
    {"id", &id, CAT_ALWAYS, "The key's id"},
    {"name", &cat_schema_text, CAT_ALWAYS, "Its name"},
    {"expiresAt", &cat_schema_time, CAT_ALWAYS, "When it expires, in UTC"},
    {"token", &token, CAT_ALWAYS, "What programs send as `Authorization: Bearer ...`; no other answer has it"},
    CAT_MEMBER_END,
};
static const cat_shape_t created = {.kind = CAT_SHAPE_OBJECT, .name = "KeyCreated", .members = created_members};

const cat_description_t cat_user_keys_about_create = {
    .id = "createKey",
    .tag = "Accounts",
    .summary = "Create a key for a program",
    .about = "A key reads and writes products until it expires or is ended, and cannot use accounts. A mail tells the "
             "user about it.",
    .input = "KeyCreate",
    .fields = input_fields,
    .field_count = INPUT_FIELDS,
    .purpose = CAT_CREATE,
    .status = 201,
    .answered = "The key",
    .shape = &created,
    .problems = create_problems,
};

static const cat_shape_t key = {
    .kind = CAT_SHAPE_RECORD, .name = "Key", .fields = cat_user_key_fields, .count = CAT_USER_KEY_FIELDS};
static const cat_shape_t key_list = {.kind = CAT_SHAPE_LIST, .of = &key};
static const cat_member_t list_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &key_list, CAT_ALWAYS,
     "The keys of the signed-in user, the newest first, and then those that have expired"},
    CAT_MEMBER_END,
};
static const cat_shape_t list_answer = {.kind = CAT_SHAPE_OBJECT, .name = "KeyList", .members = list_members};

const cat_description_t cat_user_keys_about_list = {
    .id = "listKeys",
    .tag = "Accounts",
    .summary = "List one's keys",
    .status = 200,
    .answered = "The keys",
    .shape = &list_answer,
};

const cat_description_t cat_user_keys_about_remove = {
    .id = "endKey",
    .tag = "Accounts",
    .summary = "End a key",
    .param = "The key's id",
    .status = 200,
    .answered = "The key has ended",
    .shape = &cat_description_done,
    .problems = remove_problems,
};
