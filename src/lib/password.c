/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/password.h"

#include <crypt.h>
#include <stdio.h>
#include <string.h>

#include <apr_general.h>
#include <argon2.h>
#include <openssl/crypto.h>

#define SALT_LENGTH 16
#define HASH_LENGTH 32

/* What a stored argon2 hash may ask of this machine: at most libsodium's strongest setting, 1 GiB in four passes. */
#define MEMORY_MOST (1024 * 1024)   /* KiB */
#define WORK_MOST (4 * MEMORY_MOST) /* KiB written: memory times passes */
#define LANES_MOST 16               /* each is a thread */

apr_status_t cat_password_hash(apr_pool_t *pool, const char *password, const char **hash)
{
    unsigned char salt[SALT_LENGTH];
    size_t size = argon2_encodedlen(CAT_PASSWORD_PASSES, CAT_PASSWORD_MEMORY, CAT_PASSWORD_LANES, SALT_LENGTH,
                                    HASH_LENGTH, Argon2_id);
    char *text = apr_palloc(pool, size);
    apr_status_t rv = apr_generate_random_bytes(salt, sizeof(salt));

    if (rv != APR_SUCCESS) {
        return rv;
    }
    /* With parameters that are constants, only memory can be lacking. */
    if (argon2id_hash_encoded(CAT_PASSWORD_PASSES, CAT_PASSWORD_MEMORY, CAT_PASSWORD_LANES, password, strlen(password),
                              salt, sizeof(salt), HASH_LENGTH, text, size) != ARGON2_OK) {
        return APR_ENOMEM;
    }
    *hash = text;
    return APR_SUCCESS;
}

/* Reads the costs behind "$argon2xx$", where older hashes have no version. */
static int is_affordable(const char *costs)
{
    unsigned long memory, passes, lanes;

    if (sscanf(costs, "v=%*u$m=%lu,t=%lu,p=%lu", &memory, &passes, &lanes) != 3 &&
        sscanf(costs, "m=%lu,t=%lu,p=%lu", &memory, &passes, &lanes) != 3) {
        return 0;
    }
    return memory <= MEMORY_MOST && passes <= WORK_MOST && memory * passes <= WORK_MOST && lanes <= LANES_MOST;
}

static int match_argon2(const char *password, const char *hash)
{
    static const struct {
        const char *prefix;
        argon2_type type;
    } kinds[] = {{"$argon2id$", Argon2_id}, {"$argon2i$", Argon2_i}, {"$argon2d$", Argon2_d}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t length = strlen(kinds[i].prefix);
        if (strncmp(hash, kinds[i].prefix, length) == 0) {
            return is_affordable(hash + length) &&
                   argon2_verify(hash, password, strlen(password), kinds[i].type) == ARGON2_OK;
        }
    }
    return 0;
}

static int match_crypt(apr_pool_t *pool, const char *password, const char *hash)
{
    struct crypt_data *data = apr_pcalloc(pool, sizeof(*data));
    const char *again = crypt_rn(password, hash, data, sizeof(*data));
    size_t length = strlen(hash);
    int match = again && strlen(again) == length && CRYPTO_memcmp(again, hash, length) == 0;

    explicit_bzero(data, sizeof(*data)); /* it has held the password */
    return match;
}

int cat_password_match(apr_pool_t *pool, const char *password, const char *hash)
{
    if (strncmp(hash, "$argon2", strlen("$argon2")) == 0) {
        return match_argon2(password, hash);
    }
    return match_crypt(pool, password, hash);
}
