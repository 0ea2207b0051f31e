/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_BULK_REQUEST_H
#define CAT_CATALOGUE_BULK_REQUEST_H

#include "catalogue/query/query.h"

/* A change of all products that match, as POST /products/batch takes it: {"where": "category=tea", "set": {"inStock": true}}. */

#define CAT_BULK_ATOMIC_MAX 10000 /* products that one transaction changes */

/* A number of each product, which becomes (number * factor + addend), rounded to the places. */
typedef struct cat_bulk_adjustment_t {
    int field;
    const char *factor, *addend; /* decimal texts (lib/decimal.h); NULL: it stays */
    int places;                  /* -1: all */
} cat_bulk_adjustment_t;

typedef struct cat_bulk_request_t {
    const cat_fields_t *fields; /* of products */
    cat_list_query_t query;     /* which products; its order is that of the list */
    int is_deletion, is_dry, is_atomic;
    apr_int64_t expect;                       /* how many products the client expects to match; -1: any number */
    cat_input_t set;                          /* what all of them get; without fields where it was not sent */
    const cat_bulk_adjustment_t *adjustments; /* no field twice, none that is set */
    int adjustment_count;
    json_t *errors; /* {field, code, message}, the field with its path: "where.price[lt]"; NULL: none */
} cat_bulk_request_t;

/* strict: an unknown field of a product is an error; any other unknown name is one in any case, because a condition that is not understood
 * would change all products. 0: request->errors says why. On the pool. */
int cat_bulk_request_parse(apr_pool_t *pool, const cat_conf_t *conf, int strict, const json_t *body,
                           cat_bulk_request_t *request);

/* Adds the schema of such a body; set: that of its member `set`, which it takes over. A reference to it. */
json_t *cat_bulk_request_describe(cat_describer_t *d, json_t *set);

#endif
