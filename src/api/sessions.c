/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signs users in and out, refreshes sessions, and lists and ends the user's sessions.
 *
 * A refresh token comes in the body or in a cookie; the body takes precedence. Browsers send the cookie no matter which
 * site's page makes the request. So the cookie counts only if the page is of this site or of an origin in
 * CatalogAllowOrigin:
 *
 *     body has refreshToken               uses it
 *     one cookie, from a known page       uses it, and sets a new cookie
 *     a cookie, from another site         403, because the user may not have wanted the request
 *     two cookies of this name            400, because another host may have set one; deletes both
 */
#include "api/sessions.h"

#include <apr_strings.h>
#include <string.h>

#include "accounts/accounts.h"
#include "accounts/login.h"
#include "accounts/session.h"
#include "accounts/user.h"
#include "api/account_context.h"
#include "api/failure.h"
#include "api/token_response.h"
#include "http/answer.h"
#include "http/challenge.h"
#include "http/rate_limit.h"
#include "http/request.h"
#include "jose/token.h"
#include "lib/fields.h"
#include "lib/id.h"
#include "lib/secret.h"
#include "lib/time.h"
#include "mail/email.h"
#include "shm/limit.h"

static const char *const *as_record(apr_pool_t *pool, const cat_account_t *user)
{
    const char **v = apr_pcalloc(pool, CAT_USER_FIELDS * sizeof(*v));
    v[CAT_USER_ID] = user->id;
    v[CAT_USER_USERNAME] = user->username;
    v[CAT_USER_EMAIL] = user->email;
    v[CAT_USER_CREATED_AT] = user->created_at;
    return v;
}

/* Returns the response with tokens. Uses only cookie, tells_role and message of `in`. */
static cat_answer_t *answer_tokens(cat_request_t *q, const cat_account_t *user, const cat_session_t *session,
                                   const cat_sign_in_t *in)
{
    const cat_token_response_t tokens = {
        .user = as_record(q->pool, user),
        .role = user->role,
        .verified = user->confirmed,
        .session_id = session->id,
        .refresh_token = session->refresh_token,
        .tells_role = in->tells_role,
        .cookie = in->cookie,
    };
    return cat_token_response_answer(q, 200, in->message, &tokens);
}

/* ---- login ---- */

enum { LOGIN, USERNAME, EMAIL, PASSWORD, COOKIE, LOGIN_FIELDS };

/* clang-format off */
static const cat_field_t login_fields[LOGIN_FIELDS] = {
    /*             name        kind         flags         least most  absent rule */
    [LOGIN] =    {"login",    CAT_STRING,  0,            1,    1000, NULL,  NULL,
        "A user name or an e-mail address; one of `login`, `username` and `email` is required", "ada@example.com"},
    [USERNAME] = {"username", CAT_STRING,  0,            1,    1000, NULL,  NULL,
        "A user name", NULL},
    [EMAIL] =    {"email",    CAT_STRING,  0,            1,    1000, NULL,  NULL,
        "An e-mail address", NULL},
    [PASSWORD] = {"password", CAT_STRING,  CAT_REQUIRED | CAT_OPAQUE, 1,    256,  NULL,  NULL,
        "The password", "correct horse"},
    [COOKIE] =   {"cookie",   CAT_BOOLEAN, 0,            0,    0,    "0",   NULL,
        "Send the refresh token as a cookie that scripts cannot read, instead of in the body", "false"},
};
/* clang-format on */

static int names_nobody(const json_t *body)
{
    return json_is_object(body) && !json_object_get(body, "login") && !json_object_get(body, "username") &&
           !json_object_get(body, "email");
}

cat_answer_t *cat_sessions_sign_in(cat_request_t *q, const cat_sign_in_t *in)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_login_t result;
    apr_status_t rv = cat_login_sign_in(&c, in->login, in->password, &result);

    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    switch (result.outcome) {
    case CAT_LOGIN_WAIT:
        return cat_rate_limit_delay_login(q->pool, result.wait);
    case CAT_LOGIN_WRONG:
        return cat_challenge_refuse(q->pool, q->conf, CAT_PROBLEM_CREDENTIALS, NULL, NULL);
    default:
        return answer_tokens(q, result.account, &result.session, in);
    }
}

cat_answer_t *cat_sessions_login(cat_request_t *q)
{
    const char *login;
    cat_input_t input;
    cat_answer_t *answer;

    cat_fields_check(q->pool, login_fields, LOGIN_FIELDS, CAT_CREATE, q->strict, q->body, &input);
    if (names_nobody(q->body)) {
        cat_fields_add_error(q->pool, &input, "login", "required", "is required: a user name or an e-mail address");
    }
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    login = input.values[LOGIN] ? input.values[LOGIN] : input.values[USERNAME];
    answer = cat_sessions_sign_in(q, &(cat_sign_in_t){.login = login ? login : input.values[EMAIL],
                                                      .password = input.values[PASSWORD],
                                                      .cookie = *input.values[COOKIE] == '1',
                                                      .tells_role = 1,
                                                      .message = "Signed in"});
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}

/* ---- refresh and logout ---- */

enum { REFRESH_TOKEN, REFRESH_FIELDS };
static const cat_field_t refresh_fields[REFRESH_FIELDS] = {
    [REFRESH_TOKEN] = {"refreshToken", CAT_STRING, 0, 1, 1000, NULL, NULL,
                       "The refresh token; not needed if it is a cookie", "qp7KEjtzVhWrsbecCbwK..."},
};

static cat_answer_t *refuse_refresh(cat_request_t *q, int cookie)
{
    cat_answer_t *answer = cat_challenge_refuse(q->pool, q->conf, CAT_PROBLEM_REFRESH, "invalid_token", NULL);

    if (cookie) {
        cat_token_response_drop_cookie(q, answer);
    }
    return answer;
}

/* Sets *token to the refresh token in the body or, if there is none, in the cookie; to NULL if there is neither. Sets
 * *cookie to true if the body has no token. Returns NULL, or the refusal if the cookie came with a request from another
 * site, or if there are two cookies. */
static cat_answer_t *find_refresh_token(cat_request_t *q, const char *in_body, const char **token, int *cookie)
{
    cat_answer_t *answer = NULL;
    int is_repeated = 0;

    *cookie = !in_body;
    *token = in_body ? in_body : cat_token_response_read_cookie(q, &is_repeated);
    if (*token && *cookie && q->is_foreign) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_CROSS_SITE, NULL);
    }
    if (is_repeated) {
        answer = cat_answer_problem(q->pool, CAT_PROBLEM_COOKIES, NULL);
        cat_token_response_drop_cookie(q, answer);
    }
    return answer;
}

static cat_answer_t *refresh_session(cat_request_t *q, const char *token, int cookie)
{
    const cat_account_context_t c = cat_account_context_make(q);
    const cat_sign_in_t in = {.cookie = cookie, .tells_role = 1, .message = "Session refreshed"};
    cat_session_t session;
    cat_account_t *user;
    cat_refresh_t outcome;
    apr_status_t rv = cat_session_refresh(&c, token, &session, &outcome);

    if (rv == APR_SUCCESS && outcome != CAT_REFRESH_OK) {
        return refuse_refresh(q, cookie);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_accounts_read(q->db, q->pool, session.user_id, &user);
    }
    if (rv == APR_NOTFOUND) {
        return refuse_refresh(q, cookie);
    }
    return rv == APR_SUCCESS ? answer_tokens(q, user, &session, &in) : cat_failure_answer(q->pool, rv);
}

/* Refreshes the session if its rate limit, which is counted for each session, allows. */
static cat_answer_t *refresh_counted(cat_request_t *q, const char *session, const char *token, int cookie)
{
    const char *name = cat_rate_limit_names[CAT_RATE_REFRESH];
    cat_rate_t rate = q->conf->rates[CAT_RATE_REFRESH];
    cat_verdict_t verdict = cat_limit_take(q->limits, name, session, rate, cat_time_monotonic());
    cat_answer_t *answer;

    if (!verdict.allowed) {
        return cat_rate_limit_refuse(q->pool, name, rate, verdict);
    }
    answer = refresh_session(q, token, cookie);
    if (rate.seconds) {
        cat_rate_limit_describe(q->pool, answer, name, rate, verdict);
    }
    return answer;
}

cat_answer_t *cat_sessions_renew(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_input_t input;
    cat_session_t session;
    cat_refresh_t outcome = CAT_REFRESH_UNKNOWN;
    cat_answer_t *refusal;
    const char *token;
    int cookie;
    apr_status_t rv;

    cat_fields_check(q->pool, refresh_fields, REFRESH_FIELDS, CAT_CREATE, q->strict, q->body, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    refusal = find_refresh_token(q, input.values[REFRESH_TOKEN], &token, &cookie);
    if (refusal) {
        return refusal;
    }
    rv = token ? cat_session_find(&c, token, &session, &outcome) : APR_SUCCESS;
    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    switch (outcome) {
    case CAT_REFRESH_OK:
        return refresh_counted(q, session.id, token, cookie);
    case CAT_REFRESH_REPLAYED: /* ends the session; the limit does not apply, as a thief could use it up */
        return refresh_session(q, token, cookie);
    default:
        return refuse_refresh(q, cookie);
    }
}

enum { LOGOUT_TOKEN, LOGOUT_ALL, LOGOUT_FIELDS };
/* refreshToken is used only if there is no valid access token. */
static const cat_field_t logout_fields[LOGOUT_FIELDS] = {
    [LOGOUT_TOKEN] = {"refreshToken", CAT_STRING, CAT_SECRET, 1, 1000, NULL, NULL,
                      "The refresh token of the session to end; not needed with an access token or a cookie", NULL},
    [LOGOUT_ALL] = {"all", CAT_BOOLEAN, 0, 0, 0, "0", NULL, "End all sessions of the user", "false"},
};

/* Sets id and user_id of *session from the access token or, if that is not valid, from the refresh token. Returns NULL,
 * or the refusal if there is no valid token. */
static cat_answer_t *find_session_to_end(cat_request_t *q, const cat_account_context_t *c, const char *in_body,
                                         cat_session_t *session)
{
    cat_answer_t *refusal;
    const char *token;
    int cookie;
    cat_refresh_t outcome;
    apr_status_t rv;

    if (!q->refusal) {
        *session = (cat_session_t){.id = q->user->session, .user_id = q->user->subject};
        return NULL;
    }
    refusal = find_refresh_token(q, in_body, &token, &cookie);
    if (refusal || !token) {
        return refusal ? refusal : q->refusal;
    }
    rv = cat_session_find(c, token, session, &outcome);
    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    return outcome == CAT_REFRESH_UNKNOWN ? refuse_refresh(q, cookie)
                                          : NULL; /* a used token may end its session, too */
}

cat_answer_t *cat_sessions_logout(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_input_t input;
    cat_session_t session;
    cat_answer_t *answer;
    apr_status_t rv;

    cat_fields_check(q->pool, logout_fields, LOGOUT_FIELDS, CAT_CREATE, q->strict, q->body, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    answer = find_session_to_end(q, &c, input.values[LOGOUT_TOKEN], &session);
    if (answer) {
        return answer;
    }
    rv = *input.values[LOGOUT_ALL] == '1' ? cat_session_end_all(&c, session.user_id)
                                          : cat_session_end(&c, session.id, session.user_id);
    if (rv != APR_SUCCESS && rv != APR_NOTFOUND) {
        return cat_failure_answer(q->pool, rv);
    }
    answer = cat_answer_success(q->pool, 200, NULL, "Signed out");
    if (q->cookies) {
        cat_token_response_drop_cookie(q, answer);
    }
    return answer;
}

/* ---- list, remove ---- */

/* Fields of a session in responses: its columns, and a flag that tells whether the request's access token belongs to
 * it. */
enum { SESSION_CURRENT = CAT_SESSION_COLUMNS, SESSION_FIELDS };
static const cat_field_t session_fields[SESSION_FIELDS] = {
    [CAT_SESSION_ID] = {"id", CAT_STRING, CAT_SERVER, 0, 0, NULL, &cat_fields_id, "The session's id",
                        "01a1fee5-b0c7-7e09-8808-33d7ddea9cee"},
    [CAT_SESSION_CREATED_AT] = {"createdAt", CAT_TIME, CAT_SERVER, 0, 0, NULL, NULL, "When the user signed in",
                                "2026-11-21T16:17:08.295Z"},
    [CAT_SESSION_USED_AT] = {"lastUsedAt", CAT_TIME, CAT_SERVER, 0, 0, NULL, NULL,
                             "When its refresh token was used last", "2026-11-21T16:17:08.545Z"},
    [CAT_SESSION_EXPIRES_AT] = {"expiresAt", CAT_TIME, CAT_SERVER, 0, 0, NULL, NULL, "When it ends in any case",
                                "2026-12-21T16:17:08.295Z"},
    [CAT_SESSION_CLIENT] = {"address", CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL,
                            "The address of the client that signed in", "127.0.0.1"},
    [CAT_SESSION_AGENT] = {"userAgent", CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL, "The User-Agent of that client",
                           "curl/7.88.1"},
    [SESSION_CURRENT] = {"current", CAT_BOOLEAN, CAT_SERVER, 0, 0, NULL, NULL,
                         "Whether the access token of this request belongs to it", "true"},
};

typedef struct listing_t {
    cat_buffer_t b;
    const char *current;
} listing_t;

static apr_status_t add_session(void *baton, const char *const *row, int count)
{
    listing_t *l = baton;
    const char *values[SESSION_FIELDS];

    memcpy(values, row, (size_t)count * sizeof(*values));
    values[SESSION_CURRENT] = l->current && !strcmp(row[CAT_SESSION_ID], l->current) ? "1" : "0";
    cat_buffer_add_text(&l->b, l->b.length > 1 ? "," : "");
    cat_fields_write(&l->b, session_fields, SESSION_FIELDS, values);
    return APR_SUCCESS;
}

cat_answer_t *cat_sessions_list(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    listing_t l = {.current = q->user->session};
    apr_status_t rv;

    cat_buffer_init(&l.b, q->pool, 1024);
    CAT_BUFFER_LITERAL(&l.b, "[");
    rv = cat_session_each(&c, q->user->subject, add_session, &l);
    CAT_BUFFER_LITERAL(&l.b, "]");
    return rv == APR_SUCCESS ? cat_answer_success(q->pool, 200, &l.b, NULL) : cat_failure_answer(q->pool, rv);
}

cat_answer_t *cat_sessions_remove(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    apr_status_t rv = cat_id_check(q->params[0]) ? cat_session_end(&c, q->params[0], q->user->subject) : APR_NOTFOUND;

    if (rv == APR_NOTFOUND) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_SESSION_UNKNOWN, NULL);
    }
    return rv == APR_SUCCESS ? cat_answer_success(q->pool, 200, NULL, "Session ended")
                             : cat_failure_answer(q->pool, rv);
}

/* ---- descriptions ---- */

static const cat_problem_t login_problems[] = {CAT_PROBLEM_CREDENTIALS, CAT_PROBLEM_LOGIN_DELAY, CAT_PROBLEM_COUNT};
static const cat_problem_t refresh_problems[] = {CAT_PROBLEM_REFRESH, CAT_PROBLEM_TOO_MANY, CAT_PROBLEM_COUNT};
static const cat_problem_t logout_problems[] = {CAT_PROBLEM_REFRESH, CAT_PROBLEM_COUNT};
static const cat_problem_t remove_problems[] = {CAT_PROBLEM_SESSION_UNKNOWN, CAT_PROBLEM_COUNT};

const cat_description_t cat_sessions_about_login = {
    .id = "signIn",
    .tag = "Accounts",
    .summary = "Sign in",
    .input = "SignIn",
    .fields = login_fields,
    .field_count = LOGIN_FIELDS,
    .purpose = CAT_CREATE,
    .needs_more = 1,
    .status = 200,
    .answered = "The user has signed in",
    .shape = &cat_token_response_shape,
    .headers = CAT_HEADER_COOKIE,
    .problems = login_problems,
};

const cat_description_t cat_sessions_about_renew = {
    .id = "refresh",
    .tag = "Accounts",
    .summary = "Get a new pair of tokens",
    .about = "Takes the refresh token of the body, else that of the cookie. Each is accepted once: the answer has the "
             "next one.",
    .input = "Refresh",
    .fields = refresh_fields,
    .field_count = REFRESH_FIELDS,
    .purpose = CAT_CREATE,
    .takes_cookie = 1,
    .status = 200,
    .answered = "The tokens",
    .shape = &cat_token_response_shape,
    .headers = CAT_HEADER_COOKIE,
    .problems = refresh_problems,
};

const cat_description_t cat_sessions_about_logout = {
    .id = "signOut",
    .tag = "Accounts",
    .summary = "Sign out",
    .about = "Ends the session of the access token, else that of the refresh token, in the body or the cookie.",
    .input = "SignOut",
    .fields = logout_fields,
    .field_count = LOGOUT_FIELDS,
    .purpose = CAT_CREATE,
    .takes_cookie = 1,
    .status = 200,
    .answered = "The session has ended",
    .shape = &cat_description_done,
    .headers = CAT_HEADER_COOKIE,
    .problems = logout_problems,
};

static const cat_shape_t session = {
    .kind = CAT_SHAPE_RECORD, .name = "Session", .fields = session_fields, .count = SESSION_FIELDS};
static const cat_shape_t session_list = {.kind = CAT_SHAPE_LIST, .of = &session};
static const cat_member_t list_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &session_list, CAT_ALWAYS, "The sessions of the signed-in user"},
    CAT_MEMBER_END,
};
static const cat_shape_t list_answer = {.kind = CAT_SHAPE_OBJECT, .name = "SessionList", .members = list_members};

const cat_description_t cat_sessions_about_list = {
    .id = "listSessions",
    .tag = "Accounts",
    .summary = "List one's sessions",
    .status = 200,
    .answered = "The sessions",
    .shape = &list_answer,
};

const cat_description_t cat_sessions_about_remove = {
    .id = "endSession",
    .tag = "Accounts",
    .summary = "End a session",
    .param = "The session's id",
    .status = 200,
    .answered = "The session has ended",
    .shape = &cat_description_done,
    .problems = remove_problems,
};
