/* SPDX-License-Identifier: Apache-2.0 */
#include "api/users.h"

#include <apr_strings.h>
#include <string.h>

#include "accounts/accounts.h"
#include "accounts/passwords.h"
#include "accounts/role.h"
#include "accounts/session.h"
#include "accounts/user.h"
#include "api/token_response.h"
#include "http/answer.h"
#include "http/rate_limit.h"
#include "http/request.h"
#include "jose/token.h"
#include "lib/id.h"
#include "lib/time.h"
#include "mail/email.h"
#include "shm/limit.h"

typedef struct newcomer_t {
    cat_request_t *q;
    const char *const *record;
    const char *password_hash;
    cat_session_t *session; /* NULL: none is opened */
} newcomer_t;

/* The user and the mail, and for /register a session, are stored together or not at all. */
static apr_status_t store(void *baton)
{
    newcomer_t *n = baton;
    cat_request_t *q = n->q;
    apr_status_t rv = cat_accounts_add(q->db, q->pool, n->record, n->password_hash, q->now);

    return rv == APR_SUCCESS && n->session ? cat_session_open(q, n->record[CAT_USER_ID], n->session) : rv;
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
    taken_t t = {q, input, cat_email_fold(q->pool, input->values[CAT_USER_USERNAME]),
                 cat_email_fold(q->pool, input->values[CAT_USER_EMAIL])};
    apr_status_t rv = cat_db_each(q->db, SQL_USER_FIND_KEYS, CAT_VALUES(t.username_key, t.email_key), name_taken, &t);

    if (rv != APR_SUCCESS) {
        return cat_answer_failure(q->pool, rv);
    }
    return input->errors ? cat_answer_invalid(q->pool, CAT_PROBLEM_USER_EXISTS, input->errors)
                         : cat_answer_problem(q->pool, CAT_PROBLEM_USER_EXISTS, NULL); /* gone again since */
}

/* How many users with sub-addresses of one mailbox a network may register: each of them is a mail to it. */
typedef struct quota_t {
    cat_rate_t rate; /* none where nothing is counted */
    const char *who;
} quota_t;

static quota_t find_quota(cat_request_t *q, const char *email)
{
    const char *mailbox = cat_email_mailbox(q->pool, cat_email_fold(q->pool, email));

    return mailbox && q->conf->mail
               ? (quota_t){q->conf->rates[CAT_RATE_MAIL], apr_pstrcat(q->pool, mailbox, " ", q->network, NULL)}
               : (quota_t){.who = ""};
}

/* input->values becomes the record. */
static apr_status_t store_user(cat_request_t *q, cat_input_t *input, cat_session_t *session)
{
    newcomer_t newcomer = {.q = q, .record = input->values, .session = session};
    apr_status_t rv = cat_passwords_hash(q, input->values[CAT_USER_PASSWORD], &newcomer.password_hash);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    input->values[CAT_USER_ID] = cat_id_make(q->pool, q->now);
    input->values[CAT_USER_CREATED_AT] = cat_time_store(q->pool, q->now);
    return cat_db_transact(q->db, store, &newcomer);
}

/* The same within the quota: NULL, or the answer that refuses it. */
static cat_answer_t *enroll_counted(cat_request_t *q, cat_input_t *input, cat_session_t *session)
{
    quota_t quota = find_quota(q, input->values[CAT_USER_EMAIL]);
    cat_verdict_t verdict = cat_limit_take(q->limits, "address", quota.who, quota.rate, cat_time_monotonic());
    apr_status_t rv;

    if (!verdict.allowed) {
        return cat_rate_limit_refuse(q->pool, "address", quota.rate, verdict);
    }
    rv = store_user(q, input, session);
    if (rv == APR_SUCCESS) {
        return NULL;
    }
    cat_limit_give_back(q->limits, "address", quota.who, quota.rate, cat_time_monotonic());
    return rv == APR_EEXIST ? exists(q, input) : cat_answer_failure(q->pool, rv);
}

/* NULL: the user is stored, input->values is the record. Otherwise the answer that refuses it. */
static cat_answer_t *enroll(cat_request_t *q, cat_input_t *input, cat_session_t *session)
{
    int count = session ? CAT_USER_SESSION_FIELDS : CAT_USER_FIELDS;

    if (!q->conf->registration) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_CLOSED, NULL);
    }
    cat_fields_check(q->pool, cat_user_fields, count, CAT_CREATE, q->strict, q->body, input);
    cat_passwords_check(q, input, "password", input->values[CAT_USER_PASSWORD]);
    if (input->errors) {
        return cat_answer_malformed(q->pool, input->errors);
    }
    return enroll_counted(q, input, session);
}

cat_answer_t *cat_users_create(cat_request_t *q)
{
    cat_input_t input;
    cat_buffer_t b;
    cat_answer_t *answer = enroll(q, &input, NULL);

    if (!answer) {
        cat_buffer_init(&b, q->pool, 256);
        cat_fields_write(&b, cat_user_fields, CAT_USER_FIELDS, input.values);
        answer = cat_answer_text(q->pool, 201, b.data, b.length);
        cat_answer_name_ignored(answer, q->pool, input.ignored);
    }
    return answer;
}

cat_answer_t *cat_users_register(cat_request_t *q)
{
    cat_input_t input;
    cat_session_t session;
    cat_token_response_t grant;
    cat_answer_t *answer = enroll(q, &input, &session);

    if (!answer) {
        grant = (cat_token_response_t){
            .user = input.values,
            .role = cat_role_names[CAT_ROLE_USER],
            .session_id = session.id,
            .refresh_token = session.refresh_token,
            .cookie = *input.values[CAT_USER_COOKIE] == '1',
        };
        answer = cat_token_response_answer(
            q, 201, q->conf->mail ? "User registered; a confirmation e-mail is on its way" : "User registered", &grant);
        cat_answer_name_ignored(answer, q->pool, input.ignored);
    }
    return answer;
}
