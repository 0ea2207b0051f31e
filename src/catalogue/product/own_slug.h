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

/* Returns which unique fields of the record have a value that the server makes of its other fields; NULL if there are none. */
cat_own_slugs_t cat_own_slugs_recognize(apr_pool_t *pool, const cat_fields_t *fields, const char *const *record);

/* After a write that failed with APR_EEXIST: makes those anew that other products have. APR_EEXIST: it is none of them. */
apr_status_t cat_own_slugs_renew(cat_db_t *db, cat_own_slugs_t slugs, const char **record);

/* In the transaction that writes the record, whose id is set: makes those anew that other products have, and takes the values for the record.
 * slugs: may be NULL. */
apr_status_t cat_own_slugs_claim(cat_db_t *db, cat_own_slugs_t slugs, const char **record);

#endif
