/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cursors: where in a list the next page begins, as a text that clients cannot forge.
 *
 * A cursor is the position of the last product of a page, followed by the first 16 octets of a MAC, in base64url:
 *
 *     "1849393246042849507" NUL "14.9" ... | MAC
 *      its number               a value for each field of the order
 *
 * The MAC is made with the newest of the server's keys, over the position and the canonical spelling of the conditions,
 * words and order, so a cursor is valid for its own list only. Nothing of a cursor is stored. A client's cursor is checked
 * by writing its position again with each of the keys, and comparing the texts.
 */
#include "catalogue/query/cursor.h"

#include <string.h>

#include <apr_encode.h>
#include <apr_strings.h>
#include <openssl/crypto.h>

#include "lib/buffer.h"

#define SEAL_OCTETS 16   /* of CAT_KEY_SEAL_OCTETS */
#define CONTENT_SIZE 128 /* octets: a guess of a cursor's, before it is encoded */

/* "1849393246042849507", and a NUL and the text for each further value. */
static void add_position(cat_buffer_t *b, const cat_list_position_t *after)
{
    cat_buffer_add_int(b, after->n);
    for (int i = 0; i < CAT_LIST_SORT_MAX && after->values[i]; i++) {
        cat_buffer_add(b, "", 1);
        cat_buffer_add_text(b, after->values[i]);
    }
}

/* The list follows the position in a line of its own, which it cannot leave, so no position continues into it. */
static int seal_position(cat_buffer_t *b, const cat_key_t *key, const char *list,
                         unsigned char seal[CAT_KEY_SEAL_OCTETS])
{
    apr_size_t length = b->length;
    int is_sealed;

    if (*list) {
        CAT_BUFFER_LITERAL(b, "\n");
        cat_buffer_add_text(b, list);
    }
    is_sealed = cat_key_seal(key, b->data, b->length, seal);
    b->length = length;
    return is_sealed;
}

/* The position, followed by the octets of the seal, in base64url. */
const char *cat_cursor_write(apr_pool_t *pool, const cat_key_t *key, const char *list, const cat_list_position_t *after)
{
    unsigned char seal[CAT_KEY_SEAL_OCTETS];
    cat_buffer_t b;

    cat_buffer_init(&b, pool, CONTENT_SIZE);
    add_position(&b, after);
    if (!seal_position(&b, key, list, seal)) {
        return NULL;
    }
    cat_buffer_add(&b, (const char *)seal, SEAL_OCTETS);
    return apr_pencode_base64_binary(pool, (unsigned char *)b.data, (apr_ssize_t)b.length, APR_ENCODE_BASE64URL, NULL);
}

/* Further values, of which each follows a NUL. */
static int decode_values(apr_pool_t *pool, const char *at, const char *end, cat_list_position_t *after)
{
    for (int i = 0; at < end; i++) {
        apr_size_t length = strnlen(at + 1, (apr_size_t)(end - at - 1));
        if (i == CAT_LIST_SORT_MAX) {
            return 0;
        }
        after->values[i] = apr_pstrmemdup(pool, at + 1, length);
        at += 1 + length;
    }
    return 1;
}

/* Reads a cursor whose seal has not been checked. */
static int decode(apr_pool_t *pool, const char *text, cat_list_position_t *after)
{
    apr_size_t length;
    const char *content = apr_pdecode_base64(pool, text, APR_ENCODE_STRING, APR_ENCODE_NONE, &length);
    const char *end;
    apr_size_t digits;

    if (!content || length <= SEAL_OCTETS) {
        return 0;
    }
    end = content + length - SEAL_OCTETS;
    digits = strnlen(content, (apr_size_t)(end - content));
    *after = (cat_list_position_t){.n = apr_atoi64(apr_pstrmemdup(pool, content, digits))};
    return decode_values(pool, content + digits, end, after);
}

/* A position, a list and a sealing key have exactly one text, so writing it again finds every change. */
int cat_cursor_read(apr_pool_t *pool, const cat_keys_t *keys, const char *list, const char *text,
                    cat_list_position_t *after, const cat_key_t **key)
{
    *key = NULL;
    if (!*text) {
        *after = (cat_list_position_t){.n = CAT_LIST_KEY_MAX};
        return 1;
    }
    if (!decode(pool, text, after)) {
        return 0;
    }
    for (int i = 0; i < keys->count; i++) {
        const char *again = cat_cursor_write(pool, keys->all[i], list, after);
        if (again && strlen(again) == strlen(text) && CRYPTO_memcmp(again, text, strlen(text)) == 0) {
            *key = keys->all[i];
            return 1;
        }
    }
    return 0;
}
