/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_PRODUCTS_H
#define CAT_CATALOGUE_PRODUCTS_H

#include "catalogue/product/product.h"
#include "catalogue/product/own_keys.h"
#include "catalogue/product/product_keys.h"
#include "db/db.h"
#include "shm/response_cache.h"

/*
 * Products in the database. Only these functions write products; each keeps the counts (catalogue/product/counts.h) and
 * invalidates the cached answers that it makes stale (db/answer_cache.h), so no caller has to.
 *
 * A product is a record of the mount's fields (catalogue/product/product.h). APR_NOTFOUND, which is not logged: no
 * product has the id. Other failures are those of db/db.h.
 */

/* How a product is read and written for a client. */
typedef struct cat_products_form_t {
    /* *row: that of the product which the baton knows, on the pool of db; NULL: there is none that the client may see. find NULL: every
     * client may see all. */
    apr_status_t (*find)(void *baton, cat_db_t *db, const char *const **row);
    /* Sets *body to the response body for a stored product, on a pool that the baton knows. */
    void (*represent)(void *baton, const char *const *product, const char **body, apr_size_t *length);
    void *baton;
} cat_products_form_t;

/* Sets the item's body, length and hash (cat_etag_hash): from the response cache, or by finding and representing the
 * product, whose body is then cached. now: the time of the request. id: any text. */
apr_status_t cat_products_get_one(cat_db_t *db, const char *id, apr_time_t now, const cat_products_form_t *form,
                                  cat_item_t *item);

/* The object of the product within a body that cat_products_form_t writes, for cat_json_next_member. */
const char *cat_products_object(const char *body);

/* A condition on the stored product. The transaction of the write calls judge, so no other writer changes the product
 * in between; it may do so several times. Any status but APR_SUCCESS prevents the write, and is returned: CAT_ECHANGED
 * where the product does not meet the condition. */
typedef struct cat_products_condition_t {
    apr_status_t (*judge)(void *baton, const char *const *product);
    void *baton;
} cat_products_condition_t;

/* After a write that failed with APR_EEXIST: adds an error of code "taken" to the input for the field that it was refused for, `taken` of
 * its cat_db_t, and for each other unique field that it sets to a value of another product than id, which may be NULL. */
apr_status_t cat_products_note_taken(cat_db_t *db, cat_input_t *input, const char *id, const char *taken);

/* Adds an error of code "taken" to the input for each field that it sets and that is among the values which cat_own_keys_take_waiting refused. */
apr_status_t cat_products_note_refused(cat_db_t *db, cat_input_t *input, const apr_array_header_t *refused);

/* The name of the field that the last write was refused for; "": none. */
const char *cat_products_name_taken(cat_db_t *db);

#define CAT_PRODUCTS_DRAWS 16 /* tries to find an id whose number is free */

/* Draws the ids of records again whose numbers are taken, in their order. All records must be of different microseconds. CAT_EBUSY: a number was taken
 * CAT_PRODUCTS_DRAWS times. The caller has begun the transaction that inserts them with one of the functions below; if another transaction takes a
 * number meanwhile, the transaction is begun again. */
apr_status_t cat_products_free_numbers(cat_db_t *db, const char **const *products, int count);

/* APR_EEXIST: another product has the value of a unique field, which `taken` of db is; or, if that is NULL, the number of the id. */
apr_status_t cat_products_insert_one(cat_db_t *db, const char *const *product);

/* Inserts rows (catalogue/product/product.h). The caller has begun a transaction, and rolls back after a failure. *inserted: how
 * many come before the row that it is about. */
apr_status_t cat_products_insert_many(cat_db_t *db, const char *const *const *rows, int count, int *inserted);

/* The fields of the shop's own would take more room than a row has for them (CAT_PRODUCT_EXTRA_MAX). */
#define CAT_ETOOLONG (APR_OS_START_USERERR + 23)

/* Changes the fields that the input sets or clears, and if that makes a difference, those that say when. APR_EEXIST: another product has the
 * value of a unique field. CAT_ETOOLONG: the product would be too long. CAT_ENOIMAGE, CAT_EIMAGES: see
 * catalogue/product/product_images.h. After a failure nothing is changed. input: of cat_fields_check with the mount's fields and CAT_UPDATE.
 * condition: NULL for none. *product: as this update left it, on the pool of db. */
apr_status_t cat_products_update_one(cat_db_t *db, const char *id, const cat_input_t *input,
                                     const cat_products_condition_t *condition, const char *const **product);

/* condition: NULL for none. */
apr_status_t cat_products_delete_one(cat_db_t *db, const char *id, const cat_products_condition_t *condition);

/* Runs work, which makes about `writes` writes with the functions below, in a transaction; see cat_db_transact.
 * changed: the ids (const char *) of the products that it updates or deletes. Work may fill it, anew whenever it runs. */
apr_status_t cat_products_transact(cat_db_t *db, const apr_array_header_t *changed, int writes, cat_work_t *work,
                                   void *baton);

/* Runs `work`, which gives products a default, in a transaction. changed: the ids (const char *) of these products; `work` may fill it, again
 * whenever it runs. */
apr_status_t cat_products_give_default(cat_db_t *db, const apr_array_header_t *changed, cat_work_t *work, void *baton);

/* The product as an update would leave it, on the pool. input: as above. */
const char *const *cat_products_merge(apr_pool_t *pool, const char *const *product, const cat_input_t *input);

/* Would the update change the product, its pictures aside? NULL: it has no values yet. */
int cat_products_changes(const cat_input_t *input, const char *const *product);

/* *product: as it is, on the pool of db; no other writer changes it before the end of the transaction. To lock products
 * in the order of their ids prevents deadlocks between transactions that lock several. */
apr_status_t cat_products_lock(cat_db_t *db, const char *id, const char *const **product);

/* Locks several products in the order of their ids, which it sorts (const char *); unknown ones are passed over. Where the
 * database has one writer at a time, there is nothing to lock. */
apr_status_t cat_products_lock_many(cat_db_t *db, apr_array_header_t *ids);

/* One of several writes within the transaction. A product that is updated or deleted must be locked. APR_EEXIST: another product has the
 * value of a unique field, or, with insert_row, the number of the id; CAT_ETOOLONG as above. input, *product: as above. */
apr_status_t cat_products_insert_within(cat_db_t *db, const char *const *product);
apr_status_t cat_products_insert_row_within(cat_db_t *db, const char *const *row); /* with all of the column extra */
apr_status_t cat_products_update_within(cat_db_t *db, const char *id, const cat_input_t *input,
                                        const char *const **product);
apr_status_t cat_products_delete_within(cat_db_t *db, const char *id);

/* Inserts several products with few statements. It is not known which of them a failure is about, and those before it may be stored, so the
 * transaction must be rolled back. Unique values that other products have wait (cat_own_keys_wait). Adds the words of the products to `postings`,
 * which the caller inserts at the end of the transaction, so that the words of many products are in the order of the table. */
apr_status_t cat_products_insert_many_within(cat_db_t *db, const char *const *const *products, int count,
                                             const cat_product_postings_t *postings);

#endif
