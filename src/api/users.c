/* SPDX-License-Identifier: Apache-2.0 */
#include "api/users.h"

#include <apr_strings.h>
#include <string.h>

#include "db/db.h"
#include "db/outbox.h"
#include "db/sessions.h"
#include "lib/email.h"
#include "lib/fields.h"
#include "lib/gate.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/password.h"
#include "lib/time.h"

static const char *refuse_username(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return text[strspn(text, allowed)] ? "must consist of letters, digits, '.', '_' and '-'" : NULL;
}

static const char *refuse_email(const char *text)
{
    return cat_email_check(text) ? NULL : "must be an e-mail address";
}

enum { ID, USERNAME, EMAIL, PASSWORD, CREATED_AT, FIELDS };

/* clang-format off */
static const cat_field_t fields[FIELDS] = {
    /*               name         kind        flags                      least most           absent refuse */
    [ID] =         {"id",        CAT_STRING, CAT_SERVER,                0,    0,             NULL,  NULL},
    [USERNAME] =   {"username",  CAT_STRING, CAT_REQUIRED,              3,    64,            NULL,  refuse_username},
    [EMAIL] =      {"email",     CAT_STRING, CAT_REQUIRED,              1,    CAT_EMAIL_MAX, NULL,  refuse_email},
    [PASSWORD] =   {"password",  CAT_STRING, CAT_REQUIRED | CAT_SECRET, 8,    256,           NULL,  NULL},
    [CREATED_AT] = {"createdAt", CAT_TIME,   CAT_SERVER,                0,    0,             NULL,  NULL},
};
/* clang-format on */

/* How long a registration may wait for its turn to hash. */
#define HASH_PATIENCE apr_time_from_sec(2)

static apr_status_t hash_password(cat_request_t *q, const char *password, const char **hash)
{
    int place;
    apr_status_t rv;

    if (cat_gate_enter(q->hashing, HASH_PATIENCE, &place) != APR_SUCCESS) {
        cat_log(q->log, CAT_LOG_ERROR, 0, "CAT011: too many passwords to hash at once; see CatalogHashConcurrency");
        return CAT_EBUSY;
    }
    rv = cat_password_hash(q->pool, password, hash);
    cat_gate_leave(q->hashing, place);
    if (rv != APR_SUCCESS) {
        cat_log(q->log, CAT_LOG_ERROR, rv, "CAT012: a password could not be hashed");
    }
    return rv;
}

/* The user and the mail, and for /register a session, are stored together or not at all. */
static apr_status_t store(cat_request_t *q, const char *const *v, const char *hash, cat_session_t *session)
{
    apr_status_t rv = cat_db_begin(q->db);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = cat_db_insert(q->db, SQL_USER_INSERT,
                       CAT_VALUES(v[ID], v[USERNAME], cat_email_fold(q->pool, v[USERNAME]), v[EMAIL],
                                  cat_email_fold(q->pool, v[EMAIL]), hash, v[CREATED_AT]));
    if (rv == APR_SUCCESS) {
        rv = cat_outbox_add(q->db, q->pool, "confirm", v[ID], q->now);
    }
    if (rv == APR_SUCCESS && session) {
        rv = cat_sessions_open(q->db, q->pool, v[ID], q->now, q->conf->refresh_ttl, session);
    }
    if (rv == APR_SUCCESS) {
        return cat_db_commit(q->db);
    }
    cat_db_rollback(q->db);
    return rv;
}

typedef struct taken_t {
    cat_request_t *q;
    cat_input_t *input;
    const char *username_key;
    const char *email_key;
} taken_t;

static apr_status_t name_taken(void *baton, const char *const *row, int count)
{
    taken_t *t = baton;
    (void)count;
    if (!strcmp(row[0], t->username_key)) {
        cat_fields_add_error(t->q->pool, t->input, "username", "taken", "is already taken");
    }
    if (!strcmp(row[1], t->email_key)) {
        cat_fields_add_error(t->q->pool, t->input, "email", "taken", "is already taken");
    }
    return APR_SUCCESS;
}

/* The index has decided; this only finds out which field to name. */
static cat_answer_t *exists(cat_request_t *q, cat_input_t *input)
{
    taken_t t = {q, input, cat_email_fold(q->pool, input->values[USERNAME]),
                 cat_email_fold(q->pool, input->values[EMAIL])};
    apr_status_t rv = cat_db_each(q->db, SQL_USER_FIND_KEYS, CAT_VALUES(t.username_key, t.email_key), name_taken, &t);

    if (rv != APR_SUCCESS) {
        return cat_answer_failure(q->pool, rv);
    }
    return input->errors ? cat_answer_invalid(q->pool, CAT_PROBLEM_USER_EXISTS, input->errors)
                         : cat_answer_problem(q->pool, CAT_PROBLEM_USER_EXISTS, NULL); /* gone again since */
}

/* NULL: the user is stored, input->values is the record. Otherwise the answer that refuses it. */
static cat_answer_t *enroll(cat_request_t *q, cat_input_t *input, cat_session_t *session)
{
    const char *hash;
    apr_status_t rv;

    if (cat_fields_check(q->pool, fields, FIELDS, CAT_CREATE, q->strict, q->body, input) != APR_SUCCESS) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input->errors);
    }
    rv = hash_password(q, input->values[PASSWORD], &hash);
    if (rv == APR_SUCCESS) {
        input->values[ID] = cat_id_make(q->pool, q->now);
        input->values[CREATED_AT] = cat_time_store(q->pool, q->now);
        rv = store(q, input->values, hash, session);
    }
    if (rv == APR_EEXIST) {
        return exists(q, input);
    }
    return rv == APR_SUCCESS ? NULL : cat_answer_failure(q->pool, rv);
}

cat_answer_t *cat_users_create(cat_request_t *q)
{
    cat_input_t input;
    cat_buffer_t b;
    cat_answer_t *answer = enroll(q, &input, NULL);

    if (!answer) {
        cat_buffer_init(&b, q->pool, 256);
        cat_fields_write(&b, fields, FIELDS, input.values);
        answer = cat_answer_text(q->pool, 201, b.data, b.length);
        cat_answer_name_ignored(answer, q->pool, input.ignored);
    }
    return answer;
}

static const char *make_access_token(cat_request_t *q, const char *user_id, const char *session_id)
{
    const cat_claims_t claims = {
        .issuer = q->conf->issuer,
        .audience = q->conf->audience,
        .subject = user_id,
        .session = session_id,
        .id = cat_id_make(q->pool, q->now),
        .issued = q->now,
        .expires = q->now + apr_time_from_sec(q->conf->token_ttl),
    };
    return cat_token_make(q->pool, q->conf->key, &claims);
}

static void add_string(cat_buffer_t *b, const char *name, const char *value)
{
    cat_buffer_add_text(b, name);
    cat_json_add_string(b, value);
}

cat_answer_t *cat_users_register(cat_request_t *q)
{
    cat_input_t input;
    cat_session_t session = {NULL, NULL};
    cat_buffer_t b;
    const char *token;
    cat_answer_t *answer = enroll(q, &input, &session);

    if (answer) {
        return answer;
    }
    token = make_access_token(q, input.values[ID], session.id);
    if (!token) {
        cat_log(q->log, CAT_LOG_ERROR, 0, "CAT013: an access token could not be made");
        return cat_answer_problem(q->pool, CAT_PROBLEM_INTERNAL, NULL);
    }
    cat_buffer_init(&b, q->pool, 1024);
    CAT_BUFFER_LITERAL(&b, "{\"success\":true");
    add_string(&b, ",\"message\":", "User registered; a confirmation e-mail is on its way");
    add_string(&b, ",\"token\":", token);
    CAT_BUFFER_LITERAL(&b, ",\"tokenType\":\"Bearer\",\"expiresIn\":");
    cat_buffer_add_int(&b, q->conf->token_ttl);
    add_string(&b, ",\"refreshToken\":", session.refresh_token);
    CAT_BUFFER_LITERAL(&b, ",\"user\":");
    cat_fields_write(&b, fields, FIELDS, input.values);
    CAT_BUFFER_LITERAL(&b, "}");
    answer = cat_answer_text(q->pool, 201, b.data, b.length);
    cat_answer_header(answer, q->pool, "Cache-Control", "no-store");
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}
