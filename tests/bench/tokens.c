/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures what httpd/identity.c does with a bearer token, without the request: "tokens KEYFILE" prints as JSON the microseconds to
 * mint a token, to accept it the first time, and to accept it again.
 */
#include <apr_general.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "accounts/role.h"
#include "http/header.h"
#include "jose/keyring.h"
#include "jose/token_cache.h"

#define TRIES 200000
#define USER "01936f4e-7a00-7000-8000-000000000001"

static const cat_trust_t *trust_in(apr_pool_t *pool, const cat_keys_t *keys)
{
    cat_trust_t *trust = apr_palloc(pool, sizeof(*trust));
    *trust = (cat_trust_t){.issuer = "mod_catalog", .audience = "catalog", .keys = keys, .roles = cat_role_names};
    return trust;
}

static const char *make_header(apr_pool_t *pool, const cat_keys_t *keys, apr_time_t now)
{
    cat_claims_t claims = {.issuer = "mod_catalog",
                           .audience = "catalog",
                           .subject = USER,
                           .session = USER,
                           .id = USER,
                           .username = "ada",
                           .role = "user",
                           .issued = now,
                           .expires = now + apr_time_from_sec(900)};
    return apr_pstrcat(pool, "Bearer ", cat_token_make(pool, keys, &claims), NULL);
}

static void fail(const char *what)
{
    fprintf(stderr, "tokens: %s\n", what);
    exit(1);
}

/* Microseconds of CPU for each. */
static double since(clock_t start, int tries)
{
    return 1e6 * (double)(clock() - start) / CLOCKS_PER_SEC / tries;
}

static double mint(apr_pool_t *pool, const cat_keys_t *keys, int tries)
{
    apr_time_t now = apr_time_now();
    clock_t start = clock();
    apr_pool_t *p;

    apr_pool_create(&p, pool);
    for (int i = 0; i < tries; i++) {
        make_header(p, keys, now);
        apr_pool_clear(p);
    }
    return since(start, tries);
}

static double verify(apr_pool_t *pool, const cat_keys_t *keys, const char *header, int tries)
{
    const cat_trust_t *trust = trust_in(pool, keys);
    const cat_claims_t *claims;
    const char *token;
    apr_time_t now = apr_time_now();
    clock_t start = clock();
    apr_pool_t *p;

    apr_pool_create(&p, pool);
    for (int i = 0; i < tries; i++) {
        cat_header_bearer(p, header, &token);
        if (cat_token_verify(p, trust, 1, now, token, &claims)) {
            fail("the token was refused");
        }
        apr_pool_clear(p);
    }
    return since(start, tries);
}

static double recall(apr_pool_t *pool, cat_keyring_t *ring, cat_token_cache_t *seen, const char *header)
{
    apr_time_t now = apr_time_now();
    clock_t start = clock();
    const char *token;
    apr_pool_t *p;

    apr_pool_create(&p, pool);
    for (int i = 0; i < TRIES; i++) {
        const cat_claims_t *claims;
        cat_header_bearer(p, header, &token);
        claims = cat_token_cache_find(seen, p, cat_keyring_get(ring, now, NULL), now, token);
        if (!claims || strcmp(claims->issuer, "mod_catalog") || strcmp(claims->audience, "catalog")) {
            fail("the token was forgotten");
        }
        apr_pool_clear(p);
    }
    return since(start, TRIES);
}

int main(int argc, const char *const *argv)
{
    apr_pool_t *pool;
    cat_keyring_t *ring;
    cat_token_cache_t *seen;
    const cat_keys_t *keys;
    const cat_claims_t *claims;
    const char *header, *fault;
    double minted, first;

    apr_app_initialize(&argc, &argv, NULL);
    apr_pool_create(&pool, NULL);
    fault = argc == 2 ? cat_keyring_open_file(pool, argv[1], &ring) : "usage: tokens KEYFILE";
    if (fault) {
        fail(fault);
    }
    keys = cat_keyring_get(ring, apr_time_now(), NULL);
    header = make_header(pool, keys, apr_time_now());
    minted = mint(pool, keys, TRIES / 100);
    first = verify(pool, keys, header, TRIES / 100);
    cat_token_cache_create(&seen, pool, 2048);
    cat_token_verify(pool, trust_in(pool, keys), 1, apr_time_now(), header + strlen("Bearer "), &claims);
    cat_token_cache_add(seen, keys, header + strlen("Bearer "), claims);
    printf("{\"mint\":%.3f,\"first\":%.3f,\"again\":%.3f}\n", minted, first, recall(pool, ring, seen, header));
    return 0;
}
