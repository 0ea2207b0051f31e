/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes passwords with argon2id, and compares passwords with hashes of several kinds.
 *
 * A hash is a PHC string, which names its own parameters. So passwords can be compared with hashes that have other
 * parameters than the current ones; such a hash is replaced when its user signs in:
 *
 *     $argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA     kind, version, costs, salt, hash
 *
 * Imported accounts may have hashes of bcrypt, yescrypt or SHA-512, which crypt(3) compares. Each hash maps its memory
 * and unmaps it afterwards; malloc would keep the memory in the arena of each thread.
 */
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

#include "lib/opaque.h"

#define SALT_LENGTH 16
#define HASH_LENGTH 32

/* Limits on the parameters of stored hashes: libsodium's strongest setting, 1 GiB in four passes. A hash beyond them
 * never matches. */
#define MEMORY_MOST (1024 * 1024)   /* KiB */
#define WORK_MOST (4 * MEMORY_MOST) /* Memory in KiB times passes. */
#define LANES_MOST 16               /* Each lane is a thread. */

static const char current[] = "$argon2id$v=19$m=" APR_STRINGIFY(CAT_PASSWORD_MEMORY) ",t=" APR_STRINGIFY(
    CAT_PASSWORD_PASSES) ",p=" APR_STRINGIFY(CAT_PASSWORD_LANES) "$";

/* ---- memory ---- */

/* Maps memory because malloc would keep the 19 MiB of a hash in each thread's arena. Without huge pages, page faults
 * take a third of the time. */
static int map_memory(uint8_t **memory, size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED) {
        return ARGON2_MEMORY_ALLOCATION_ERROR;
    }
    madvise(pages, size, MADV_HUGEPAGE); /* Errors are ignored: not every kernel has huge pages. */
    *memory = pages;
    return ARGON2_OK;
}

static void unmap_memory(uint8_t *memory, size_t size)
{
    munmap(memory, size);
}

/* ---- argon2 ---- */

typedef struct parameters_t {
    argon2_type type;
    unsigned version;
    unsigned long memory, passes, lanes;
    const unsigned char *salt;
    apr_size_t salt_length;
} parameters_t;

/* Writes `length` bytes of hash. Returns 0 if the parameters are invalid or memory runs out. */
static int derive_hash(const parameters_t *parameters, const char *password, unsigned char *hash, apr_size_t length)
{
    argon2_context context = {
        .out = hash,
        .outlen = (uint32_t)length,
        .pwd = (uint8_t *)password, /* argon2 does not write to it, because no flag asks argon2 to wipe it */
        .pwdlen = (uint32_t)strlen(password),
        .salt = (uint8_t *)parameters->salt,
        .saltlen = (uint32_t)parameters->salt_length,
        .t_cost = (uint32_t)parameters->passes,
        .m_cost = (uint32_t)parameters->memory,
        .lanes = (uint32_t)parameters->lanes,
        .threads = (uint32_t)parameters->lanes,
        .version = parameters->version,
        .allocate_cbk = map_memory,
        .free_cbk = unmap_memory,
    };
    return argon2_ctx(&context, parameters->type) == ARGON2_OK;
}

/* Encodes as base64 without padding, as PHC strings require. APR_ENCODE_NOPADDING would also switch to the alphabet of
 * base64url. */
static const char *encode_base64(apr_pool_t *pool, const unsigned char *bytes, apr_size_t length)
{
    const char *text = apr_pencode_base64_binary(pool, bytes, (apr_ssize_t)length, APR_ENCODE_NONE, NULL);
    return apr_pstrndup(pool, text, strcspn(text, "="));
}

apr_status_t cat_password_hash_hash(apr_pool_t *pool, const char *password, const char **hash)
{
    unsigned char salt[SALT_LENGTH], bytes[HASH_LENGTH];
    const parameters_t parameters = {
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
    /* The parameters are valid constants, so the only possible failure is lack of memory. */
    if (!derive_hash(&parameters, cat_opaque_prepare(pool, password), bytes, sizeof(bytes))) {
        return APR_ENOMEM;
    }
    *hash = apr_pstrcat(pool, current, encode_base64(pool, salt, sizeof(salt)), "$",
                        encode_base64(pool, bytes, sizeof(bytes)), NULL);
    return APR_SUCCESS;
}

int cat_password_hash_is_current(const char *hash)
{
    return strncmp(hash, current, strlen(current)) == 0;
}

/* Parses `text`, the rest of a hash after "$argon2xx$". The version may be missing, as in the oldest hashes. Returns
 * the text after the costs, which starts with the salt, or NULL if `text` is malformed. */
static const char *read_costs(const char *text, parameters_t *parameters)
{
    int end = 0;

    parameters->version = ARGON2_VERSION_10;
    if (sscanf(text, "v=%u$%n", &parameters->version, &end) == 1) {
        text += end;
    }
    end = 0;
    if (sscanf(text, "m=%lu,t=%lu,p=%lu$%n", &parameters->memory, &parameters->passes, &parameters->lanes, &end) != 3 ||
        !end) {
        return NULL;
    }
    return text + end;
}

/* `text` is the rest of a hash after "$argon2xx$". */
static int match_parameters(apr_pool_t *pool, const char *password, parameters_t *parameters, const char *text)
{
    const char *salt = read_costs(text, parameters);
    const char *wanted = salt ? strchr(salt, '$') : NULL;
    const unsigned char *bytes;
    unsigned char *again;
    apr_size_t length;

    if (!wanted || parameters->memory > MEMORY_MOST || parameters->passes > WORK_MOST ||
        parameters->memory * parameters->passes > WORK_MOST || parameters->lanes > LANES_MOST) {
        return 0;
    }
    parameters->salt = apr_pdecode_base64_binary(pool, salt, wanted - salt, APR_ENCODE_NONE, &parameters->salt_length);
    bytes = apr_pdecode_base64_binary(pool, wanted + 1, APR_ENCODE_STRING, APR_ENCODE_NONE, &length);
    if (!parameters->salt || !bytes) {
        return 0;
    }
    again = apr_palloc(pool, length);
    return derive_hash(parameters, password, again, length) && CRYPTO_memcmp(again, bytes, length) == 0;
}

static int match_argon2(apr_pool_t *pool, const char *password, const char *hash)
{
    static const struct {
        const char *prefix;
        argon2_type type;
    } kinds[] = {{"$argon2id$", Argon2_id}, {"$argon2i$", Argon2_i}, {"$argon2d$", Argon2_d}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t length = strlen(kinds[i].prefix);
        parameters_t parameters = {.type = kinds[i].type};
        if (strncmp(hash, kinds[i].prefix, length) == 0) {
            return match_parameters(pool, password, &parameters, hash + length);
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

    explicit_bzero(data, sizeof(*data)); /* `data` contains the password */
    return match;
}

int cat_password_hash_match(apr_pool_t *pool, const char *password, const char *hash)
{
    password = cat_opaque_prepare(pool, password);
    if (strncmp(hash, "$argon2", strlen("$argon2")) == 0) {
        return match_argon2(pool, password, hash);
    }
    return match_crypt(pool, password, hash);
}
