/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/secret.h"

#include <string.h>

#include <apr_encode.h>
#include <apr_general.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "lib/file.h"
#include "lib/text.h"

#define FILE_MAX 64 /* KiB */

const char *cat_secret_make(apr_pool_t *pool)
{
    unsigned char bytes[CAT_SECRET_BITS / 8];

    if (apr_generate_random_bytes(bytes, sizeof(bytes)) != APR_SUCCESS) {
        return NULL;
    }
    return apr_pencode_base64_binary(pool, bytes, sizeof(bytes), APR_ENCODE_BASE64URL, NULL);
}

const char *cat_secret_derive(apr_pool_t *pool, const char *secret, const char *seed)
{
    unsigned char mac[SHA256_DIGEST_LENGTH];

    HMAC(EVP_sha256(), secret, (int)strlen(secret), (const unsigned char *)seed, strlen(seed), mac, NULL);
    return apr_pencode_base64_binary(pool, mac, sizeof(mac), APR_ENCODE_BASE64URL, NULL);
}

const char *cat_secret_digest(apr_pool_t *pool, const char *secret)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];

    SHA256((const unsigned char *)secret, strlen(secret), digest);
    return apr_pencode_base16_binary(pool, digest, sizeof(digest), APR_ENCODE_LOWER, NULL);
}

/* Returns true if the bytes are valid UTF-8 without control characters other than tabs and line ends. */
static int is_text(const char *bytes, apr_size_t length)
{
    apr_int32_t character;

    for (apr_size_t i = 0; i < length;) {
        apr_size_t size = cat_text_read(bytes + i, length - i, &character);
        if ((size == 1 && character > 0x7f) || (character < ' ' && !strchr("\t\n\r", (int)character)) ||
            character == 0x7f || character == 0) {
            return 0;
        }
        i += size;
    }
    return 1;
}

static int has_words(const char *bytes, apr_size_t length)
{
    int in_line = 0, gap = 0;

    for (apr_size_t i = 0; i < length; i++) {
        if (gap && !apr_isspace(bytes[i])) {
            return 1;
        }
        gap = in_line && (bytes[i] == ' ' || bytes[i] == '\t');
        in_line = bytes[i] != '\n' && (in_line || !apr_isspace(bytes[i]));
    }
    return 0;
}

static int digit_of(char c)
{
    return apr_isdigit(c) ? c - '0' : apr_isxdigit(c) ? apr_tolower(c) - 'a' + 10 : -1;
}

/* Counts the different values of single bytes or, if `hexadecimal` is 1, of the bytes that pairs of hexadecimal digits
 * encode. Returns 0 if a pair has another character. */
static int count_values(const char *bytes, apr_size_t length, int hexadecimal)
{
    char seen[256] = {0};
    int count = 0;

    for (apr_size_t i = 0; i + (apr_size_t)hexadecimal < length; i += hexadecimal ? 2 : 1) {
        int value = hexadecimal ? digit_of(bytes[i]) * 16 + digit_of(bytes[i + 1]) : (unsigned char)bytes[i];
        if (hexadecimal && (digit_of(bytes[i]) < 0 || digit_of(bytes[i + 1]) < 0)) {
            return 0;
        }
        count += !seen[value];
        seen[value] = 1;
    }
    return count;
}

/* Also counts the encoded bytes of a hexadecimal key: one of four random keys of 64 digits lacks one of the 16
 * digits. */
const char *cat_secret_find_weakness(const char *bytes, apr_size_t length)
{
    if (count_values(bytes, length, 0) < CAT_SECRET_VALUES_LEAST &&
        count_values(bytes, length, 1) < CAT_SECRET_VALUES_LEAST) {
        return "has fewer than " APR_STRINGIFY(CAT_SECRET_VALUES_LEAST) " different bytes, so it can be guessed";
    }
    return is_text(bytes, length) && has_words(bytes, length) ? "is a text with spaces between words, not a random key"
                                                              : NULL;
}

const char *cat_secret_read_file(apr_pool_t *pool, const char *path, const char **text, apr_size_t *length)
{
    char *content = NULL;
    apr_size_t n = 0;
    const char *fault = cat_file_read(pool, path, 1, FILE_MAX, &content, &n);

    if (fault) {
        return fault;
    }
    /* the last of 32 random bytes can be a newline, and the one before it a carriage return */
    if (n >= 1 && content[n - 1] == '\n' && (n != CAT_SECRET_BITS / 8 || is_text(content, n))) {
        n--;
        if (n >= 1 && content[n - 1] == '\r' && is_text(content, n)) {
            return apr_psprintf(pool, "%s: ends in CR LF; run: sed -i 's/\\r$//' %s", path, cat_file_quote(pool, path));
        }
    }
    content[n] = '\0';
    *text = content;
    *length = n;
    return NULL;
}
