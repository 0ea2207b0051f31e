/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CORRECTIONS_H
#define CAT_CATALOGUE_CORRECTIONS_H

#include "catalogue/query/query.h"
#include "catalogue/search/widen.h"
#include "db/db.h"

/* Names the words by which the products of an answer were found although the client has not asked for them. */

typedef struct cat_corrections_t cat_corrections_t;

/* Begins an answer to the question asked, which was widened, on the pool of db. */
cat_corrections_t *cat_corrections_begin(cat_db_t *db, const cat_list_query_t *asked, const cat_widened_t *widened);

/* Looks at the next product of the answer, with the columns of catalogue/product/product.h: for each word of q that it does not have, it is the
 * likeliest of the other words that it has that is named. Only the first CAT_CORRECTIONS_PRODUCTS are looked at. */
void cat_corrections_note(cat_corrections_t *corrections, const char *const *values);

#define CAT_CORRECTIONS_PRODUCTS 100

/* The words that are named, in the order of q, the likeliest first, as products spell them. Returns for how many words of q there are some. */
int cat_corrections_end(const cat_corrections_t *corrections, const cat_correction_t **named);

#endif
