/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CURSOR_H
#define CAT_CATALOGUE_CURSOR_H

#include "catalogue/list_key.h"
#include "jose/key.h"
#include "jose/keyring.h"

/* The list key that a client continues after, as opaque text sealed with the key, in characters that need no encoding
 * in a URL. On the pool. NULL: no memory. */
const char *cat_cursor_write(apr_pool_t *pool, const cat_key_t *key, const cat_list_key_t *after);

/* 1: cat_cursor_write made the text with one of these keys, and *after is what it was made of, on the pool; "" gives
 * CAT_LIST_KEY_MAX. 0: the text is no cursor, or was sealed with another key. */
int cat_cursor_read(apr_pool_t *pool, const cat_keys_t *keys, const char *text, cat_list_key_t *after);

#endif
