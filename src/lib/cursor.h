/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_CURSOR_H
#define CAT_LIB_CURSOR_H

#include "lib/keyring.h"

/* A place in the list of products: behind this record, which need not be there any more. */
typedef struct cat_cursor_t {
    const char *created_at; /* as stored */
    const char *id;
} cat_cursor_t;

/* The cursor as a client gets it, opaque and sealed with the key, in characters that need no encoding in a URL. On the pool. NULL:
 * no memory. */
const char *cat_cursor_write(apr_pool_t *pool, const cat_key_t *key, const cat_cursor_t *cursor);

/* Is it one that cat_cursor_write made with any of these keys? Then *cursor is what it was, on the pool. "" is the place before all
 * records. */
int cat_cursor_read(apr_pool_t *pool, const cat_keys_t *keys, const char *text, cat_cursor_t *cursor);

#endif
