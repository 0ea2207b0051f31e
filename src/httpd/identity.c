/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/identity.h"

#include <apr_strings.h>
#include <http_log.h>
#include <string.h>

#include "db/session.h"
#include "httpd/lifecycle.h"
#include "httpd/log.h"
#include "lib/header.h"

APLOG_USE_MODULE(catalog);

#define CLAIMS_KEY "catalog:claims"

/* Our own, and those of CatalogTrust. */
#define TRUSTS_MAX (1 + CAT_TRUSTS_MAX)

static const cat_keys_t *own_keys(request_rec *r, const cat_conf_t *conf)
{
    const char *fault;
    const cat_keys_t *keys = cat_keyring_get(conf->keys, r->request_time, &fault);

    if (fault) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "CAT041: the keys stay as they were: %s", fault);
    }
    return keys;
}

static int list_trusts(const cat_conf_t *conf, const cat_keys_t *keys, cat_trust_t trusts[TRUSTS_MAX])
{
    int count = 1;

    trusts[0] = (cat_trust_t){.issuer = conf->issuer, .audience = conf->audience, .keys = keys};
    for (const cat_trust_chain_t *t = conf->trusts; t; t = t->next) {
        trusts[count++] = t->trust;
    }
    return count;
}

/* Mounts may share keys without sharing issuer and audience, so what was remembered is held against these. */
static const cat_claims_t *recall(request_rec *r, const cat_trust_t *trusts, int count, const char *token)
{
    cat_tokens_seen_t *seen = cat_lifecycle_server(r->server)->seen;

    for (int i = 0; i < count; i++) {
        const cat_claims_t *claims = cat_tokens_seen_find(seen, r->pool, trusts[i].keys, r->request_time, token);
        if (claims && !strcmp(claims->issuer, trusts[i].issuer) && !strcmp(claims->audience, trusts[i].audience)) {
            return claims;
        }
    }
    return NULL;
}

static cat_identity_t ask_database(request_rec *r, const cat_conf_t *conf, cat_source_t *source, const char *session)
{
    cat_db_t *db = cat_db_make(r->pool, conf, source, cat_log_for_request(r));
    apr_status_t rv = cat_session_check(db, session);

    cat_db_release(db);
    return rv == APR_SUCCESS ? CAT_KNOWN : rv == APR_EEXIST ? CAT_REFUSED : CAT_UNDECIDED;
}

/* Is the token's session over, though the token is not? */
static cat_identity_t check_session(request_rec *r, const cat_conf_t *conf, const cat_claims_t *claims)
{
    const cat_server_t *server = cat_lifecycle_server(r->server);
    cat_source_t *source = cat_lifecycle_source(r->server, conf);
    int has_source = source && source->mutex; /* where no mount stands, no child opens it */
    cat_revoked_state_t state;

    if (!claims->session) {
        return CAT_KNOWN;
    }
    state = cat_revoked_find(server->revoked, claims->session, r->request_time);
    if (state == CAT_REVOKED_NO && has_source && !source->revocations_known) {
        state = CAT_REVOKED_UNKNOWN; /* this child could not read them yet */
    }
    if (state == CAT_REVOKED_UNKNOWN) {
        return has_source ? ask_database(r, conf, source, claims->session) : CAT_UNDECIDED;
    }
    return state == CAT_REVOKED_YES ? CAT_REFUSED : CAT_KNOWN;
}

cat_identity_t cat_identity_find(request_rec *r, const cat_conf_t *conf, const cat_claims_t **claims,
                                 const char **reason)
{
    cat_trust_t trusts[TRUSTS_MAX];
    const char *token;
    int count;

    switch (cat_header_bearer(r->pool, apr_table_get(r->headers_in, "Authorization"), &token)) {
    case CAT_BEARER_NONE:
        return CAT_ANONYMOUS;
    case CAT_BEARER_MALFORMED:
        *reason = "the Authorization header is malformed";
        return CAT_MALFORMED;
    default:
        break;
    }
    count = list_trusts(conf, own_keys(r, conf), trusts);
    *claims = recall(r, trusts, count, token);
    if (!*claims) {
        *reason = cat_token_verify(r->pool, trusts, count, r->request_time, token, claims);
        if (*reason) {
            return CAT_REFUSED;
        }
        cat_tokens_seen_add(cat_lifecycle_server(r->server)->seen, (*claims)->keys, token, *claims);
    }
    *reason = "The token's session has ended";
    return check_session(r, conf, *claims);
}

/* Another issuer's "ann" must not pass for ours, nor for who has that id here. */
static char *name_foreigner(apr_pool_t *pool, const cat_claims_t *claims)
{
    return apr_pstrcat(pool, claims->issuer, "#", claims->subject, NULL);
}

void cat_identity_attach(request_rec *r, const cat_claims_t *claims)
{
    int own = claims->session != NULL;
    const char *name = claims->username ? claims->username : claims->subject;

    r->user = own ? apr_pstrdup(r->pool, name) : name_foreigner(r->pool, claims);
    r->ap_auth_type = "Catalog";
    apr_table_setn(r->subprocess_env, "CATALOG_USER_ID", own ? claims->subject : r->user);
    apr_table_setn(r->subprocess_env, "CATALOG_ROLE", claims->role);
    apr_table_setn(r->subprocess_env, "CATALOG_VERIFIED", claims->verified ? "1" : "0");
    apr_pool_userdata_setn(claims, CLAIMS_KEY, NULL, r->pool);
}

const cat_claims_t *cat_identity_claims(request_rec *r)
{
    void *claims = NULL;
    apr_pool_userdata_get(&claims, CLAIMS_KEY, r->pool);
    return claims;
}

static const char *const roles[CAT_ROLE_COUNT] = {
    [CAT_ROLE_USER] = "user", [CAT_ROLE_EDITOR] = "editor", [CAT_ROLE_ADMIN] = "admin"};

int cat_identity_find_role(const char *name)
{
    for (int i = 0; i < CAT_ROLE_COUNT; i++) {
        if (!strcmp(roles[i], name)) {
            return i;
        }
    }
    return -1;
}

cat_role_t cat_identity_role(const cat_claims_t *claims)
{
    int role = cat_identity_find_role(claims->role);
    return role < 0 ? CAT_ROLE_USER : (cat_role_t)role;
}

int cat_identity_may_write(const cat_claims_t *claims, const cat_conf_t *conf)
{
    return claims && (int)cat_identity_role(claims) >= conf->write_role;
}

const char *cat_identity_challenge(request_rec *r, const char *realm, const char *code, const char *reason)
{
    const char *challenge = apr_psprintf(r->pool, "Bearer realm=\"%s\"", ap_escape_quotes(r->pool, realm));
    return code ? apr_psprintf(r->pool, "%s, error=\"%s\", error_description=\"%s\"", challenge, code, reason)
                : challenge;
}
