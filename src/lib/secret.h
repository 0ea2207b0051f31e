/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_SECRET_H
#define CAT_LIB_SECRET_H

#include <apr_pools.h>

#define CAT_SECRET_BITS 256

/* An opaque token: 256 random bits as 43 base64url characters (RFC 4648, 5), on the pool. NULL: no random bytes. */
const char *cat_secret_make(apr_pool_t *pool);

/* The successor of a token, which can be computed only from both the token and the seed: HMAC-SHA256 (RFC 2104), in the same form, on
 * the pool. */
const char *cat_secret_derive(apr_pool_t *pool, const char *secret, const char *seed);

/* The form in which an opaque token is stored: its SHA-256 as 64 lower-case hexadecimal characters, on the pool. */
const char *cat_secret_digest(apr_pool_t *pool, const char *secret);

#define CAT_SECRET_VALUES_LEAST 16

/* Returns why the bytes cannot be a random secret: they are a text (UTF-8) with spaces between words; or fewer than CAT_SECRET_VALUES_LEAST values
 * are different, both among the bytes and, if these are hexadecimal digits, among the bytes that they encode. Returns NULL if they can be one. */
const char *cat_secret_find_weakness(const char *bytes, apr_size_t length);

/*
 * Reads a file that only its owner (and group) may read. Cuts one trailing newline, unless the file has 32 bytes that are not text: those are a
 * key of random bytes. Returns NULL, with the content on the pool in *text, NUL-terminated, and its bytes in *length. Otherwise returns the fault
 * and its remedy, on the pool: the file cannot be read (with the system's reason), is not a regular file, is readable or writable by others
 * (mode & 0007), has more than 64 KiB, or is a text that ends in CR LF.
 */
const char *cat_secret_read_file(apr_pool_t *pool, const char *path, const char **text, apr_size_t *length);

#endif
