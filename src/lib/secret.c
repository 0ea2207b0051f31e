/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/secret.h"

#include <string.h>

#include <apr_encode.h>
#include <apr_file_io.h>
#include <apr_general.h>
#include <apr_strings.h>
#include <openssl/sha.h>

#define FILE_MAX (64 * 1024)
#define OTHERS (APR_FPROT_WREAD | APR_FPROT_WWRITE | APR_FPROT_WEXECUTE)

const char *cat_secret_make(apr_pool_t *pool)
{
    unsigned char bytes[CAT_SECRET_BITS / 8];

    if (apr_generate_random_bytes(bytes, sizeof(bytes)) != APR_SUCCESS) {
        return NULL;
    }
    return apr_pencode_base64_binary(pool, bytes, sizeof(bytes), APR_ENCODE_BASE64URL, NULL);
}

const char *cat_secret_digest(apr_pool_t *pool, const char *secret)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];

    SHA256((const unsigned char *)secret, strlen(secret), digest);
    return apr_pencode_base16_binary(pool, digest, sizeof(digest), APR_ENCODE_LOWER, NULL);
}

static const char *explain_errno(apr_pool_t *pool, const char *path, apr_status_t rv)
{
    char reason[120];

    return apr_psprintf(pool, "%s: cannot be read: %s", path, apr_strerror(rv, reason, sizeof(reason)));
}

/* The mode decides, not what this process may do: root may read everything. */
static const char *check_kind(apr_pool_t *pool, const char *path, const apr_finfo_t *info)
{
    if (info->filetype != APR_REG) {
        return apr_pstrcat(pool, path, ": is not a regular file; name a file", NULL);
    }
    if (info->protection & OTHERS) {
        return apr_psprintf(pool, "%s: open to others; run: chmod o-rwx %s", path, path);
    }
    if (info->size > FILE_MAX) {
        return apr_pstrcat(pool, path, ": is over 64 KiB; that is no key and no password", NULL);
    }
    return NULL;
}

/* The file's n octets, with room for one more. NULL: *fault says why. */
static char *read_content(apr_pool_t *pool, const char *path, apr_size_t *n, const char **fault)
{
    apr_file_t *file;
    apr_finfo_t info;
    char *content;
    /* Without NONBLOCK the name of a pipe would wait here for ever. */
    apr_status_t rv = apr_file_open(&file, path, APR_FOPEN_READ | APR_FOPEN_BINARY | APR_FOPEN_NONBLOCK, 0, pool);

    if (rv == APR_SUCCESS) {
        rv = apr_file_info_get(&info, APR_FINFO_TYPE | APR_FINFO_PROT | APR_FINFO_SIZE, file);
    }
    if (rv != APR_SUCCESS) {
        *fault = explain_errno(pool, path, rv);
        return NULL;
    }
    *fault = check_kind(pool, path, &info);
    if (*fault) {
        return NULL;
    }
    content = apr_palloc(pool, info.size + 1);
    rv = apr_file_read_full(file, content, info.size, n);
    if (rv != APR_SUCCESS && rv != APR_EOF) {
        *fault = explain_errno(pool, path, rv);
        return NULL;
    }
    apr_file_close(file);
    return content;
}

const char *cat_secret_read_file(apr_pool_t *pool, const char *path, const char **text, apr_size_t *length)
{
    apr_size_t n = 0;
    const char *fault;
    char *content = read_content(pool, path, &n, &fault);

    if (!content) {
        return fault;
    }
    if (n >= 1 && content[n - 1] == '\n') {
        n--;
        if (n >= 1 && content[n - 1] == '\r') {
            return apr_psprintf(pool, "%s: ends in CR LF; run: sed -i 's/\\r$//' %s", path, path);
        }
    }
    content[n] = '\0';
    *text = content;
    *length = n;
    return NULL;
}
