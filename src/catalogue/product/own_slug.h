/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_OWN_SLUG_H
#define CAT_CATALOGUE_OWN_SLUG_H

#include "db/db.h"
#include "lib/fields.h"

/* Fields of the shop's own that are made of others: from=name. */

/* Of a write, as others may take each value just before it; one of them succeeds each time. */
#define CAT_OWN_SLUG_TRIES 100

/* Which fields of a record are made, and by which attempt; by field, 0: it is not made. NULL: none is. */
typedef int *cat_own_slugs_t;

/* Makes the fields that the input for a new product lacks. Adds the faults of those that do not accept it, and of a product that is too
 * long for its row. */
void cat_own_slugs_complete(apr_pool_t *pool, const cat_fields_t *fields, cat_input_t *input);

/* Returns the unique fields of the record whose value is the one that the server makes of the record's other fields (from=), each with its attempt,
 * on the pool. Returns NULL if there are none. */
cat_own_slugs_t cat_own_slugs_recognize(apr_pool_t *pool, const cat_fields_t *fields, const char *const *record);

/* After a write that failed with APR_EEXIST: makes those anew that other products have. APR_EEXIST: it is none of them. */
apr_status_t cat_own_slugs_renew(cat_db_t *db, cat_own_slugs_t slugs, const char **record);

/* Takes the values of these fields for the record, whose id must be set, in the transaction that writes it. Where another product has a value,
 * makes another one and sets it in the record. Does nothing if `slugs` is NULL. */
apr_status_t cat_own_slugs_claim(cat_db_t *db, cat_own_slugs_t slugs, const char **record);

#endif
