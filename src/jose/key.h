/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_KEY_H
#define CAT_JOSE_KEY_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <jansson.h>
#include <jwt.h>

/* Keys that sign and verify JWTs. A key is for exactly one algorithm, whatever a token's header says. */
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

/* Adds the key's id as kid and signs; returns the token, on the pool. NULL: the key is somebody else's public one, or there is no
 * memory. The caller frees jwt. */
const char *cat_key_sign(apr_pool_t *pool, const cat_key_t *key, jwt_t *jwt);

/* Was the token signed with this key and its algorithm? It must have passed cat_token_check_shape, because libjwt copies it to the
 * stack. Of a key pair the algorithm is used whatever the token's header says. Threads may share a key. */
int cat_key_verify(apr_pool_t *pool, const cat_key_t *key, const char *token);

/* A MAC of length bytes that only who has the file of this private key can make; under a key of its own derived from the file, so
 * that it is never good as a token's signature. 0: no memory. */
int cat_key_seal(const cat_key_t *key, const char *text, apr_size_t length, unsigned char seal[CAT_KEY_SEAL_OCTETS]);

/* The public half as a JWK (RFC 7517: kty, use, alg, kid and the numbers), on the pool; NULL for a shared secret. */
json_t *cat_key_jwk(apr_pool_t *pool, const cat_key_t *key);

#endif
