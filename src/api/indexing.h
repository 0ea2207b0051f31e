/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_INDEXING_H
#define CAT_API_INDEXING_H

#include "catalogue/lists.h"
#include "http/answer.h"
#include "http/request.h"

/* Returns NULL if the query can read its parts of the index (query->parts) and the index keys of its fields
 * (query->keyed). Otherwise returns the response that refuses the list: CatalogIndex leaves a part out, some products
 * are not indexed yet, or the database fails. */
cat_answer_t *cat_indexing_refuse(cat_request_t *q, const cat_list_query_t *query);

/* Returns the 503 response for a list while `percent` of the products are indexed. */
cat_answer_t *cat_indexing_answer(cat_request_t *q, int percent);

#endif
