/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_PASSWORD_HASH_H
#define CAT_ACCOUNTS_PASSWORD_HASH_H

#include <apr_errno.h>
#include <apr_pools.h>

/* argon2id as the OWASP cheat sheet sets it for servers: about 20 ms and 19 MiB a hash. */
#define CAT_PASSWORD_MEMORY 19456 /* KiB */
#define CAT_PASSWORD_PASSES 2
#define CAT_PASSWORD_LANES 1

/* Both take a password as a client sends it, and prepare it (lib/opaque.h). */

/* Hashes a password of any length and content with a random salt: *hash is the PHC string ("$argon2id$v=19$..."), on
 * the pool. Takes a core for the time above, so callers enter a semaphore (shm/semaphore.h) first. */
apr_status_t cat_password_hash_hash(apr_pool_t *pool, const char *password, const char **hash);

/* Does the password match? Understands PHC strings of argon2id, argon2i and argon2d, and whatever crypt(3) does:
 * bcrypt ($2a$, $2b$, $2y$), yescrypt ($y$), SHA-512 ($6$). 0 for anything else, such as a broken hash. Takes as long
 * as the hash's parameters say. */
int cat_password_hash_match(apr_pool_t *pool, const char *password, const char *hash);

/* Was the hash made with the parameters above? */
int cat_password_hash_is_current(const char *hash);

#endif
