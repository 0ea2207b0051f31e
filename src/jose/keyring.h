/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_KEYRING_H
#define CAT_JOSE_KEYRING_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

#include "jose/key.h"

/*
 * The signing keys of a server: one file, or the files *.key and *.pem of a directory. The newest key of a directory
 * signs, and all keys verify. The newest file has the latest modification time; among equal times, the last name. A
 * file that was created or changed less than two seconds ago does not sign yet, so that every child can verify with a
 * key before any child signs with it. If all files are so new, the oldest of them signs. Other files, directories, and
 * names that begin with a dot are ignored. No two keys may have the same id.
 */
typedef struct cat_keyring_t cat_keyring_t;

/* The keys of one reading of the directory or file. They live as long as the keyring's pool. */
typedef struct cat_keys_t {
    const cat_key_t *const *all; /* The key that signs comes first, then the others, newest first. */
    int count;                   /* At least 1. */
} cat_keys_t;

#define CAT_KEYRING_MAX 64 /* Files of a directory. */

/* Open a keyring. Return NULL, with *ring on the pool. Otherwise return the cause and the remedy, on the pool: there is
 * no key, or a file is invalid. */
const char *cat_keyring_open_file(apr_pool_t *pool, const char *path, cat_keyring_t **ring);
const char *cat_keyring_open_directory(apr_pool_t *pool, const char *path, cat_keyring_t **ring);

/* Returns the directory, or NULL if the keyring has only a file. */
const char *cat_keyring_directory(const cat_keyring_t *ring);

/* Returns true if the two keyrings have a key in common. Call it while the configuration is checked. */
int cat_keyring_shares(const cat_keyring_t *ring, const cat_keyring_t *other);

/* Prepares the keyring in a child, before its threads start, so that cat_keyring_get watches the directory. A second
 * call does nothing. */
apr_status_t cat_keyring_child_init(cat_keyring_t *ring, apr_pool_t *pool);

/*
 * Returns the current keys. Any thread may call it. Once a second, one of the callers checks the directory and reads
 * the keys again if a file has changed. If that fails, the previous keys stay in use, the next check tries again, and
 * *fault is set to the cause, but only for one caller after each change; otherwise *fault is NULL. *fault lives as long
 * as the keyring's pool. If `fault` is NULL, a later caller receives the cause.
 */
const cat_keys_t *cat_keyring_get(cat_keyring_t *ring, apr_time_t now, const char **fault);

/* Returns {"keys": [...]} (RFC 7517 5), the public halves of the keys, on the pool. */
json_t *cat_keyring_jwks(apr_pool_t *pool, const cat_keys_t *keys);

#endif
