/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CURSOR_H
#define CAT_CATALOGUE_CURSOR_H

#include "catalogue/product.h"
#include "jose/key.h"
#include "jose/keyring.h"

/* The place behind a product as a client gets it, opaque and sealed with the key, in characters that need no encoding in a URL. On
 * the pool. NULL: no memory. */
const char *cat_cursor_write(apr_pool_t *pool, const cat_key_t *key, const cat_place_t *place);

/* Is it one that cat_cursor_write made with any of these keys? Then *place is what it was, on the pool. "" is the place before all
 * records. */
int cat_cursor_read(apr_pool_t *pool, const cat_keys_t *keys, const char *text, cat_place_t *place);

#endif
