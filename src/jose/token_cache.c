/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens that this child has verified. The last bytes of a token choose its slot: they belong to the signature and are
 * as good as random. A new token overwrites the token in its slot. An entry contains the token itself, which is
 * compared as a whole, so the cache never takes one token for another.
 *
 *     | token | issuer NUL | audience NUL | subject NUL | ... |     the texts of an entry, with the offset of each
 */
#include "jose/token_cache.h"

#include <openssl/crypto.h>
#include <string.h>

#include <apr_strings.h>
#include <apr_thread_mutex.h>

#define MUTEXES 64
#define ROOM 1536 /* Bytes for a token and its claims. A signature by RSA of 4096 bits needs 1.4 KB. */

/* The texts of an entry's claims. An entry has the offset of each; the token comes first, so offset 0 can mean NULL. */
enum { ISSUER, AUDIENCE, SUBJECT, SESSION, ID, USERNAME, ROLE, TEXTS };

typedef struct entry_t {
    apr_time_t issued, expires;
    int is_key, verified;
    apr_uint16_t token_length;
    apr_uint16_t at[TEXTS];
    apr_uint16_t end;
    char text[ROOM]; /* The token, then the texts of the claims, each with its NUL. */
} entry_t;

struct cat_token_cache_t {
    int size;
    apr_thread_mutex_t *mutexes[MUTEXES]; /* Each guards the slots whose numbers differ by multiples of MUTEXES. */
    /* Keys of each entry. NULL if the slot is free. No set of keys is freed before the child ends. */
    const cat_keys_t **keys;
    entry_t *entries; /* Not in one array with `keys`, because zeroing that would touch all of this memory. */
};

apr_status_t cat_token_cache_create(cat_token_cache_t **cache, apr_pool_t *pool, int size)
{
    cat_token_cache_t *s = apr_palloc(pool, sizeof(*s));

    s->size = size;
    s->keys = apr_pcalloc(pool, (apr_size_t)size * sizeof(*s->keys));
    s->entries = apr_palloc(pool, (apr_size_t)size * sizeof(*s->entries));
    for (int i = 0; i < MUTEXES; i++) {
        apr_status_t rv = apr_thread_mutex_create(&s->mutexes[i], APR_THREAD_MUTEX_DEFAULT, pool);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    *cache = s;
    return APR_SUCCESS;
}

/* The last bytes of a token belong to its signature and are as good as random. */
static int find_slot(const cat_token_cache_t *cache, const char *token, apr_size_t length)
{
    apr_uint64_t tail = 0;
    apr_size_t size = length < sizeof(tail) ? length : sizeof(tail);

    memcpy(&tail, token + length - size, size);
    tail *= APR_UINT64_C(0x9E3779B97F4A7C15);
    return (int)((tail >> 32) * (apr_uint64_t)cache->size >> 32);
}

static const char *text_at(const entry_t *entry, int which, const char *copy)
{
    return entry->at[which] ? copy + entry->at[which] - entry->token_length : NULL;
}

static const cat_claims_t *copy_claims(apr_pool_t *pool, const entry_t *entry, const cat_keys_t *keys)
{
    const char *copy =
        apr_pmemdup(pool, entry->text + entry->token_length, (apr_size_t)(entry->end - entry->token_length));
    cat_claims_t *claims = apr_palloc(pool, sizeof(*claims));

    *claims = (cat_claims_t){
        .issuer = text_at(entry, ISSUER, copy),
        .audience = text_at(entry, AUDIENCE, copy),
        .subject = text_at(entry, SUBJECT, copy),
        .session = text_at(entry, SESSION, copy),
        .id = text_at(entry, ID, copy),
        .username = text_at(entry, USERNAME, copy),
        .role = text_at(entry, ROLE, copy),
        .is_key = entry->is_key,
        .verified = entry->verified,
        .issued = entry->issued,
        .expires = entry->expires,
        .keys = keys,
    };
    return claims;
}

const cat_claims_t *cat_token_cache_find(cat_token_cache_t *cache, apr_pool_t *pool, const cat_keys_t *keys,
                                         apr_time_t now, const char *token)
{
    apr_size_t length = strlen(token);
    int slot = find_slot(cache, token, length);
    const entry_t *entry = &cache->entries[slot];
    const cat_claims_t *claims = NULL;

    apr_thread_mutex_lock(cache->mutexes[slot % MUTEXES]);
    if (cache->keys[slot] == keys && entry->token_length == length &&
        now < entry->expires + apr_time_from_sec(CAT_TOKEN_LEEWAY) && CRYPTO_memcmp(entry->text, token, length) == 0) {
        claims = copy_claims(pool, entry, keys);
    }
    apr_thread_mutex_unlock(cache->mutexes[slot % MUTEXES]);
    return claims;
}

static void write_entry(entry_t *entry, const char *token, apr_size_t length, const cat_claims_t *claims,
                        const char *const *texts)
{
    apr_size_t end = length;

    memcpy(entry->text, token, length);
    for (int i = 0; i < TEXTS; i++) {
        apr_size_t size = texts[i] ? strlen(texts[i]) + 1 : 0;
        entry->at[i] = texts[i] ? (apr_uint16_t)end : 0;
        memcpy(entry->text + end, texts[i] ? texts[i] : "", size);
        end += size;
    }
    entry->token_length = (apr_uint16_t)length;
    entry->end = (apr_uint16_t)end;
    entry->is_key = claims->is_key;
    entry->verified = claims->verified;
    entry->issued = claims->issued;
    entry->expires = claims->expires;
}

void cat_token_cache_add(cat_token_cache_t *cache, const cat_keys_t *keys, const char *token,
                         const cat_claims_t *claims)
{
    const char *const texts[TEXTS] = {claims->issuer, claims->audience, claims->subject, claims->session,
                                      claims->id,     claims->username, claims->role};
    apr_size_t length = strlen(token), needed = length;
    int slot = find_slot(cache, token, length);

    for (int i = 0; i < TEXTS; i++) {
        needed += texts[i] ? strlen(texts[i]) + 1 : 0;
    }
    if (needed > ROOM) {
        return;
    }
    apr_thread_mutex_lock(cache->mutexes[slot % MUTEXES]);
    write_entry(&cache->entries[slot], token, length, claims, texts);
    cache->keys[slot] = keys;
    apr_thread_mutex_unlock(cache->mutexes[slot % MUTEXES]);
}
