/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_KEY_H
#define CAT_LIB_KEY_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <jansson.h>

/* Keys that sign and verify JWTs. A key is for exactly one algorithm, whatever a token's header says. */
typedef enum { CAT_HS256, CAT_ES256, CAT_RS256 } cat_algorithm_t;

#define CAT_KEY_SECRET_LEAST 32 /* octets of a shared secret, RFC 7518 3.2 */
#define CAT_KEY_RSA_LEAST 2048  /* bits, RFC 7518 3.3 */
#define CAT_KEY_SEAL_OCTETS 32

typedef struct cat_key_t cat_key_t;

/*
 * Reads a key file: a shared secret (text or bytes, HS256), or a PEM private key (EC P-256: ES256; RSA: RS256), with
 * cat_secret_read_file's rules. Its id is the file's name without directory and last extension. NULL: *key lives on the
 * pool (its memory is wiped with the pool). Otherwise what is wrong and what to do, on the pool; never any of the
 * file's content.
 */
const char *cat_key_read(apr_pool_t *pool, const char *path, const cat_key_t **key);

/* Reads a PEM public key or certificate of somebody else; anyone may read the file. Its id is NULL: it fits any kid. */
const char *cat_key_read_public(apr_pool_t *pool, const char *path, const cat_key_t **key);

const char *cat_key_id(const cat_key_t *key);
const char *cat_key_algorithm(const cat_key_t *key); /* "HS256", "ES256", "RS256" */

/* The signature of length bytes in base64url (ES256: r and s, 64 octets, RFC 7518 3.4), on the pool. NULL: no private
 * key, or no memory. */
const char *cat_key_sign(apr_pool_t *pool, const cat_key_t *key, const char *text, apr_size_t length);

/* Is signature (base64url) that of the text by this key? In constant time where the key is a shared secret. Threads may
 * share a key. */
int cat_key_verify(apr_pool_t *pool, const cat_key_t *key, const char *text, apr_size_t length, const char *signature);

/* A MAC of length bytes that only who has the file of this private key can make; under a key of its own derived from the file, so
 * that it is never good as a token's signature. 0: no memory. */
int cat_key_seal(const cat_key_t *key, const char *text, apr_size_t length, unsigned char seal[CAT_KEY_SEAL_OCTETS]);

/* The public half as a JWK (RFC 7517: kty, use, alg, kid and the numbers), on the pool; NULL for a shared secret. */
json_t *cat_key_jwk(apr_pool_t *pool, const cat_key_t *key);

#endif
