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

/* Says why the bytes cannot be a random secret: fewer than CAT_SECRET_VALUES_LEAST different values, among the bytes themselves and
 * among those that they encode if they are hexadecimal digits; or a text (UTF-8) with spaces between words. NULL: they can be one. */
const char *cat_secret_find_weakness(const char *bytes, apr_size_t length);

/*
 * Reads a file that only its owner (and group) may read, and cuts one trailing newline; not that of 32 bytes that are no
 * text, which are a key of random bytes. NULL: *text is the content, on the
 * pool, NUL-terminated, *length its bytes. Otherwise what is wrong and what to do, on the pool: cannot be read (with the
 * system's reason), not a regular file, readable or writable by others (mode & 0007), over 64 KiB, a text that ends in CR LF.
 */
const char *cat_secret_read_file(apr_pool_t *pool, const char *path, const char **text, apr_size_t *length);

#endif
