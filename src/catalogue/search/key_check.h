/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_KEY_CHECK_H
#define CAT_CATALOGUE_KEY_CHECK_H

#include "catalogue/product/portion.h"
#include "catalogue/search/indexes.h"

/* What catalogue/product/own_keys.h keeps of the fields that are complete, compared with the next products, as
 * cat_indexes_compare and cat_indexes_fill do with the parts of the index; and what it still keeps of products between these that are gone. A
 * value that another product has cannot be mended; it is logged. */
cat_indexes_step_t cat_key_check_compare, cat_key_check_mend;

/* The same of unique values whose products are gone. */
cat_indexes_step_t cat_key_check_compare_owners, cat_key_check_mend_owners;

/* Gives products, which the transaction has locked, the keys of a field and of the pairs that it is in: adds the rows to `rows`, for the caller to
 * insert. Deletes keys of these products that another writer has inserted already, which is rare, and the keys of deleted products between these.
 * from: the number below which the products are. Returns APR_EEXIST if another product has the unique value of one of the products. */
apr_status_t cat_key_check_fill(cat_db_t *db, const cat_registry_t *registry, int field, apr_int64_t from,
                                const cat_portion_t *products, apr_array_header_t *rows);

#endif
