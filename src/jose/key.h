/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_KEY_H
#define CAT_JOSE_KEY_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <jansson.h>
#include <jwt.h>

/* Keys that sign and verify JWTs. Each is for one algorithm, whatever the header of a token says. */
#define CAT_KEY_SECRET_LEAST 32 /* octets of a shared secret, RFC 7518 3.2 */
#define CAT_KEY_RSA_LEAST 2048  /* bits, RFC 7518 3.3 */
#define CAT_KEY_SEAL_OCTETS 32

typedef struct cat_key_t cat_key_t;

/*
 * Reads a key file by the rules of cat_secret_read_file: a shared secret (HS256; text or bytes in which cat_secret_find_weakness finds no
 * weakness), or a PEM private key (EC P-256: ES256; RSA: RS256). The key's id is the file's name without directory and last extension. Returns
 * NULL, with the key in *key on the pool, which wipes its memory at the end. Otherwise returns the error and its remedy, on the pool; never any
 * of the file's content.
 */
const char *cat_key_read(apr_pool_t *pool, const char *path, const cat_key_t **key);

/* Reads the public key or certificate, in PEM, of another issuer; the file may be world-readable. The key's id is
 * NULL: it matches any kid. */
const char *cat_key_read_public(apr_pool_t *pool, const char *path, const cat_key_t **key);

const char *cat_key_id(const cat_key_t *key);
const char *cat_key_algorithm(const cat_key_t *key); /* "HS256", "ES256", "RS256" */

/* Adds the key's id as kid and signs; returns the token, on the pool. NULL: the key is a public one, or there is no
 * memory. The caller frees jwt. */
const char *cat_key_sign(apr_pool_t *pool, const cat_key_t *key, jwt_t *jwt);

/* Was the token signed with this key and its algorithm? The token must have passed cat_token_check_shape, because
 * libjwt copies it to the stack. Threads may share a key. */
int cat_key_verify(apr_pool_t *pool, const cat_key_t *key, const char *token);

/* A MAC of the text that only a server with this key file can make. Its key is derived from the file, so a seal is
 * never valid as the signature of a token. Threads may share a key. 0: the key is a public one, or there is no memory. */
int cat_key_seal(const cat_key_t *key, const char *text, apr_size_t length, unsigned char seal[CAT_KEY_SEAL_OCTETS]);

/* Does one verify what the other signs? */
int cat_key_is_same(const cat_key_t *key, const cat_key_t *other);

/* Hexadecimal digits that tell the key's seals from those of other keys, and nothing about the key; NULL: a public key. */
const char *cat_key_mark(const cat_key_t *key);

/* The public half as a JWK (RFC 7517: kty, use, alg, kid and the numbers), on the pool; NULL for a shared secret. */
json_t *cat_key_jwk(apr_pool_t *pool, const cat_key_t *key);

#endif
