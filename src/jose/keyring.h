/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_KEYRING_H
#define CAT_JOSE_KEYRING_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

#include "jose/key.h"

/*
 * The keys that a server signs and verifies with: one file, or a directory of which the newest file signs and all
 * verify. "Newest" is the latest modification time, then the name; a file that came or was changed less than two
 * seconds ago counts as the oldest, so that every child can verify with it before one signs. Where all came or were
 * changed so lately, the one signs that was the first. Directories, and files whose names begin with a dot or end in
 * "~", are passed over. No two keys may have the same id.
 */
typedef struct cat_keyring_t cat_keyring_t;

/* A set of keys as it was read once. Lives as long as the ring's pool. */
typedef struct cat_keys_t {
    const cat_key_t *const *all; /* the one that signs first, then the newest first */
    int count;                   /* at least 1 */
} cat_keys_t;

#define CAT_KEYRING_MAX 64 /* files */

/* NULL: *ring lives on the pool. Otherwise what is wrong and what to do, on the pool: no key at all, or a bad file. */
const char *cat_keyring_open_file(apr_pool_t *pool, const char *path, cat_keyring_t **ring);
const char *cat_keyring_open_directory(apr_pool_t *pool, const char *path, cat_keyring_t **ring);

/* The directory; NULL: it is one file. */
const char *cat_keyring_directory(const cat_keyring_t *ring);

/* In each child, before its threads start: from now on the directory is looked at again. A second call does nothing. */
apr_status_t cat_keyring_child_init(cat_keyring_t *ring, apr_pool_t *pool);

/*
 * The keys now. A directory is looked at once a second, by one thread; where its content changed the keys are read
 * again. Where that fails the old ones stay in use, it is tried again the next time, and *fault says why: to one caller
 * for each change or other cause. It is NULL otherwise. *fault lives as long as the ring's pool. fault may be NULL:
 * another caller will be told.
 */
const cat_keys_t *cat_keyring_get(cat_keyring_t *ring, apr_time_t now, const char **fault);

/* {"keys": [...]} (RFC 7517 5): the public halves. On the pool. */
json_t *cat_keyring_jwks(apr_pool_t *pool, const cat_keys_t *keys);

#endif
