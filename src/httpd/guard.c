/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides in the access checker whether a request may use its route, but only records a refusal; the handler sends it.
 * If the hook itself refused the request, "Satisfy Any" would overrule the hook, and httpd would send its own text.
 *
 * Where a mount hides fields or products from readers (catalogue/query/visible.h), routes for CAT_READER verify the
 * token of a request that has one. An invalid token is refused as on all other routes (RFC 6750, 3.1), because its
 * sender asked as a user: an answer without the hidden products would tell a program whose token has expired that these
 * products are gone. Where nothing is hidden, these routes ignore the token, because it makes no difference.
 */
#include "httpd/guard.h"

#include <http_log.h>

#include "http/challenge.h"
#include "http/route.h"
#include "httpd/authz.h"
#include "httpd/identity.h"
#include "httpd/log.h"
#include "jose/token.h"

APLOG_USE_MODULE(catalog);

static cat_answer_t *refuse_access(request_rec *r, const cat_state_t *state, cat_problem_t problem, const char *code,
                                   const char *reason)
{
    return cat_challenge_refuse(r->pool, state->conf, problem, code, reason);
}

/* Refuses a user who lacks the right to use the route. A user of another issuer has no account here, even if the id is
 * that of a local user. */
static cat_answer_t *check_right(request_rec *r, const cat_state_t *state)
{
    cat_access_t who = state->match.route->who;

    if (who == CAT_READER) {
        return NULL;
    }
    if (who != CAT_WRITER && state->user->is_key) {
        return refuse_access(r, state, CAT_PROBLEM_SCOPE, "insufficient_scope",
                             "the token is a key, which is for products, not for accounts");
    }
    if (who != CAT_WRITER && !state->user->session) {
        return refuse_access(r, state, CAT_PROBLEM_SCOPE, "insufficient_scope",
                             "the token is of another issuer, whose users have no account here");
    }
    if ((who == CAT_WRITER && !cat_identity_may_write(state->user, state->conf)) ||
        (who == CAT_ADMIN && cat_identity_role(state->user) != CAT_ROLE_ADMIN)) {
        return cat_challenge_refuse_role(r->pool, state->conf);
    }
    return NULL;
}

/* Sets r->user only under the module's AuthType: under another one, "Require valid-user" means the site's users. */
static void attach_user(request_rec *r, const cat_claims_t *claims)
{
    if (cat_authz_site_authenticates(r)) {
        cat_identity_attach(r, claims);
    } else {
        cat_identity_attach_user(r, claims);
    }
}

static cat_problem_t find_token_problem(cat_identity_t identity)
{
    switch (identity) {
    case CAT_REFUSED_TOO_LONG:
        return CAT_PROBLEM_TOKEN_TOO_LONG;
    case CAT_REFUSED_MALFORMED:
        return CAT_PROBLEM_TOKEN_MALFORMED;
    case CAT_REFUSED_EXPIRED:
        return CAT_PROBLEM_TOKEN_EXPIRED;
    case CAT_REFUSED_ENDED:
        return CAT_PROBLEM_TOKEN_REVOKED;
    default:
        return CAT_PROBLEM_TOKEN_INVALID;
    }
}

static cat_answer_t *identify_user(request_rec *r, cat_state_t *state)
{
    const char *reason;
    cat_identity_t identity;

    /* A CatalogVisible that cannot be used, which the checks of the configuration did not find. */
    if (state->conf->fault) {
        return cat_answer_problem(r->pool, CAT_PROBLEM_UNABLE, NULL);
    }
    identity = cat_identity_find(r, state->conf, &state->user, &reason);

    switch (identity) {
    case CAT_KNOWN:
        attach_user(r, state->user);
        return check_right(r, state);
    case CAT_ANONYMOUS:
        return state->match.route->who == CAT_READER ? NULL
                                                     : refuse_access(r, state, CAT_PROBLEM_UNAUTHORIZED, NULL, NULL);
    case CAT_MALFORMED:
        return refuse_access(r, state, CAT_PROBLEM_TOKEN_REQUEST, "invalid_request", reason);
    case CAT_BUSY:
        return cat_answer_problem(r->pool, CAT_PROBLEM_UNAVAILABLE, NULL);
    case CAT_UNDECIDED:
        return cat_answer_problem(r->pool, CAT_PROBLEM_DATABASE, NULL);
    default:
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r, "CAT021: token refused: %s: %s", reason, cat_log_name_request(r));
        return refuse_access(r, state, find_token_problem(identity), "invalid_token", reason);
    }
}

cat_answer_t *cat_guard_refusal(request_rec *r, cat_state_t *state)
{
    if (!state->guarded) {
        state->guarded = 1;
        if (state->match.route && cat_route_takes_token(state->match.route, state->conf)) {
            state->refusal = identify_user(r, state);
        }
    }
    return state->refusal;
}

int cat_guard_check(request_rec *r)
{
    cat_state_t *state = cat_mount_state(r);
    if (state && !cat_authz_site_authenticates(r)) {
        cat_guard_refusal(r, state);
    }
    return DECLINED;
}
