/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_PRODUCTS_H
#define CAT_CATALOGUE_PRODUCTS_H

#include "catalogue/product.h"
#include "db/db.h"
#include "shm/response_cache.h"

/*
 * Where products are kept. These functions are the only ones that write products; each keeps the counts (catalogue/counts.h) and
 * invalidates the cached responses that it makes stale (catalogue/recall.h), so no caller has to.
 *
 * Beside the statuses that db/db.h names for faults they return APR_NOTFOUND, logged by nobody: there is no product with that id.
 * A record is an array of texts in the order of catalogue/product.h.
 */

/* Makes the response body for a stored product, on the pool of its own. */
typedef void cat_products_represent_t(void *baton, const char *const *product, const char **body, apr_size_t *length);

/* Sets item's body, length and hash: from the response cache, or as represent makes them from the row, and caches those. now: the
 * time of the request. Any text may be an id. */
apr_status_t cat_products_get_one(cat_db_t *db, const char *id, apr_time_t now, cat_products_represent_t *represent,
                                  void *baton, cat_item_t *item);

/* A condition on the stored product, judged in the transaction of the write: nobody else changes the product between the two. Any
 * status but APR_SUCCESS leaves the product as it is, and is returned. It may be called several times. */
typedef struct cat_products_condition_t {
    apr_status_t (*judge)(void *baton, const char *const *product);
    void *baton;
} cat_products_condition_t;

/* APR_EEXIST: the id is taken. */
apr_status_t cat_products_insert_one(cat_db_t *db, const char *const *product);

/* Within a transaction of the caller's, which must not be committed after a failure. *inserted: how many were inserted before it. */
apr_status_t cat_products_insert_many(cat_db_t *db, const char *const *const *products, int count, int *inserted);

/* Changes the fields that input gives or clears, and reads the product back in the same transaction. input: what CAT_UPDATE checked
 * against cat_product_fields. condition: NULL for none. *product lives on the pool of db. */
apr_status_t cat_products_update_one(cat_db_t *db, const char *id, const cat_input_t *input,
                                     const cat_products_condition_t *condition, const char *const **product);

/* condition: NULL for none. */
apr_status_t cat_products_delete_one(cat_db_t *db, const char *id, const cat_products_condition_t *condition);

#endif
