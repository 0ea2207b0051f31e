/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_OPERATIONS_H
#define CAT_CATALOGUE_OPERATIONS_H

#include "catalogue/product/own_slug.h"
#include "catalogue/product/product_name.h"
#include "catalogue/product/products.h"

/* Several writes of products in one transaction. */

typedef enum cat_operation_kind_t {
    CAT_OPERATION_NONE, /* skipped */
    CAT_OPERATION_CREATE,
    CAT_OPERATION_UPDATE,
    CAT_OPERATION_DELETE
} cat_operation_kind_t;

/* One of the writes; the functions of catalogue/product/products.h for one product say more about its fields. */
typedef struct cat_operation_t {
    cat_operation_kind_t kind;
    const char *id;                            /* of an update or deletion: any text; NULL: it has a name */
    const cat_product_name_t *name;            /* NULL: it has an id; otherwise that is a result */
    const cat_input_t *input;                  /* of an update */
    const cat_products_condition_t *condition; /* of an update or deletion; NULL: none */
    const char **created;                      /* of a creation: what to insert */
    cat_own_slugs_t slugs;                     /* of a creation: which fields of that are made */
    const char *const *product;                /* result: as a creation or update left it; NULL of a deletion */
    apr_status_t rv;                           /* result; that of a skipped one stays */
    const char *taken;                         /* result, with APR_EEXIST: for cat_products_note_taken */
    /* result, with APR_EEXIST at the end of an atomic run: its values that other products have, for cat_products_note_refused; otherwise NULL, and
     * `taken` names the field */
    apr_array_header_t *refused;
} cat_operation_t;

/* Is called in the transaction after the last operation, when nothing prevents all of them and each has its result; again
 * if the transaction is repeated. */
typedef void cat_operations_finish_t(void *baton);

typedef struct cat_operations_t {
    cat_operation_t *list;
    int count;                       /* at least 1 */
    int is_atomic;                   /* flag: one that fails prevents all */
    cat_operations_finish_t *finish; /* NULL: none */
    void *baton;                     /* of finish */
    int failed;                      /* result: index of the first that failed, if that prevented all; otherwise -1 */
} cat_operations_t;

/*
 * Runs the operations one after the other in one transaction, so that each sees the writes of those before it. In an atomic run an operation
 * may set a unique value that a later operation frees; until then a name with this value still means the product that had it before. Sets the
 * result of each: APR_SUCCESS, APR_NOTFOUND, the status of its condition, CAT_EVALUE, CAT_ETOOLONG, CAT_ENOIMAGE, APR_EEXIST or, if it is
 * not atomic, CAT_EFILLING.
 *
 * is_atomic: if one fails, the status of the first is returned, and nothing is stored; those that would have succeeded
 * have APR_SUCCESS. Otherwise those that succeed are stored, and APR_SUCCESS is returned; if none does, the transaction is
 * rolled back, unless a companion (db/db.h) has to store that.
 *
 * A failure of the database prevents all in either case, and is returned; `failed` is -1, and the results say nothing.
 */
apr_status_t cat_operations_run(apr_pool_t *pool, cat_db_t *db, cat_operations_t *operations);

#endif
