/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_INDEXING_H
#define CAT_API_INDEXING_H

#include "http/answer.h"
#include "http/request.h"

/* Why a request that reads parts of the index, a set of catalogue/product/product_keys.h, cannot be answered: CatalogIndex leaves
 * one out, not all products have them yet, or the database does not say. NULL: all of them can be read. */
cat_answer_t *cat_indexing_refuse(cat_request_t *q, int parts);

#endif
