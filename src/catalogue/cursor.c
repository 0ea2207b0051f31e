/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/cursor.h"

#include <string.h>

#include <apr_encode.h>
#include <apr_strings.h>
#include <openssl/crypto.h>

#define SEAL_OCTETS 16 /* of CAT_KEY_SEAL_OCTETS */
#define SEPARATOR ' '

/* "1763731170442 01a1fdf9-d28a-7c59-b8ec-c42b5a960857", followed by the octets of the seal, in base64url. */
const char *cat_cursor_write(apr_pool_t *pool, const cat_key_t *key, const cat_list_key_t *after)
{
    apr_size_t time_length = strlen(after->created_at), id_length = strlen(after->id);
    apr_size_t length = time_length + 1 + id_length;
    char *content = apr_palloc(pool, length + CAT_KEY_SEAL_OCTETS);

    memcpy(content, after->created_at, time_length);
    content[time_length] = SEPARATOR;
    memcpy(content + time_length + 1, after->id, id_length);
    if (!cat_key_seal(key, content, length, (unsigned char *)content + length)) {
        return NULL;
    }
    return apr_pencode_base64_binary(pool, (unsigned char *)content, (apr_ssize_t)(length + SEAL_OCTETS),
                                     APR_ENCODE_BASE64URL, NULL);
}

/* Reads a cursor whose seal has not been checked. */
static int decode(apr_pool_t *pool, const char *text, cat_list_key_t *after)
{
    apr_size_t length;
    const char *content = apr_pdecode_base64(pool, text, APR_ENCODE_STRING, APR_ENCODE_NONE, &length);
    const char *between;

    if (!content || length <= SEAL_OCTETS) {
        return 0;
    }
    length -= SEAL_OCTETS;
    between = memchr(content, SEPARATOR, length);
    if (!between) {
        return 0;
    }
    after->created_at = apr_pstrmemdup(pool, content, (apr_size_t)(between - content));
    after->id = apr_pstrmemdup(pool, between + 1, (apr_size_t)(content + length - between - 1));
    return 1;
}

/* A list key and a sealing key have exactly one text, so writing it again finds every change. */
int cat_cursor_read(apr_pool_t *pool, const cat_keys_t *keys, const char *text, cat_list_key_t *after)
{
    if (!*text) {
        *after = CAT_LIST_KEY_MAX;
        return 1;
    }
    if (!decode(pool, text, after)) {
        return 0;
    }
    for (int i = 0; i < keys->count; i++) {
        const char *again = cat_cursor_write(pool, keys->all[i], after);
        if (again && strlen(again) == strlen(text) && CRYPTO_memcmp(again, text, strlen(text)) == 0) {
            return 1;
        }
    }
    return 0;
}
