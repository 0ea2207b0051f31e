/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identifies the user of a request by the bearer token.
 *
 *     a token in this child's cache, verified with the same keys   costs one comparison
 *     any other token              is parsed, its iss and aud select the trust, and its signature is verified
 *     every token, each time       must have the issuer and audience of this mount, and its session must not have ended
 *     an API key, each time        needs its row, which was read within CatalogRevocationDelay (accounts/key_states.h)
 */
#include "httpd/identity.h"

#include <apr_strings.h>
#include <http_log.h>
#include <string.h>

#include "accounts/session.h"
#include "db/db.h"
#include "http/header.h"
#include "httpd/log.h"
#include "httpd/server.h"
#include "httpd/signals.h"
#include "jose/keyring.h"
#include "shm/revoked.h"

APLOG_USE_MODULE(catalog);

#define CLAIMS_KEY "catalog:claims"

/* This mount's own issuer, and the issuers of CatalogTrust. */
#define TRUSTS_MAX (1 + CAT_TRUSTS_MAX)

static const cat_keys_t *own_keys(request_rec *r, const cat_conf_t *conf)
{
    const char *fault;
    const cat_keys_t *keys = cat_keyring_get(conf->keys, r->request_time, &fault);

    if (fault) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r,
                      "CAT041: CatalogKeyDir cannot be used, so the previous signing keys stay in use: %s", fault);
    }
    return keys;
}

static int list_trusts(const cat_conf_t *conf, const cat_keys_t *keys, cat_trust_t trusts[TRUSTS_MAX])
{
    int count = 1;

    trusts[0] =
        (cat_trust_t){.issuer = conf->issuer, .audience = conf->audience, .keys = keys, .roles = cat_role_names};
    for (const cat_trust_chain_t *t = conf->trusts; t; t = t->next) {
        trusts[count++] = t->trust;
    }
    return count;
}

/* Returns the cached claims of the token, or NULL. Compares issuer and audience of the claims with those of this mount,
 * because mounts may share signing keys without sharing issuer and audience. */
static const cat_claims_t *recall_claims(request_rec *r, const cat_trust_t *trusts, int count, const char *token)
{
    cat_token_cache_t *seen = cat_server_get(r->server)->seen;

    for (int i = 0; i < count; i++) {
        const cat_claims_t *claims = cat_token_cache_find(seen, r->pool, trusts[i].keys, r->request_time, token);
        if (claims && !strcmp(claims->issuer, trusts[i].issuer) && !strcmp(claims->audience, trusts[i].audience)) {
            return claims;
        }
    }
    return NULL;
}

static cat_identity_t classify_status(apr_status_t rv)
{
    switch (rv) {
    case APR_SUCCESS:
        return CAT_KNOWN;
    case CAT_EBUSY:
    case CAT_ENOTREADY:
        return CAT_BUSY;
    default:
        return CAT_UNDECIDED;
    }
}

static cat_identity_t ask_database(request_rec *r, const cat_conf_t *conf, cat_source_t *source, const char *session)
{
    cat_db_t *db = cat_db_make(r->pool, conf, source, cat_log_for_request(r));
    int is_ended;
    apr_status_t rv = cat_session_check(db, session, &is_ended);

    cat_db_release(db);
    return rv == APR_SUCCESS && is_ended ? CAT_REFUSED_ENDED : classify_status(rv);
}

/* Finds out whether the session of a token has ended, although the token has not expired. */
static cat_identity_t check_session(request_rec *r, const cat_conf_t *conf, const cat_claims_t *claims)
{
    const cat_server_t *server = cat_server_get(r->server);
    cat_source_t *source = cat_server_source(r->server, conf);
    int has_source = source && source->mutex; /* Children do not open a source that no mount uses. */
    apr_time_t read_at;
    cat_revoked_state_t state;

    if (!claims->session) {
        return CAT_KNOWN;
    }
    read_at = has_source ? cat_source_revocations_at(source) : r->request_time;
    state = cat_revoked_find(server->revoked, claims->session, r->request_time);
    if (state == CAT_REVOKED_NO &&
        !cat_revoked_is_current(read_at, apr_time_from_sec(conf->revocation_delay), r->request_time)) {
        state = CAT_REVOKED_UNKNOWN;
    }
    if (state == CAT_REVOKED_UNKNOWN) {
        return has_source ? ask_database(r, conf, source, claims->session) : CAT_UNDECIDED;
    }
    return state == CAT_REVOKED_YES ? CAT_REFUSED_ENDED : CAT_KNOWN;
}

/* Finds the rights of the API key in this child's memory or in the database. Asks the database if this server has
 * changed the key's user, because the child may have read the key before that change. */
static cat_identity_t find_key(request_rec *r, const cat_conf_t *conf, cat_source_t *source, const cat_key_use_t *use,
                               cat_key_state_t *state)
{
    const cat_server_t *server = cat_server_get(r->server);
    cat_revoked_state_t ended = cat_revoked_find(server->revoked, use->id, use->now);
    cat_revoked_state_t changed = cat_revoked_find(server->revoked, use->user_id, use->now);
    cat_db_t *db;
    apr_status_t rv;

    if (ended == CAT_REVOKED_YES) {
        *state = (cat_key_state_t){0};
        return CAT_KNOWN;
    }
    if (ended == CAT_REVOKED_NO && changed == CAT_REVOKED_NO &&
        cat_key_states_find(server->keys, r->pool, use, apr_time_from_sec(conf->revocation_delay), state)) {
        return CAT_KNOWN;
    }
    db = cat_db_make(r->pool, conf, source, cat_log_for_request(r));
    rv = cat_key_states_read(server->keys, db, r->pool, use, state);
    cat_db_release(db);
    return classify_status(rv);
}

/* Refuses an expired API key, and any API key outside mounts: a section with AuthType Catalog guards pages that its
 * administrator meant for people. */
static cat_identity_t refuse_key(const cat_conf_t *conf, const cat_source_t *source, const cat_key_use_t *use,
                                 apr_time_t expires, const char **reason)
{
    if (!conf->enable || !source || !source->mutex) {
        *reason = "a key is for the API alone";
        return CAT_REFUSED;
    }
    /* There is no leeway, because only servers of this service create API keys, by their own clocks. */
    if (expires <= use->now) {
        *reason = cat_token_expired;
        return CAT_REFUSED_EXPIRED;
    }
    return CAT_KNOWN;
}

/* Checks an API key. Replaces *claims by claims with the current role, name and verification of its user. */
static cat_identity_t check_key(request_rec *r, const cat_conf_t *conf, const cat_claims_t **claims,
                                const char **reason)
{
    cat_source_t *source = cat_server_source(r->server, conf);
    cat_claims_t *now = apr_pmemdup(r->pool, *claims, sizeof(*now));
    const cat_key_use_t use = {now->session, now->subject, r->useragent_ip, source, apr_time_now()};
    cat_key_state_t state;
    cat_identity_t identity = refuse_key(conf, source, &use, now->expires, reason);

    if (identity != CAT_KNOWN) {
        return identity;
    }
    *reason = "the key has ended";
    identity = find_key(r, conf, source, &use, &state);
    if (identity != CAT_KNOWN || !state.is_live) {
        return identity == CAT_KNOWN ? CAT_REFUSED_ENDED : identity;
    }
    cat_key_states_record(cat_server_get(r->server)->keys, &use);
    now->role = cat_role_names[state.role];
    now->username = state.username;
    now->verified = state.verified;
    *claims = now;
    return CAT_KNOWN;
}

static cat_identity_t classify_reason(const char *reason)
{
    return reason == cat_token_too_long    ? CAT_REFUSED_TOO_LONG
           : reason == cat_token_malformed ? CAT_REFUSED_MALFORMED
           : reason == cat_token_expired   ? CAT_REFUSED_EXPIRED
                                           : CAT_REFUSED;
}

static cat_identity_t find_identity(request_rec *r, const cat_conf_t *conf, const cat_claims_t **claims,
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
    *claims = recall_claims(r, trusts, count, token);
    if (!*claims) {
        *reason = cat_token_verify(r->pool, trusts, count, r->request_time, token, claims);
        if (*reason) {
            return classify_reason(*reason);
        }
        cat_token_cache_add(cat_server_get(r->server)->seen, (*claims)->keys, token, *claims);
    }
    if ((*claims)->is_key) {
        return check_key(r, conf, claims, reason);
    }
    *reason = "the token's session has ended";
    return check_session(r, conf, *claims);
}

static void count_failure(const cat_metrics_t *metrics, cat_identity_t identity)
{
    static const cat_token_failure_t failures[] = {
        [CAT_MALFORMED] = CAT_TOKEN_REQUEST,           [CAT_BUSY] = CAT_TOKEN_UNDECIDED,
        [CAT_UNDECIDED] = CAT_TOKEN_UNDECIDED,         [CAT_REFUSED] = CAT_TOKEN_INVALID,
        [CAT_REFUSED_MALFORMED] = CAT_TOKEN_MALFORMED, [CAT_REFUSED_EXPIRED] = CAT_TOKEN_EXPIRED,
        [CAT_REFUSED_ENDED] = CAT_TOKEN_REVOKED,       [CAT_REFUSED_TOO_LONG] = CAT_TOKEN_TOO_LONG,
    };
    cat_metrics_add(metrics, CAT_METRIC_TOKEN_FAILURES, (int)failures[identity], 1);
}

cat_identity_t cat_identity_find(request_rec *r, const cat_conf_t *conf, const cat_claims_t **claims,
                                 const char **reason)
{
    cat_identity_t identity;

    cat_signals_block();
    identity = find_identity(r, conf, claims, reason);
    cat_signals_unblock();
    if (identity != CAT_KNOWN && identity != CAT_ANONYMOUS) {
        count_failure(cat_server_get(r->server)->metrics, identity);
    }
    return identity;
}

/* Names a user of another issuer, whose "ann" must not be taken for the local user with that name or id. */
static char *name_foreigner(apr_pool_t *pool, const cat_claims_t *claims)
{
    return apr_pstrcat(pool, claims->issuer, "#", claims->subject, NULL);
}

void cat_identity_attach(request_rec *r, const cat_claims_t *claims)
{
    apr_table_setn(r->subprocess_env, "CATALOG_USER_ID",
                   claims->session ? claims->subject : name_foreigner(r->pool, claims));
    apr_table_setn(r->subprocess_env, "CATALOG_ROLE", claims->role);
    apr_table_setn(r->subprocess_env, "CATALOG_VERIFIED", claims->verified ? "1" : "0");
    apr_pool_userdata_setn(claims, CLAIMS_KEY, NULL, r->pool);
}

void cat_identity_attach_user(request_rec *r, const cat_claims_t *claims)
{
    cat_identity_attach(r, claims);
    r->user = claims->session ? apr_pstrdup(r->pool, claims->username ? claims->username : claims->subject)
                              : name_foreigner(r->pool, claims);
    r->ap_auth_type = "Catalog";
}

const cat_claims_t *cat_identity_claims(request_rec *r)
{
    void *claims = NULL;
    apr_pool_userdata_get(&claims, CLAIMS_KEY, r->pool);
    return claims;
}

cat_role_t cat_identity_role(const cat_claims_t *claims)
{
    cat_role_t role;
    return cat_role_parse(claims->role, &role) ? role : CAT_ROLE_USER;
}

int cat_identity_may_write(const cat_claims_t *claims, const cat_conf_t *conf)
{
    return claims && cat_role_includes(claims->role, conf->write_role);
}
