/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access tokens outside mounts: "AuthType Catalog" with Require, in any section of the site. The hooks verify the token
 * as the API does (httpd/identity.h) and tell httpd the user. httpd/require.c checks the sections in which Require is
 * used.
 */
#include "httpd/authz.h"

#include <ap_provider.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_log.h>
#include <http_request.h>
#include <mod_auth.h>

#include "accounts/role.h"
#include "http/challenge.h"
#include "http/header.h"
#include "httpd/conf.h"
#include "httpd/identity.h"
#include "httpd/require.h"
#include "jose/token.h"
#include "lib/conf.h"

APLOG_USE_MODULE(catalog);

/* Administrators write "Catalog". "Bearer", the scheme that clients see, means the same. */
int cat_authz_is_ours(const char *type)
{
    return type && (!strcasecmp(type, "Catalog") || !strcasecmp(type, "Bearer"));
}

int cat_authz_site_authenticates(request_rec *r)
{
    const char *type = ap_auth_type(r);
    return type && !cat_authz_is_ours(type);
}

static void add_challenge(request_rec *r, const char *code, const char *reason)
{
    const char *realm = ap_auth_name(r);
    apr_table_setn(r->err_headers_out, "WWW-Authenticate",
                   cat_challenge_format(r->pool, realm ? realm : ap_get_server_name(r), code, reason));
}

int cat_authz_authenticate(request_rec *r)
{
    const char *type = ap_auth_type(r);
    const cat_conf_t *conf = cat_conf_get(r->per_dir_config);
    const cat_claims_t *claims;
    const char *reason;

    if (!cat_authz_is_ours(type)) {
        return DECLINED;
    }
    if (!conf->keys) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r,
                      "CAT042: AuthType Catalog has no signing key here; set CatalogKeyFile or CatalogKeyDir");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    switch (cat_identity_find(r, conf, &claims, &reason)) {
    case CAT_KNOWN:
        cat_identity_attach_user(r, claims);
        return OK;
    case CAT_ANONYMOUS:
        add_challenge(r, NULL, NULL);
        return HTTP_UNAUTHORIZED;
    case CAT_MALFORMED:
        add_challenge(r, "invalid_request", reason);
        return HTTP_BAD_REQUEST;
    case CAT_BUSY:
    case CAT_UNDECIDED:
        return HTTP_SERVICE_UNAVAILABLE;
    default:
        add_challenge(r, "invalid_token", reason);
        return HTTP_UNAUTHORIZED;
    }
}

int cat_authz_authorize(request_rec *r)
{
    const apr_array_header_t *hooks = ap_hook_get_auth_checker();
    int result = DECLINED;

    if (!cat_authz_is_ours(ap_auth_type(r)) || !cat_identity_claims(r)) {
        return DECLINED;
    }
    for (int i = 0; i < hooks->nelts && result == DECLINED; i++) {
        ap_HOOK_auth_checker_t *check = APR_ARRAY_IDX(hooks, i, ap_LINK_auth_checker_t).pFunc;
        result = check == cat_authz_authorize ? DECLINED : check(r);
    }
    return result == HTTP_UNAUTHORIZED ? HTTP_FORBIDDEN : result;
}

int cat_authz_note_failure(request_rec *r, const char *auth_type)
{
    if (!cat_authz_is_ours(auth_type)) {
        return DECLINED;
    }
    if (cat_identity_claims(r)) {
        add_challenge(r, "insufficient_scope", "the user may not access this");
    } else if (!apr_table_get(r->err_headers_out, "WWW-Authenticate")) {
        add_challenge(r, NULL, NULL);
    }
    return OK;
}

/* Returns the claims of the request's token, or NULL if no valid token was sent. Verifies the token here under another
 * module's AuthType, where guard.c has not verified it. */
static const cat_claims_t *find_claims(request_rec *r)
{
    const cat_conf_t *conf = cat_conf_get(r->per_dir_config);
    const cat_claims_t *claims = cat_identity_claims(r);
    const char *reason;

    if (claims || !conf->keys || !cat_authz_site_authenticates(r)) {
        return claims;
    }
    if (cat_identity_find(r, conf, &claims, &reason) != CAT_KNOWN) {
        return NULL;
    }
    cat_identity_attach(r, claims);
    return claims;
}

static authz_status check_role(request_rec *r, const char *line, const void *)
{
    const cat_claims_t *claims = find_claims(r);
    const char *word, *rest = line;

    if (!claims) {
        return AUTHZ_DENIED_NO_USER;
    }
    while (*(word = ap_getword_conf(r->pool, &rest))) {
        cat_role_t wanted;
        if (cat_role_parse(word, &wanted) && cat_identity_role(claims) >= wanted) {
            return AUTHZ_GRANTED;
        }
    }
    return AUTHZ_DENIED;
}

static const char *parse_roles(cmd_parms *cmd, const char *line, const void **parsed)
{
    const char *word, *rest = line;
    cat_role_t role;

    *parsed = NULL;
    if (!*line) {
        return "Require catalog-role requires a role: " CAT_ROLE_NAMES_TEXT;
    }
    while (*(word = ap_getword_conf(cmd->temp_pool, &rest))) {
        if (!cat_role_parse(word, &role)) {
            return apr_psprintf(cmd->pool, "Require catalog-role: '%s' is not a role; use " CAT_ROLE_NAMES_TEXT, word);
        }
    }
    return cat_require_check(cmd, "catalog-role");
}

static authz_status check_verified(request_rec *r, const char *, const void *)
{
    const cat_claims_t *claims = find_claims(r);
    return !claims ? AUTHZ_DENIED_NO_USER : claims->verified ? AUTHZ_GRANTED : AUTHZ_DENIED;
}

static const char *parse_nothing(cmd_parms *cmd, const char *line, const void **parsed)
{
    *parsed = NULL;
    return *line ? "Require catalog-verified takes no argument" : cat_require_check(cmd, "catalog-verified");
}

static const authz_provider role_provider = {check_role, parse_roles};
static const authz_provider verified_provider = {check_verified, parse_nothing};

void cat_authz_register_providers(apr_pool_t *pool)
{
    ap_register_auth_provider(pool, AUTHZ_PROVIDER_GROUP, "catalog-role", AUTHZ_PROVIDER_VERSION, &role_provider,
                              AP_AUTH_INTERNAL_PER_CONF);
    ap_register_auth_provider(pool, AUTHZ_PROVIDER_GROUP, "catalog-verified", AUTHZ_PROVIDER_VERSION,
                              &verified_provider, AP_AUTH_INTERNAL_PER_CONF);
}
