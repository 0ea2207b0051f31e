/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_PASSWORD_HASH_H
#define CAT_ACCOUNTS_PASSWORD_HASH_H

#include <apr_errno.h>
#include <apr_pools.h>

/* Parameters of argon2id that the OWASP cheat sheet recommends for servers: about 20 ms and 19 MiB for each hash. */
#define CAT_PASSWORD_MEMORY 19456 /* KiB */
#define CAT_PASSWORD_PASSES 2
#define CAT_PASSWORD_LANES 1

/* Hashes a password of any length and content with a random salt, after preparing it (lib/opaque.h). Sets *hash to the
 * PHC string ("$argon2id$v=19$..."), on the pool. Keeps a core busy for about 20 ms, so callers enter a semaphore
 * (shm/semaphore.h) first. Returns APR_ENOMEM if memory runs out. */
apr_status_t cat_password_hash_hash(apr_pool_t *pool, const char *password, const char **hash);

/* Returns true if the password, prepared as lib/opaque.h says, matches the hash. Accepts PHC strings of argon2id,
 * argon2i and argon2d, and every hash that crypt(3) accepts: bcrypt ($2a$, $2b$, $2y$), yescrypt ($y$), SHA-512 ($6$).
 * Returns false for any other text, such as a broken hash. The parameters of the hash determine how long it takes. */
int cat_password_hash_match(apr_pool_t *pool, const char *password, const char *hash);

/* Returns true if the hash was made with the parameters above. */
int cat_password_hash_is_current(const char *hash);

#endif
