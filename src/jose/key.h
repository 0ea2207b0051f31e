/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_KEY_H
#define CAT_JOSE_KEY_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <jansson.h>
#include <jwt.h>

/* Signing keys, which sign and verify JWTs. Each signing key is for one algorithm, whatever the header of a token
 * says. */
#define CAT_KEY_SECRET_LEAST 32 /* Bytes of a shared secret, RFC 7518 3.2. */
#define CAT_KEY_RSA_LEAST 2048  /* Bits, RFC 7518 3.3. */
#define CAT_KEY_SEAL_OCTETS 32

typedef struct cat_key_t cat_key_t;

/*
 * Reads a key file by the rules of cat_secret_read_file. The file contains a shared secret (HS256; text or bytes in
 * which cat_secret_find_weakness finds no weakness), or a private key in PEM (EC P-256: ES256; RSA: RS256). The id of
 * the signing key is the file's name without directory and last extension. Returns NULL, with *key on the pool; the end
 * of the pool wipes its memory. Otherwise returns the cause and the remedy, on the pool, without any of the file's
 * content.
 */
const char *cat_key_read(apr_pool_t *pool, const char *path, const cat_key_t **key);

/* Reads the public key or the certificate of another issuer, in PEM. The file may be world-readable. The id of the key
 * is NULL, which matches any kid. Returns as cat_key_read does. */
const char *cat_key_read_public(apr_pool_t *pool, const char *path, const cat_key_t **key);

const char *cat_key_id(const cat_key_t *key);
const char *cat_key_algorithm(const cat_key_t *key); /* Returns "HS256", "ES256" or "RS256". */

/* Adds the key's id to the token as kid, signs the token and returns it, on the pool. Returns NULL if the key is a
 * public one or if there is no memory. The caller frees `jwt`. */
const char *cat_key_sign(apr_pool_t *pool, const cat_key_t *key, jwt_t *jwt);

/* Returns true if the token was signed with this key and its algorithm. The token must have passed
 * cat_token_check_shape, because libjwt copies it to the stack. Threads may share a key. */
int cat_key_verify(apr_pool_t *pool, const cat_key_t *key, const char *token);

/* Computes a MAC of the text that only a server with this key file can compute. The MAC's key is derived from the file,
 * so a seal is never valid as the signature of a token. Returns false if the key is a public one or if there is no
 * memory. Threads may share a key. */
int cat_key_seal(const cat_key_t *key, const char *text, apr_size_t length, unsigned char seal[CAT_KEY_SEAL_OCTETS]);

/* Returns true if each of the two keys verifies tokens that the other one signs. */
int cat_key_is_same(const cat_key_t *key, const cat_key_t *other);

/* Returns hexadecimal digits that distinguish the key's seals from those of other keys and reveal nothing about the
 * key. Returns NULL for a public key. */
const char *cat_key_mark(const cat_key_t *key);

/* Returns the public half of the key as a JWK (RFC 7517: kty, use, alg, kid and the numbers), on the pool. Returns NULL
 * for a shared secret. */
json_t *cat_key_jwk(apr_pool_t *pool, const cat_key_t *key);

#endif
