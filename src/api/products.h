/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PRODUCTS_H
#define CAT_API_PRODUCTS_H

#include <apr_time.h>
#include <jansson.h>

#include "catalogue/store.h"
#include "http/etag.h"
#include "http/route.h"
#include "lib/fields.h"

/* POST /products, and GET, PUT, PATCH and DELETE /products/:id. */
cat_handler_t cat_products_get, cat_products_create, cat_products_update, cat_products_patch, cat_products_remove;

extern const cat_description_t cat_products_about_get, cat_products_about_create, cat_products_about_update,
    cat_products_about_patch, cat_products_about_remove;

/* A product, with the built-in fields. */
extern const cat_shape_t cat_products_shape;

/* Adds its schema with all fields of the mount, before the first route that refers to it is described. */
void cat_products_describe(cat_describer_t *d);

/* What may stand for `:id` in the path of a product; of cat_description_t.param. */
#define CAT_PRODUCTS_PARAM "The product's id, or its name: `sku=KT-1` for a field `sku` that is `unique`"

/* The schemas of the body that creates a product, and of one that changes it; of cat_description_t.input. */
#define CAT_PRODUCTS_NEW "NewProduct"
#define CAT_PRODUCTS_CHANGE "ProductChange"

/* What may be sent to change a product: a new reference. */
json_t *cat_products_describe_change(const cat_describer_t *d);

/* cat_fields_check for a product. An update of no field is an error. */
void cat_products_check(cat_request_t *q, cat_purpose_t purpose, const json_t *body, cat_input_t *input);

/* The product that a checked body creates at the time. On the pool of q. */
const char **cat_products_make(cat_request_t *q, const cat_input_t *input, apr_time_t now);

/* The tag of the answer to GET for a stored product. On the pool. */
const char *cat_products_tag(apr_pool_t *pool, const cat_fields_t *fields, const char *const *product);

/* Do the conditions of a write hold for a stored product? They may have the tag that GET has for the writer, which is *tag, or the one
 * that it has for readers. */
cat_condition_t cat_products_judge(cat_request_t *q, const cat_conditions_t *conditions, const char *const *product,
                                   const char **tag);

/* The errors of an update that failed with CAT_ETOOLONG or CAT_ENOIMAGE, on the pool; NULL: it is another status. */
json_t *cat_products_refusals(apr_pool_t *pool, apr_status_t rv);

/* The product that a write is about, as its path says. */
typedef struct cat_products_target_t {
    const char *id;          /* any text */
    cat_product_name_t name; /* text NULL: it has none */
} cat_products_target_t;

/* APR_NOTFOUND: no product has the name, or the text is neither an id nor a name. CAT_EFILLING. */
apr_status_t cat_products_find_target(cat_request_t *q, cat_products_target_t *target);

/* Checks of a write that need the stored product: If-Match, If-None-Match, and whether the product still has its name. They also merge the patches
 * of `json` fields into the stored values. */
typedef struct cat_products_judgement_t {
    cat_request_t *q;
    const cat_products_target_t *target;
    cat_products_condition_t condition;
    const char *tag;    /* of the state that was judged last; NULL: none was */
    cat_input_t *merge; /* The update whose merge patches are applied to the stored product; NULL if it has none */
} cat_products_judgement_t;

/* What the write must require; NULL: there is no condition. */
const cat_products_condition_t *cat_products_require(cat_request_t *q, const cat_products_target_t *target,
                                                     cat_products_judgement_t *j);

/* The answer to a write that failed, after cat_products_require. */
cat_answer_t *cat_products_refuse(cat_request_t *q, apr_status_t rv, const cat_products_judgement_t *j);

#endif
