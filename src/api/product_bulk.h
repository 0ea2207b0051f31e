/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PRODUCT_BULK_H
#define CAT_API_PRODUCT_BULK_H

#include "catalogue/bulk.h"
#include "http/route.h"

/* Handles POST /products/batch if the body has `where`: changes all products that match. Called by
 * cat_product_batch_run. */
cat_handler_t cat_product_bulk_run;

/* Handle GET and DELETE /products/batch/:id: report and stop a change that a background job makes. */
cat_handler_t cat_product_bulk_get, cat_product_bulk_stop;

/* Returns the 202 response for a change that a background job will make, with its Location. `job` is a record of
 * cat_bulk_job_fields. */
cat_answer_t *cat_product_bulk_answer_begun(cat_request_t *q, const char *const *job, const char *message);

/* Adds the counts and the errors of a change that has been made to the response. */
void cat_product_bulk_add_result(cat_request_t *q, cat_answer_t *answer, const cat_bulk_result_t *result);

extern const cat_description_t cat_product_bulk_about_get, cat_product_bulk_about_stop;

/* Returns a new reference to the schema of the body. */
json_t *cat_product_bulk_describe(cat_describer_t *d);

/* Shape of the response if a background job makes the change. */
extern const cat_shape_t cat_product_bulk_job_answer;

/* Members of the response if the change was made at once, besides success and message. */
#define CAT_PRODUCT_BULK_MEMBERS                                                                                       \
    {"matched", &cat_schema_whole, CAT_RARELY, "With `where`: how many products match"},                               \
        {"changed", &cat_schema_whole, CAT_RARELY, "With `where`: how many of them were changed or deleted"},          \
        {"unchanged", &cat_schema_whole, CAT_RARELY, "With `where`: how many were already as they should be"},         \
        {"failed", &cat_schema_whole, CAT_RARELY,                                                                      \
         "With `where` and `atomic` false: how many were left as they are, because they would become invalid"},        \
        {"errors", &cat_description_errors, CAT_RARELY, "What was wrong with the first of these"}

#endif
