/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_KEYRING_H
#define CAT_JOSE_KEYRING_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

#include "jose/key.h"

/*
 * The keys with which a server signs and verifies: one file, or the files *.key and *.pem of a directory, of which the newest signs and all
 * verify. The newest has the latest modification time, then the last name. A file that was created or changed less than
 * two seconds ago does not sign yet, so that every child can verify with a key before any child signs with it; if all
 * files are so new, the oldest of them signs. Other files, directories, and names that begin with a dot are ignored. No two keys may have the
 * same id.
 */
typedef struct cat_keyring_t cat_keyring_t;

/* The keys of one reading. Lives as long as the ring's pool. */
typedef struct cat_keys_t {
    const cat_key_t *const *all; /* the one that signs first, then the newest first */
    int count;                   /* at least 1 */
} cat_keys_t;

#define CAT_KEYRING_MAX 64 /* files */

/* NULL: *ring lives on the pool. Otherwise the error and its remedy, on the pool: there is no key, or a file is bad. */
const char *cat_keyring_open_file(apr_pool_t *pool, const char *path, cat_keyring_t **ring);
const char *cat_keyring_open_directory(apr_pool_t *pool, const char *path, cat_keyring_t **ring);

/* The directory; NULL: the ring has one file. */
const char *cat_keyring_directory(const cat_keyring_t *ring);

/* Have they a key in common? While the configuration is checked. */
int cat_keyring_shares(const cat_keyring_t *ring, const cat_keyring_t *other);

/* In each child, before its threads start: from now on cat_keyring_get watches the directory. A second call does
 * nothing. */
apr_status_t cat_keyring_child_init(cat_keyring_t *ring, apr_pool_t *pool);

/*
 * The current keys; any thread may call. Once a second one of the callers looks at the directory and reads the keys
 * again if a file has changed. If that fails, the previous keys stay in use, the next look tries again, and *fault
 * receives the error: for one caller after each change. Otherwise *fault is NULL. *fault lives as long as the ring's
 * pool. fault may be NULL: a later caller receives the error.
 */
const cat_keys_t *cat_keyring_get(cat_keyring_t *ring, apr_time_t now, const char **fault);

/* {"keys": [...]} (RFC 7517 5): the public halves. On the pool. */
json_t *cat_keyring_jwks(apr_pool_t *pool, const cat_keys_t *keys);

#endif
