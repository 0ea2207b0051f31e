/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_SECRET_H
#define CAT_LIB_SECRET_H

#include <apr_pools.h>

#define CAT_SECRET_BITS 256

/* Returns an opaque token on the pool: 256 random bits as 43 base64url characters (RFC 4648, section 5). Returns NULL
 * if the system provides no random bytes. */
const char *cat_secret_make(apr_pool_t *pool);

/* Returns the successor of a token, on the pool: its HMAC-SHA256 (RFC 2104) with the seed, 43 base64url characters.
 * Computing it requires both the token and the seed. */
const char *cat_secret_derive(apr_pool_t *pool, const char *secret, const char *seed);

/* Returns the form in which a token is stored, on the pool: its SHA-256 as 64 lower-case hexadecimal characters. */
const char *cat_secret_digest(apr_pool_t *pool, const char *secret);

#define CAT_SECRET_VALUES_LEAST 16

/* Returns why the bytes cannot be a random secret, or NULL if they can. Random secrets are not UTF-8 text with spaces
 * between words. They also have at least CAT_SECRET_VALUES_LEAST different values, either among the bytes themselves
 * or, if these are hexadecimal digits, among the bytes that they encode. */
const char *cat_secret_find_weakness(const char *bytes, apr_size_t length);

/*
 * Reads a secret from a file that only its owner and group may access. Returns NULL and sets *text, on the pool and
 * NUL-terminated, and *length, in bytes. Removes one newline at the end, unless the file has 32 bytes that are not
 * text, because these are a random key.
 *
 * Otherwise returns an error message that says what to do, on the pool: the file cannot be read (with the system's
 * reason), is not a regular file, is accessible to others (mode & 0007), is larger than 64 KiB, or is a text that ends
 * in CR LF.
 */
const char *cat_secret_read_file(apr_pool_t *pool, const char *path, const char **text, apr_size_t *length);

#endif
