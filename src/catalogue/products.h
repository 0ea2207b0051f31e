/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_PRODUCTS_H
#define CAT_CATALOGUE_PRODUCTS_H

#include "catalogue/product.h"
#include "db/db.h"
#include "shm/response_cache.h"

/*
 * Products in the database. Only these functions write products; each keeps the counts (catalogue/counts.h) and
 * invalidates the cached answers that it makes stale (catalogue/answer_cache.h), so no caller has to.
 *
 * A product is an array of texts, as stored, in the order of catalogue/product.h. APR_NOTFOUND, which is not logged: no
 * product has the id. Other failures are those of db/db.h.
 */

/* Sets *body to the response body for a stored product, on a pool that the baton knows. */
typedef void cat_products_represent_t(void *baton, const char *const *product, const char **body, apr_size_t *length);

/* Sets the item's body, length and hash (cat_etag_hash): from the response cache, or by calling represent with the
 * product, whose body is then cached. now: the time of the request. id: any text. */
apr_status_t cat_products_get_one(cat_db_t *db, const char *id, apr_time_t now, cat_products_represent_t *represent,
                                  void *baton, cat_item_t *item);

/* A judge returns it when the stored product does not meet the condition. Differs from all statuses of db/status.h. */
#define CAT_ECHANGED (APR_OS_START_USERERR + 20)

/* A condition on the stored product. The transaction of the write calls judge, so no other writer changes the product
 * in between; it may do so several times. Any status but APR_SUCCESS prevents the write, and is returned. */
typedef struct cat_products_condition_t {
    apr_status_t (*judge)(void *baton, const char *const *product);
    void *baton;
} cat_products_condition_t;

/* APR_EEXIST: a product has the id. */
apr_status_t cat_products_insert_one(cat_db_t *db, const char *const *product);

/* The caller has begun a transaction, and rolls back after a failure. *inserted: how many were inserted before it. */
apr_status_t cat_products_insert_many(cat_db_t *db, const char *const *const *products, int count, int *inserted);

/* Changes the fields that the input sets or clears. input: of cat_fields_check with cat_product_fields and CAT_UPDATE.
 * condition: NULL for none. *product: as this update left it, on the pool of db. */
apr_status_t cat_products_update_one(cat_db_t *db, const char *id, const cat_input_t *input,
                                     const cat_products_condition_t *condition, const char *const **product);

/* condition: NULL for none. */
apr_status_t cat_products_delete_one(cat_db_t *db, const char *id, const cat_products_condition_t *condition);

#endif
