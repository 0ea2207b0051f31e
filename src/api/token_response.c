/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The response with an access token and a refresh token, and the cookie that may carry the refresh token.
 *
 * Over TLS, the name of the cookie begins with __Host-. Browsers accept such a cookie only from the host itself, with
 * Secure, without Domain and with Path=/ (RFC 6265bis 4.1.3.2). So another host of the same domain cannot set a cookie
 * with its own session in a visitor's browser. The path is the same for all mounts, so the name ends with the mount's
 * path: __Host-catalog_refresh%2fapi.
 *
 * Without TLS, browsers refuse the prefix. Then the cookie is catalog_refresh, with the mount's /auth as its path, and
 * any host of the domain can set a second cookie of this name. Nothing shows which of two cookies is ours, so a request
 * with two is refused, and the response deletes both.
 */
#include "api/token_response.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <string.h>

#include "accounts/role.h"
#include "accounts/user.h"
#include "http/header.h"
#include "jose/keyring.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/log.h"

#define COOKIE "catalog_refresh"

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

/* ---- the cookie ---- */

/* Returns true if the cookie is Secure. Browsers refuse a cookie with SameSite=None that is not. */
static int is_secure(const cat_conf_t *conf, int tls)
{
    return tls || conf->cookie_same_site == CAT_SAME_SITE_NONE ||
           (conf->base_url && !strncmp(conf->base_url, "https:", 6));
}

const char *cat_token_response_cookie(apr_pool_t *pool, const cat_conf_t *conf, int tls)
{
    return is_secure(conf, tls) ? apr_pstrcat(pool, "__Host-" COOKIE, apr_pescape_urlencoded(pool, conf->mount), NULL)
                                : COOKIE;
}

/* Path and domain of a cookie. */
typedef struct place_t {
    const char *path;
    const char *domain; /* NULL if the cookie belongs to the host alone. */
} place_t;

/* Adds a Set-Cookie header. Scripts cannot read the cookie; SameSite decides whether requests from other sites' pages
 * carry it (RFC 6265bis). A max_age of 0 deletes the cookie. */
static void set_cookie(cat_request_t *q, cat_answer_t *answer, place_t place, const char *value, int max_age)
{
    static const char *const same_site[] = {"Strict", "Lax", "None"};
    const char *domain = place.domain ? apr_pstrcat(q->pool, "; Domain=", place.domain, NULL) : "";

    cat_answer_header(answer, q->pool, "Set-Cookie",
                      apr_psprintf(q->pool, "%s=%s; Path=%s%s; Max-Age=%d; HttpOnly; SameSite=%s%s",
                                   cat_token_response_cookie(q->pool, q->conf, q->secure), value, place.path, domain,
                                   max_age, same_site[q->conf->cookie_same_site],
                                   is_secure(q->conf, q->secure) ? "; Secure" : ""));
}

static place_t find_place(const cat_request_t *q)
{
    return (place_t){.path =
                         is_secure(q->conf, q->secure) ? "/" : apr_pstrcat(q->pool, q->conf->mount_uri, "/auth", NULL)};
}

/* Returns the domain without its first label, for which another host could set a cookie, or NULL if only one label
 * would be left. */
static const char *find_parent(const char *domain)
{
    const char *dot = strchr(domain, '.');

    return dot && strchr(dot + 1, '.') ? dot + 1 : NULL;
}

/* Deletes the cookies of a path: the host's own cookie, and the cookies of its domain and of the domains above. */
static void drop_cookies_of_path(cat_request_t *q, cat_answer_t *answer, const char *path)
{
    set_cookie(q, answer, (place_t){path, NULL}, "", 0);
    for (const char *domain = q->host; domain; domain = find_parent(domain)) {
        set_cookie(q, answer, (place_t){path, domain}, "", 0);
    }
}

/* Deletes the cookies of all paths that the request's path begins with. A browser deletes a cookie only if path and
 * domain are the same as when it was set, and sends a cookie only if the request's path begins with the cookie's
 * path. */
static void drop_all_cookies(cat_request_t *q, cat_answer_t *answer)
{
    const char *path = apr_pstrcat(q->pool, q->conf->mount_uri, q->route->path, NULL);

    for (const char *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
        if (end > path) {
            drop_cookies_of_path(q, answer, apr_pstrmemdup(q->pool, path, (apr_size_t)(end - path)));
        }
        drop_cookies_of_path(q, answer, apr_pstrmemdup(q->pool, path, (apr_size_t)(end + 1 - path)));
    }
    drop_cookies_of_path(q, answer, path);
}

const char *cat_token_response_read_cookie(const cat_request_t *q, int *is_repeated)
{
    return cat_header_cookie(q->pool, q->cookies, cat_token_response_cookie(q->pool, q->conf, q->secure), is_repeated);
}

void cat_token_response_drop_cookie(cat_request_t *q, cat_answer_t *answer)
{
    int is_repeated;

    cat_token_response_read_cookie(q, &is_repeated);
    if (is_repeated && !is_secure(q->conf, q->secure)) {
        drop_all_cookies(q, answer);
    } else {
        set_cookie(q, answer, find_place(q), "", 0);
    }
}

/* ---- the response ---- */

static void add_user(cat_buffer_t *b, const cat_request_t *q, const cat_token_response_t *tokens)
{
    const char *const *user = tokens->user;

    if (!tokens->tells_role) {
        cat_fields_write(b, cat_user_fields, CAT_USER_FIELDS, user);
        return;
    }
    cat_fields_write(b, cat_user_profile_fields, CAT_USER_PROFILE_FIELDS,
                     (const char *const[CAT_USER_PROFILE_FIELDS]){
                         user[CAT_USER_ID], user[CAT_USER_USERNAME], user[CAT_USER_EMAIL], tokens->verified ? "1" : "0",
                         tokens->role, cat_role_includes(tokens->role, q->conf->write_role) ? "1" : "0",
                         user[CAT_USER_CREATED_AT]});
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
    add_user(&b, q, tokens);
    CAT_BUFFER_LITERAL(&b, "}");
    answer = cat_answer_text(q->pool, status, b.data, b.length);
    if (tokens->cookie) {
        set_cookie(q, answer, find_place(q), tokens->refresh_token, q->conf->refresh_ttl);
    }
    return answer;
}

/* ---- description ---- */

static const cat_shape_t access_token = {.kind = CAT_SHAPE_TEXT, .example = "\"eyJhbGciOiJIUzI1NiIs...\""};
static const char *const token_types[] = {"Bearer", NULL};
static const cat_text_rule_t type_rule = {.words = token_types};
static const cat_shape_t token_type = {.kind = CAT_SHAPE_TEXT, .rule = &type_rule};
static const cat_shape_t seconds = {.kind = CAT_SHAPE_WHOLE, .example = "900"};
static const cat_shape_t refresh_token = {.kind = CAT_SHAPE_TEXT, .example = "\"qp7KEjtzVhWrsbecCbwK...\""};

/* `user` is the shape of the member user. */
#define MEMBERS(user)                                                                                                  \
    {CAT_MEMBER_SUCCESS,                                                                                               \
     CAT_MEMBER_MESSAGE,                                                                                               \
     {"token", &access_token, CAT_ALWAYS, "The access token, a JWT, to be sent as `Authorization: Bearer ...`"},       \
     {"tokenType", &token_type, CAT_ALWAYS, "`Bearer`"},                                                               \
     {"expiresIn", &seconds, CAT_ALWAYS, "For how many seconds the access token is valid"},                            \
     {"refreshToken", &refresh_token, CAT_USUALLY,                                                                     \
      "What the next pair of tokens is requested with; absent if it is a cookie"},                                     \
     {"user", user, CAT_ALWAYS, "Who has signed in"},                                                                  \
     CAT_MEMBER_END}
static const cat_member_t members[] = MEMBERS(&cat_user_profile_shape);
static const cat_member_t registered_members[] = MEMBERS(&cat_user_shape);

const cat_shape_t cat_token_response_shape = {.kind = CAT_SHAPE_OBJECT, .name = "Tokens", .members = members};
const cat_shape_t cat_token_response_shape_registered = {
    .kind = CAT_SHAPE_OBJECT, .name = "Registered", .members = registered_members};
