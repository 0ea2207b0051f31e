/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_RESTORE_H
#define CAT_CATALOGUE_RESTORE_H

#include "catalogue/changes/changes.h"

/* In the transaction of cat_products_transact: locks the product. *present: its row; NULL: there is none. */
apr_status_t cat_restore_lock(cat_db_t *db, const char *id, const char *const **present);

/*
 * Then makes the product what the row says, which cat_changes_read_before has read; NULL: deletes it.
 * A product that was deleted has its id, its createdAt and those of its pictures again that the database still has; fields that say when a
 * product was changed say now. What is there already is left as it is: *is_changed 0.
 * remakes: true if the server makes its unique values of other fields (from=) again where other products have them.
 * APR_EEXIST: another product has the value of a unique field (cat_products_name_taken), or, if that is "", somebody has put the product back since
 * it was not there. CAT_ETOOLONG as in catalogue/product/products.h.
 */
apr_status_t cat_restore_put(cat_db_t *db, const char *id, const char *const *present, const char *const *row,
                             int remakes, int *is_changed);

typedef struct cat_restoration_t {
    cat_db_t *db;
    const char *id;
    apr_int64_t seq;
    cat_work_t *finish;         /* of the same transaction, if the product has become another */
    void *baton;                /* of finish */
    const char *const *product; /* then: its record */
} cat_restoration_t;

/*
 * Makes the product what it was before the change seq. APR_NOTFOUND: the product has no such change, or the history is not kept as long.
 * CAT_ENOPRODUCT: there was no product before the change, which created it, or the history does not say what it was. APR_EEXIST,
 * CAT_ETOOLONG as above.
 */
#define CAT_ENOPRODUCT (APR_OS_START_USERERR + 30)
apr_status_t cat_restore_product(cat_restoration_t *restoration);

#endif
