/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/guard.h"

#include <apr_strings.h>
#include <http_core.h>
#include <http_log.h>

#include "lib/header.h"

APLOG_USE_MODULE(catalog);

/* RFC 6750, 3. The realm is the mount, which is unique within the host. reason: words of lib/token.c, without quotes. */
static cat_answer_t *refuse(request_rec *r, const cat_state_t *state, cat_problem_t problem, const char *code,
                            const char *reason)
{
    const char *realm = ap_escape_quotes(r->pool, *state->conf->mount ? state->conf->mount : "/");
    const char *challenge = apr_psprintf(r->pool, "Bearer realm=\"%s\"", realm);
    cat_answer_t *answer = cat_answer_problem(r->pool, problem, reason);

    if (code) {
        challenge = apr_psprintf(r->pool, "%s, error=\"%s\", error_description=\"%s\"", challenge, code, reason);
    }
    cat_answer_header(answer, r->pool, "WWW-Authenticate", challenge);
    return answer;
}

static void attach(request_rec *r, const cat_claims_t *user)
{
    r->user = apr_pstrdup(r->pool, user->subject);
    r->ap_auth_type = "Bearer";
    apr_table_setn(r->subprocess_env, "CATALOG_USER_ID", user->subject);
}

static cat_answer_t *identify(request_rec *r, cat_state_t *state)
{
    const cat_conf_t *conf = state->conf;
    const char *token, *reason;

    switch (cat_header_bearer(r->pool, apr_table_get(r->headers_in, "Authorization"), &token)) {
    case CAT_BEARER_NONE:
        return refuse(r, state, CAT_PROBLEM_UNAUTHORIZED, NULL, NULL);
    case CAT_BEARER_MALFORMED:
        return refuse(r, state, CAT_PROBLEM_TOKEN_REQUEST, "invalid_request", "the Authorization header is malformed");
    default:
        break;
    }
    reason = cat_token_verify(r->pool, conf->key, conf->issuer, conf->audience, r->request_time, token, &state->user);
    if (reason) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r, "CAT021: token refused: %s", reason);
        return refuse(r, state, CAT_PROBLEM_TOKEN_INVALID, "invalid_token", reason);
    }
    attach(r, state->user);
    return NULL;
}

const cat_answer_t *cat_guard_refusal(request_rec *r, cat_state_t *state)
{
    if (!state->guarded) {
        state->guarded = 1;
        if (state->match.route && state->match.route->who != CAT_ANYONE) {
            state->refusal = identify(r, state);
        }
    }
    return state->refusal;
}

int cat_guard_check(request_rec *r)
{
    cat_state_t *state = cat_mount_state(r);
    if (state) {
        cat_guard_refusal(r, state);
    }
    return DECLINED;
}

/* So that "AuthType Bearer" with "Require valid-user" closes a mount's open routes too. */
int cat_guard_authenticate(request_rec *r)
{
    cat_state_t *state = cat_mount_state(r);
    const char *type = ap_auth_type(r);
    const cat_answer_t *refusal;

    if (!state || !type || strcasecmp(type, "Bearer")) {
        return DECLINED;
    }
    refusal = state->user ? NULL : identify(r, state);
    if (!refusal) {
        return OK;
    }
    apr_table_setn(r->err_headers_out, "WWW-Authenticate", apr_table_get(refusal->headers, "WWW-Authenticate"));
    return refusal->status;
}
