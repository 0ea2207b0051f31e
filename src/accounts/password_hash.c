/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/password_hash.h"

#include <crypt.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <apr_encode.h>
#include <apr_general.h>
#include <apr_strings.h>
#include <argon2.h>
#include <openssl/crypto.h>

#define SALT_LENGTH 16
#define HASH_LENGTH 32

/* What a stored argon2 hash may ask of this machine: at most libsodium's strongest setting, 1 GiB in four passes. */
#define MEMORY_MOST (1024 * 1024)   /* KiB */
#define WORK_MOST (4 * MEMORY_MOST) /* KiB written: memory times passes */
#define LANES_MOST 16               /* each is a thread */

static const char current[] = "$argon2id$v=19$m=" APR_STRINGIFY(CAT_PASSWORD_MEMORY) ",t=" APR_STRINGIFY(
    CAT_PASSWORD_PASSES) ",p=" APR_STRINGIFY(CAT_PASSWORD_LANES) "$";

/* ---- memory ---- */

/* malloc would keep the 19 MiB of one hash for the next, in each thread's arena; in small pages, the system would take a
 * third of the time to hand them out. */
static int take_memory(uint8_t **memory, size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED) {
        return ARGON2_MEMORY_ALLOCATION_ERROR;
    }
    madvise(pages, size, MADV_HUGEPAGE); /* where the kernel has any */
    *memory = pages;
    return ARGON2_OK;
}

static void give_memory_back(uint8_t *memory, size_t size)
{
    munmap(memory, size);
}

/* ---- argon2 ---- */

/* What a hash was made with. */
typedef struct recipe_t {
    argon2_type type;
    unsigned version;
    unsigned long memory, passes, lanes;
    const unsigned char *salt;
    apr_size_t salt_length;
} recipe_t;

/* Hashes the password to length octets. 0: the recipe is impossible, or memory is lacking. */
static int derive_hash(const recipe_t *recipe, const char *password, unsigned char *hash, apr_size_t length)
{
    argon2_context context = {
        .out = hash,
        .outlen = (uint32_t)length,
        .pwd = (uint8_t *)password, /* only read, without a flag that says otherwise */
        .pwdlen = (uint32_t)strlen(password),
        .salt = (uint8_t *)recipe->salt,
        .saltlen = (uint32_t)recipe->salt_length,
        .t_cost = (uint32_t)recipe->passes,
        .m_cost = (uint32_t)recipe->memory,
        .lanes = (uint32_t)recipe->lanes,
        .threads = (uint32_t)recipe->lanes,
        .version = recipe->version,
        .allocate_cbk = take_memory,
        .free_cbk = give_memory_back,
    };
    return argon2_ctx(&context, recipe->type) == ARGON2_OK;
}

/* As PHC strings have it: no padding. APR_ENCODE_NOPADDING would take the alphabet of base64url as well. */
static const char *encode(apr_pool_t *pool, const unsigned char *bytes, apr_size_t length)
{
    const char *text = apr_pencode_base64_binary(pool, bytes, (apr_ssize_t)length, APR_ENCODE_NONE, NULL);
    return apr_pstrndup(pool, text, strcspn(text, "="));
}

apr_status_t cat_password_hash_hash(apr_pool_t *pool, const char *password, const char **hash)
{
    unsigned char salt[SALT_LENGTH], bytes[HASH_LENGTH];
    const recipe_t recipe = {
        .type = Argon2_id,
        .version = ARGON2_VERSION_13,
        .memory = CAT_PASSWORD_MEMORY,
        .passes = CAT_PASSWORD_PASSES,
        .lanes = CAT_PASSWORD_LANES,
        .salt = salt,
        .salt_length = sizeof(salt),
    };
    apr_status_t rv = apr_generate_random_bytes(salt, sizeof(salt));

    if (rv != APR_SUCCESS) {
        return rv;
    }
    /* With parameters that are constants, only memory can be lacking. */
    if (!derive_hash(&recipe, password, bytes, sizeof(bytes))) {
        return APR_ENOMEM;
    }
    *hash = apr_pstrcat(pool, current, encode(pool, salt, sizeof(salt)), "$", encode(pool, bytes, sizeof(bytes)), NULL);
    return APR_SUCCESS;
}

int cat_password_hash_is_current(const char *hash)
{
    return strncmp(hash, current, strlen(current)) == 0;
}

/* Behind "$argon2xx$", where the oldest hashes have no version; gives back what stands behind the costs, the salt, or NULL. */
static const char *read_costs(const char *text, recipe_t *recipe)
{
    int end = 0;

    recipe->version = ARGON2_VERSION_10;
    if (sscanf(text, "v=%u$%n", &recipe->version, &end) == 1) {
        text += end;
    }
    end = 0;
    if (sscanf(text, "m=%lu,t=%lu,p=%lu$%n", &recipe->memory, &recipe->passes, &recipe->lanes, &end) != 3 || !end) {
        return NULL;
    }
    return text + end;
}

static int is_affordable(const recipe_t *recipe)
{
    return recipe->memory <= MEMORY_MOST && recipe->passes <= WORK_MOST &&
           recipe->memory * recipe->passes <= WORK_MOST && recipe->lanes <= LANES_MOST;
}

/* text: behind "$argon2xx$". */
static int match_recipe(apr_pool_t *pool, const char *password, recipe_t *recipe, const char *text)
{
    const char *salt = read_costs(text, recipe);
    const char *wanted = salt ? strchr(salt, '$') : NULL;
    const unsigned char *bytes;
    unsigned char *again;
    apr_size_t length;

    if (!wanted || !is_affordable(recipe)) {
        return 0;
    }
    recipe->salt = apr_pdecode_base64_binary(pool, salt, wanted - salt, APR_ENCODE_NONE, &recipe->salt_length);
    bytes = apr_pdecode_base64_binary(pool, wanted + 1, APR_ENCODE_STRING, APR_ENCODE_NONE, &length);
    if (!recipe->salt || !bytes) {
        return 0;
    }
    again = apr_palloc(pool, length);
    return derive_hash(recipe, password, again, length) && CRYPTO_memcmp(again, bytes, length) == 0;
}

static int match_argon2(apr_pool_t *pool, const char *password, const char *hash)
{
    static const struct {
        const char *prefix;
        argon2_type type;
    } kinds[] = {{"$argon2id$", Argon2_id}, {"$argon2i$", Argon2_i}, {"$argon2d$", Argon2_d}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t length = strlen(kinds[i].prefix);
        recipe_t recipe = {.type = kinds[i].type};
        if (strncmp(hash, kinds[i].prefix, length) == 0) {
            return match_recipe(pool, password, &recipe, hash + length);
        }
    }
    return 0;
}

/* ---- crypt ---- */

static int match_crypt(apr_pool_t *pool, const char *password, const char *hash)
{
    struct crypt_data *data = apr_pcalloc(pool, sizeof(*data));
    const char *again = crypt_rn(password, hash, data, sizeof(*data));
    size_t length = strlen(hash);
    int match = again && strlen(again) == length && CRYPTO_memcmp(again, hash, length) == 0;

    explicit_bzero(data, sizeof(*data)); /* it has held the password */
    return match;
}

int cat_password_hash_match(apr_pool_t *pool, const char *password, const char *hash)
{
    if (strncmp(hash, "$argon2", strlen("$argon2")) == 0) {
        return match_argon2(pool, password, hash);
    }
    return match_crypt(pool, password, hash);
}
