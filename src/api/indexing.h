/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_INDEXING_H
#define CAT_API_INDEXING_H

#include "catalogue/lists.h"
#include "http/answer.h"
#include "http/request.h"

/* Why a list that reads query->parts of the index and query->keyed, keys of fields, cannot be answered: CatalogIndex leaves
 * one out, not all products have them yet, or the database does not say. NULL: all of them can be read. */
cat_answer_t *cat_indexing_refuse(cat_request_t *q, const cat_list_query_t *query);

/* The answer while not all products have what a list reads. percent: how many have. */
cat_answer_t *cat_indexing_answer(cat_request_t *q, int percent);

#endif
