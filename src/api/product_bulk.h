/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PRODUCT_BULK_H
#define CAT_API_PRODUCT_BULK_H

#include "catalogue/bulk.h"
#include "http/route.h"

/* POST /products/batch with `where` (api/product_batch.c): changes all products that match. */
cat_handler_t cat_product_bulk_run;

/* GET and DELETE /products/batch/:id: a change that a job of the server makes. */
cat_handler_t cat_product_bulk_get, cat_product_bulk_stop;

/* The same parts of answers for changes that are asked for in another way: 202 with the job; and the counts and errors of one that was made. */
cat_answer_t *cat_product_bulk_answer_begun(cat_request_t *q, const char *const *job, const char *message);
void cat_product_bulk_add_result(cat_request_t *q, cat_answer_t *answer, const cat_bulk_result_t *result);

extern const cat_description_t cat_product_bulk_about_get, cat_product_bulk_about_stop;

/* The schema of the body; a reference to it. */
json_t *cat_product_bulk_describe(cat_describer_t *d);

/* The answer where a job makes the change; and what one has that was made at once, besides success and message. */
extern const cat_shape_t cat_product_bulk_job_answer;
#define CAT_PRODUCT_BULK_MEMBERS                                                                                       \
    {"matched", &cat_schema_whole, CAT_RARELY, "With `where`: how many products match"},                               \
        {"changed", &cat_schema_whole, CAT_RARELY, "With `where`: how many of them were changed or deleted"},          \
        {"unchanged", &cat_schema_whole, CAT_RARELY, "With `where`: how many were already as they should be"},         \
        {"failed", &cat_schema_whole, CAT_RARELY,                                                                      \
         "With `where` and `atomic` false: how many were left as they are, because they would become invalid"},        \
        {"errors", &cat_description_errors, CAT_RARELY, "What was wrong with the first of these"}

#endif
