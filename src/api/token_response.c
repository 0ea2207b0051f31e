/* SPDX-License-Identifier: Apache-2.0 */
#include "api/token_response.h"

#include <apr_strings.h>
#include <string.h>

#include "accounts/user.h"
#include "jose/keyring.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/log.h"

static const char *make_access_token(cat_request_t *q, const cat_token_response_t *tokens)
{
    const cat_claims_t claims = {
        .issuer = q->conf->issuer,
        .audience = q->conf->audience,
        .subject = tokens->user[CAT_USER_ID],
        .session = tokens->session_id,
        .id = cat_id_make(q->pool, q->now),
        .username = tokens->user[CAT_USER_USERNAME],
        .role = tokens->role,
        .verified = tokens->verified,
        .issued = q->now,
        .expires = q->now + apr_time_from_sec(q->conf->token_ttl),
    };
    return claims.id ? cat_token_make(q->pool, cat_keyring_get(q->conf->keys, q->now, NULL), &claims) : NULL;
}

/* Browsers refuse a cookie with SameSite=None that is not Secure. */
static int is_secure(const cat_request_t *q)
{
    return q->secure || q->conf->cookie_same_site == CAT_SAME_SITE_NONE ||
           (q->conf->base_url && !strncmp(q->conf->base_url, "https:", 6));
}

/* The client sends the cookie to /auth only; scripts cannot read it; whether pages of other sites can send it depends on
 * SameSite (RFC 6265bis). */
static void set_cookie(cat_request_t *q, cat_answer_t *answer, const char *value, int max_age)
{
    static const char *const same_site[] = {"Strict", "Lax", "None"};

    cat_answer_header(answer, q->pool, "Set-Cookie",
                      apr_psprintf(q->pool,
                                   CAT_TOKEN_RESPONSE_COOKIE "=%s; Path=%s/auth; Max-Age=%d; HttpOnly; SameSite=%s%s",
                                   value, q->conf->mount_uri, max_age, same_site[q->conf->cookie_same_site],
                                   is_secure(q) ? "; Secure" : ""));
}

void cat_token_response_drop_cookie(cat_request_t *q, cat_answer_t *answer)
{
    set_cookie(q, answer, "", 0);
}

cat_answer_t *cat_token_response_answer(cat_request_t *q, int status, const char *message,
                                        const cat_token_response_t *tokens)
{
    cat_buffer_t b;
    cat_answer_t *answer;
    const char *token = make_access_token(q, tokens);

    if (!token) {
        cat_log(q->log, CAT_LOG_ERROR, 0, "CAT013: an access token could not be created");
        return cat_answer_problem(q->pool, CAT_PROBLEM_INTERNAL, NULL);
    }
    cat_buffer_init(&b, q->pool, 1024);
    CAT_BUFFER_LITERAL(&b, "{\"success\":true");
    cat_json_add_member(&b, ",\"message\":", message);
    cat_json_add_member(&b, ",\"token\":", token);
    CAT_BUFFER_LITERAL(&b, ",\"tokenType\":\"Bearer\",\"expiresIn\":");
    cat_buffer_add_int(&b, q->conf->token_ttl);
    if (!tokens->cookie) {
        cat_json_add_member(&b, ",\"refreshToken\":", tokens->refresh_token);
    }
    CAT_BUFFER_LITERAL(&b, ",\"user\":");
    cat_fields_write(&b, cat_user_fields, CAT_USER_FIELDS, tokens->user);
    CAT_BUFFER_LITERAL(&b, "}");
    answer = cat_answer_text(q->pool, status, b.data, b.length);
    cat_answer_header(answer, q->pool, "Cache-Control", "no-store");
    if (tokens->cookie) {
        set_cookie(q, answer, tokens->refresh_token, q->conf->refresh_ttl);
    }
    return answer;
}

/* ---- description ---- */

static const cat_shape_t access_token = {.kind = CAT_SHAPE_TEXT, .example = "\"eyJhbGciOiJIUzI1NiIs...\""};
static const char *const token_types[] = {"Bearer", NULL};
static const cat_text_rule_t type_rule = {.words = token_types};
static const cat_shape_t token_type = {.kind = CAT_SHAPE_TEXT, .example = "\"Bearer\"", .rule = &type_rule};
static const cat_shape_t seconds = {.kind = CAT_SHAPE_WHOLE, .example = "900"};
static const cat_shape_t refresh_token = {.kind = CAT_SHAPE_TEXT, .example = "\"qp7KEjtzVhWrsbecCbwK...\""};
static const cat_member_t members[] = {
    CAT_MEMBER_SUCCESS,
    CAT_MEMBER_MESSAGE,
    {"token", &access_token, CAT_ALWAYS, "The access token, a JWT, to be sent as `Authorization: Bearer ...`"},
    {"tokenType", &token_type, CAT_ALWAYS, "`Bearer`"},
    {"expiresIn", &seconds, CAT_ALWAYS, "For how many seconds the access token is valid"},
    {"refreshToken", &refresh_token, CAT_USUALLY, "What the next pair of tokens is got with; absent if it is a cookie"},
    {"user", &cat_user_shape, CAT_ALWAYS, "Who has signed in"},
    CAT_MEMBER_END,
};
const cat_shape_t cat_token_response_shape = {.kind = CAT_SHAPE_OBJECT, .name = "Tokens", .members = members};
