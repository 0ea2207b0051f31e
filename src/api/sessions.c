/* SPDX-License-Identifier: Apache-2.0 */
#include "api/sessions.h"

#include <apr_strings.h>
#include <string.h>

#include "db/passwords.h"
#include "db/session.h"
#include "db/accounts.h"
#include "lib/email.h"
#include "lib/fields.h"
#include "lib/grant.h"
#include "lib/header.h"
#include "lib/id.h"
#include "lib/secret.h"
#include "lib/time.h"
#include "lib/user.h"
#include "shm/rate.h"

static const char *const *as_record(apr_pool_t *pool, const cat_account_t *user)
{
    const char **v = apr_pcalloc(pool, CAT_USER_FIELDS * sizeof(*v));
    v[CAT_USER_ID] = user->id;
    v[CAT_USER_USERNAME] = user->username;
    v[CAT_USER_EMAIL] = user->email;
    v[CAT_USER_CREATED_AT] = user->created_at;
    return v;
}

static cat_answer_t *grant(cat_request_t *q, const cat_account_t *user, const cat_session_t *session, int cookie,
                           const char *message)
{
    const cat_grant_t g = {
        .user = as_record(q->pool, user),
        .role = user->role,
        .verified = user->confirmed,
        .session_id = session->id,
        .refresh_token = session->refresh_token,
        .cookie = cookie,
    };
    return cat_grant_answer(q, 200, message, &g);
}

/* ---- login ---- */

enum { LOGIN, USERNAME, EMAIL, PASSWORD, COOKIE, LOGIN_FIELDS };

/* clang-format off */
static const cat_field_t login_fields[LOGIN_FIELDS] = {
    /*             name        kind         flags         least most  absent refuse */
    [LOGIN] =    {"login",    CAT_STRING,  0,            1,    1000, NULL,  NULL},
    [USERNAME] = {"username", CAT_STRING,  0,            1,    1000, NULL,  NULL},
    [EMAIL] =    {"email",    CAT_STRING,  0,            1,    1000, NULL,  NULL},
    [PASSWORD] = {"password", CAT_STRING,  CAT_REQUIRED, 1,    256,  NULL,  NULL},
    [COOKIE] =   {"cookie",   CAT_BOOLEAN, 0,            0,    0,    "0",   NULL},
};
/* clang-format on */

static int names_nobody(const json_t *body)
{
    return json_is_object(body) && !json_object_get(body, "login") && !json_object_get(body, "username") &&
           !json_object_get(body, "email");
}

static const char *login_of(const cat_input_t *input)
{
    return input->values[LOGIN]      ? input->values[LOGIN]
           : input->values[USERNAME] ? input->values[USERNAME]
                                     : input->values[EMAIL];
}

typedef struct sign_in_t {
    cat_request_t *q;
    const cat_account_t *seen; /* when the password was looked at */
    const char *hash;          /* to be stored: the same, or a newer one of the same password */
    cat_account_t *user;       /* now */
    cat_session_t session;
} sign_in_t;

/* While the password was looked at the account may have changed, so it is read anew. APR_NOTFOUND: the password is another one by
 * now, or the user gone. */
static apr_status_t open_session(void *baton)
{
    sign_in_t *s = baton;
    cat_request_t *q = s->q;
    apr_status_t rv = cat_accounts_set_hash(q->db, s->seen, s->hash);

    if (rv == APR_SUCCESS) {
        rv = cat_accounts_read(q->db, q->pool, s->seen->id, &s->user);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_accounts_passed(q->db, s->seen->id, q->network);
    }
    return rv == APR_SUCCESS ? cat_session_open(q, s->seen->id, &s->session) : rv;
}

/* What was asked for may be a password in the wrong field, or another user's id. */
static const char *conceal(apr_pool_t *pool, const char *login)
{
    return cat_secret_digest(pool, cat_email_fold(pool, login));
}

/* Whoever is not known is treated alike at every step, so neither the answer nor its time tells. */
static cat_answer_t *log_in(cat_request_t *q, const char *login, const char *password, int cookie)
{
    cat_account_t *user = NULL;
    sign_in_t sign_in = {.q = q};
    int match, wait;
    apr_status_t rv = cat_accounts_find(q->db, q->pool, login, &user);

    if (rv == APR_SUCCESS || rv == APR_NOTFOUND) {
        rv = cat_accounts_try(q->db, q->pool, user ? user->id : conceal(q->pool, login), q->network, q->now, &wait);
    }
    cat_db_release(q->db); /* hashing takes longer than all the rest */
    if (rv == APR_EAGAIN) {
        return cat_rate_delay(q->pool, wait);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_passwords_match(q, password, user, &match);
    }
    if (rv == APR_SUCCESS) {
        rv = match ? APR_SUCCESS : APR_NOTFOUND;
    }
    if (rv == APR_SUCCESS) {
        sign_in.seen = user;
        sign_in.hash = cat_passwords_renew(q, password, user);
        rv = cat_db_transact(q->db, open_session, &sign_in);
    }
    if (rv == APR_NOTFOUND) {
        return cat_grant_refuse(q, CAT_PROBLEM_CREDENTIALS, NULL, 0);
    }
    return rv == APR_SUCCESS ? grant(q, sign_in.user, &sign_in.session, cookie, "Signed in")
                             : cat_answer_failure(q->pool, rv);
}

cat_answer_t *cat_sessions_login(cat_request_t *q)
{
    cat_input_t input;
    cat_answer_t *answer;

    cat_fields_check(q->pool, login_fields, LOGIN_FIELDS, CAT_CREATE, q->strict, q->body, &input);
    if (names_nobody(q->body)) {
        cat_fields_add_error(q->pool, &input, "login", "required", "is required: a user name or an e-mail address");
    }
    if (input.errors) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input.errors);
    }
    answer = log_in(q, login_of(&input), input.values[PASSWORD], *input.values[COOKIE] == '1');
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}

/* ---- refresh and logout ---- */

enum { REFRESH_TOKEN, REFRESH_FIELDS };
static const cat_field_t refresh_fields[REFRESH_FIELDS] = {
    [REFRESH_TOKEN] = {"refreshToken", CAT_STRING, 0, 1, 1000, NULL, NULL},
};

static cat_answer_t *refuse_refresh(cat_request_t *q, int cookie)
{
    cat_answer_t *answer = cat_grant_refuse(q, CAT_PROBLEM_REFRESH, NULL, 1);

    if (cookie) {
        cat_grant_drop_cookie(q, answer);
    }
    return answer;
}

cat_answer_t *cat_sessions_renew(cat_request_t *q)
{
    cat_input_t input;
    cat_session_t session;
    cat_account_t *user;
    const char *token;
    int cookie;
    apr_status_t rv;

    if (cat_fields_check(q->pool, refresh_fields, REFRESH_FIELDS, CAT_CREATE, q->strict, q->body, &input) !=
        APR_SUCCESS) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input.errors);
    }
    token = input.values[REFRESH_TOKEN];
    cookie = !token;
    if (cookie) {
        token = cat_header_cookie(q->pool, q->cookies, CAT_GRANT_COOKIE);
    }
    rv = token ? cat_session_refresh(q, token, &session) : APR_NOTFOUND;
    if (rv == APR_SUCCESS) {
        rv = cat_accounts_read(q->db, q->pool, session.user_id, &user);
    }
    if (rv == APR_NOTFOUND || rv == APR_EEXIST) {
        return refuse_refresh(q, cookie);
    }
    return rv == APR_SUCCESS ? grant(q, user, &session, cookie, "Session refreshed") : cat_answer_failure(q->pool, rv);
}

enum { LOGOUT_TOKEN, LOGOUT_ALL, LOGOUT_FIELDS };
/* refreshToken is taken for those who send it: the session it belongs to is the access token's own. */
static const cat_field_t logout_fields[LOGOUT_FIELDS] = {
    [LOGOUT_TOKEN] = {"refreshToken", CAT_STRING, CAT_SECRET, 1, 1000, NULL, NULL},
    [LOGOUT_ALL] = {"all", CAT_BOOLEAN, 0, 0, 0, "0", NULL},
};

typedef struct end_all_t {
    cat_request_t *q;
    apr_array_header_t *ended;
} end_all_t;

static apr_status_t end_all(void *baton)
{
    end_all_t *e = baton;
    return cat_session_end_others(e->q->db, e->q->pool, e->q->user->subject, NULL, e->q->now, &e->ended);
}

static apr_status_t log_out_everywhere(cat_request_t *q)
{
    end_all_t e = {.q = q};
    apr_status_t rv = cat_db_transact(q->db, end_all, &e);

    if (rv == APR_SUCCESS) {
        cat_session_revoke(q, e.ended);
    }
    return rv;
}

cat_answer_t *cat_sessions_logout(cat_request_t *q)
{
    cat_input_t input;
    cat_answer_t *answer;
    apr_status_t rv;

    if (cat_fields_check(q->pool, logout_fields, LOGOUT_FIELDS, CAT_CREATE, q->strict, q->body, &input) !=
        APR_SUCCESS) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input.errors);
    }
    rv = *input.values[LOGOUT_ALL] == '1' ? log_out_everywhere(q)
                                          : cat_session_end(q, q->user->session, q->user->subject);
    if (rv != APR_SUCCESS && rv != APR_NOTFOUND) {
        return cat_answer_failure(q->pool, rv);
    }
    answer = cat_answer_success(q->pool, 200, NULL, "Signed out");
    if (q->cookies) {
        cat_grant_drop_cookie(q, answer);
    }
    return answer;
}

/* ---- me, list, remove ---- */

enum { ME_ID, ME_USERNAME, ME_EMAIL, ME_VERIFIED, ME_ROLE, ME_MAY_WRITE, ME_CREATED_AT, ME_FIELDS };
static const cat_field_t me_fields[ME_FIELDS] = {
    [ME_ID] = {"id", CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL},
    [ME_USERNAME] = {"username", CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL},
    [ME_EMAIL] = {"email", CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL},
    [ME_VERIFIED] = {"emailVerified", CAT_BOOLEAN, CAT_SERVER, 0, 0, NULL, NULL},
    [ME_ROLE] = {"role", CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL},
    [ME_MAY_WRITE] = {"mayWrite", CAT_BOOLEAN, CAT_SERVER, 0, 0, NULL, NULL},
    [ME_CREATED_AT] = {"createdAt", CAT_TIME, CAT_SERVER, 0, 0, NULL, NULL},
};

cat_answer_t *cat_sessions_me(cat_request_t *q)
{
    cat_account_t *user;
    cat_buffer_t b;
    apr_status_t rv = cat_accounts_read(q->db, q->pool, q->user->subject, &user);

    if (rv != APR_SUCCESS) {
        return rv == APR_NOTFOUND ? cat_grant_refuse(q, CAT_PROBLEM_TOKEN_INVALID, "The account is gone", 1)
                                  : cat_answer_failure(q->pool, rv);
    }
    cat_buffer_init(&b, q->pool, 256);
    cat_fields_write(&b, me_fields, ME_FIELDS,
                     (const char *const[ME_FIELDS]){user->id, user->username, user->email, user->confirmed ? "1" : "0",
                                                    user->role, q->may_write ? "1" : "0", user->created_at});
    return cat_answer_success(q->pool, 200, &b, NULL);
}

enum { S_ID, S_CREATED_AT, S_USED_AT, S_EXPIRES_AT, S_CLIENT, S_AGENT, S_CURRENT, S_FIELDS };
static const cat_field_t session_fields[S_FIELDS] = {
    [S_ID] = {"id", CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL},
    [S_CREATED_AT] = {"createdAt", CAT_TIME, CAT_SERVER, 0, 0, NULL, NULL},
    [S_USED_AT] = {"lastUsedAt", CAT_TIME, CAT_SERVER, 0, 0, NULL, NULL},
    [S_EXPIRES_AT] = {"expiresAt", CAT_TIME, CAT_SERVER, 0, 0, NULL, NULL},
    [S_CLIENT] = {"address", CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL},
    [S_AGENT] = {"userAgent", CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL},
    [S_CURRENT] = {"current", CAT_BOOLEAN, CAT_SERVER, 0, 0, NULL, NULL},
};

typedef struct listing_t {
    cat_buffer_t b;
    const char *current;
} listing_t;

static apr_status_t add_session(void *baton, const char *const *row, int count)
{
    listing_t *l = baton;
    const char *values[S_FIELDS];

    memcpy(values, row, (size_t)count * sizeof(*values)); /* the row has all but the last */
    values[S_CURRENT] = l->current && !strcmp(row[S_ID], l->current) ? "1" : "0";
    cat_buffer_add_text(&l->b, l->b.length > 1 ? "," : "");
    cat_fields_write(&l->b, session_fields, S_FIELDS, values);
    return APR_SUCCESS;
}

cat_answer_t *cat_sessions_list(cat_request_t *q)
{
    listing_t l = {.current = q->user->session};
    apr_status_t rv;

    cat_buffer_init(&l.b, q->pool, 1024);
    CAT_BUFFER_LITERAL(&l.b, "[");
    rv = cat_db_each(q->db, SQL_SESSION_LIST, CAT_VALUES(q->user->subject, cat_time_store(q->pool, q->now)),
                     add_session, &l);
    CAT_BUFFER_LITERAL(&l.b, "]");
    return rv == APR_SUCCESS ? cat_answer_success(q->pool, 200, &l.b, NULL) : cat_answer_failure(q->pool, rv);
}

cat_answer_t *cat_sessions_remove(cat_request_t *q)
{
    apr_status_t rv = cat_id_check(q->params[0]) ? cat_session_end(q, q->params[0], q->user->subject) : APR_NOTFOUND;

    if (rv == APR_NOTFOUND) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_SESSION_UNKNOWN, NULL);
    }
    return rv == APR_SUCCESS ? cat_answer_success(q->pool, 200, NULL, "Session ended")
                             : cat_answer_failure(q->pool, rv);
}
