/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PRODUCTS_H
#define CAT_API_PRODUCTS_H

#include <apr_time.h>
#include <jansson.h>

#include "catalogue/store.h"
#include "http/etag.h"
#include "http/route.h"
#include "lib/fields.h"

/* Handle POST /products, and GET, PUT, PATCH and DELETE /products/:id. */
cat_handler_t cat_products_get, cat_products_create, cat_products_update, cat_products_patch, cat_products_remove;

extern const cat_description_t cat_products_about_get, cat_products_about_create, cat_products_about_update,
    cat_products_about_patch, cat_products_about_remove;

/* Shape of a product with the built-in fields. */
extern const cat_shape_t cat_products_shape;

/* Adds the schema of a product with all fields of the mount. Call it before the first route that refers to the schema
 * is described. */
void cat_products_describe(cat_describer_t *d);

/* Text for cat_description_t.param: what a path may have in the place of `:id` of a product. */
#define CAT_PRODUCTS_PARAM "The product's id, or its name: `sku=KT-1` for a field `sku` that is `unique`"

/* Names of schemas for cat_description_t.input: of a body that creates a product, and of a body that changes one. */
#define CAT_PRODUCTS_NEW "NewProduct"
#define CAT_PRODUCTS_CHANGE "ProductChange"

/* Returns a new reference to the schema of a body that changes a product. */
json_t *cat_products_describe_change(const cat_describer_t *d);

/* Checks the body of a product, like cat_fields_check (lib/fields.h), and fills `input`. It is an error if an update
 * has no field of a product. */
void cat_products_check(cat_request_t *q, cat_purpose_t purpose, const json_t *body, cat_input_t *input);

/* Sets the id and the times of a new product in the checked `input`, and returns its values, the record to insert. The
 * texts are on the pool of q. */
const char **cat_products_make(cat_request_t *q, const cat_input_t *input, apr_time_t now);

/* Returns the ETag that GET returns for the stored product, on the pool. */
const char *cat_products_tag(apr_pool_t *pool, const cat_fields_t *fields, const char *const *product);

/* Evaluates the conditions of a write against the stored product. The conditions may name the ETag that GET returns to
 * the writer, or the ETag that it returns to readers, who do not see private fields. Sets *tag to the first of
 * these. */
cat_condition_t cat_products_judge(cat_request_t *q, const cat_conditions_t *conditions, const char *const *product,
                                   const char **tag);

/* Returns the errors of an update that failed with CAT_ETOOLONG or CAT_ENOIMAGE, on the pool, or NULL for any other
 * status. */
json_t *cat_products_refusals(apr_pool_t *pool, apr_status_t rv);

/* The product that the path of a write names. */
typedef struct cat_products_target_t {
    const char *id;
    cat_product_name_t name; /* name.text is NULL if the path has an id. */
} cat_products_target_t;

/* Finds the product of the path. A path with an id is not looked up in the database. Returns APR_NOTFOUND if no product
 * has the name, or if the text is neither an id nor a name. Returns CAT_EFILLING if the index keys of the unique field
 * are not complete yet. */
apr_status_t cat_products_find_target(cat_request_t *q, cat_products_target_t *target);

/* Checks of a write that need the stored product: If-Match, If-None-Match, and whether the product still has its name.
 * An update with merge patches of `json` fields also merges them into the stored values here. */
typedef struct cat_products_judgement_t {
    cat_request_t *q;
    const cat_products_target_t *target;
    cat_products_condition_t condition;
    const char *tag;    /* ETag of the stored product that was checked last. NULL if none was checked. */
    cat_input_t *merge; /* Update whose merge patches are applied to the stored product. NULL if it has none. */
} cat_products_judgement_t;

/* Initializes *j. Returns the condition to pass to the write, or NULL if the request has no condition. */
const cat_products_condition_t *cat_products_require(cat_request_t *q, const cat_products_target_t *target,
                                                     cat_products_judgement_t *j);

/* Returns the response to a write that failed with `rv`. *j comes from cat_products_require. */
cat_answer_t *cat_products_refuse(cat_request_t *q, apr_status_t rv, const cat_products_judgement_t *j);

#endif
