/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CURSOR_H
#define CAT_CATALOGUE_CURSOR_H

#include "catalogue/product/list_key.h"
#include "jose/key.h"
#include "jose/keyring.h"

/* A cursor is the position that a client continues after, as opaque text in characters that need no encoding in a URL,
 * sealed with a key to a list: a text that says which list it is, without control characters; "" for the plain list. */

/* On the pool. No value of the position has a NUL. NULL: no memory. */
const char *cat_cursor_write(apr_pool_t *pool, const cat_key_t *key, const char *list,
                             const cat_list_position_t *after);

/* 1: cat_cursor_write made the text for the list with one of these keys, *key, and *after is what it was made of, on the
 * pool; "" gives the beginning, CAT_LIST_KEY_MAX, and NULL, as nothing is sealed. 0: the text is no cursor, or one of
 * another list or key. */
int cat_cursor_read(apr_pool_t *pool, const cat_keys_t *keys, const char *list, const char *text,
                    cat_list_position_t *after, const cat_key_t **key);

#endif
