/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_QUERY_CONDITIONS_H
#define CAT_CATALOGUE_QUERY_CONDITIONS_H

#include <apr.h>

#include "catalogue/product/own_field.h"
#include "catalogue/product/product.h"
#include "http/description.h"
#include "http/parameters.h"

/* The conditions of a list's query: "category=tea", "price[gte]=5". Which operators a field has follows from its row in
 * the field table. */

#define CAT_QUERY_CONDITIONS_MAX 20
#define CAT_QUERY_VALUES_MAX 100 /* of CAT_IN */

/* A value, of the kind of its field (of CAT_EXISTS: CAT_BOOLEAN; of CAT_LIST: an element). Of fields of the shop's own, text and folded
 * are what counts: catalogue/search/conditions.c makes the key. */
typedef struct cat_query_value_t {
    const char *text; /* as the record has it (lib/fields.h): what EQ, NE and IN of texts compare; never NULL */
    const char
        *folded; /* CAT_STRING but id and choices: cat_fold_text of it, what the other operators compare; else NULL */
    /* CAT_NUMBER: the bits of the IEEE double, which are in the order of the values (as the columns *_key have them);
     * CAT_QUERY_BELOW_ALL for a number below 0. CAT_BOOLEAN: 1 or 0. CAT_TIME: milliseconds. CAT_STRING: 0. */
    apr_int64_t key;
} cat_query_value_t;

/* A number below 0, which no product has: below the key of every number, and below -1, the key of a field not set. */
#define CAT_QUERY_BELOW_ALL (-2)

/* A field that is not set meets no condition but CAT_EXISTS with 0: of a field whose key may be -1, NE, LT, LTE, GT and
 * GTE must check that the key is 0 or more. */
typedef struct cat_query_condition_t {
    int field; /* of the mount's fields; one of CatalogVisible may be private, behind the fields that a reader's query has */
    cat_operator_t op;
    int count;                       /* of values: 1 unless the operator is CAT_IN or CAT_ALL */
    const cat_query_value_t *values; /* each once, on the pool */
} cat_query_condition_t;

/* The conditions that a query string has, while it is parsed. */
typedef struct cat_query_conditions_t {
    cat_query_condition_t *all;        /* ascending by field and operator; NULL: none */
    int count;                         /* at most CAT_QUERY_CONDITIONS_MAX */
    int taken;                         /* those with a fault included */
    int refused;                       /* names that are no condition */
    unsigned sent[CAT_FIELDS_MAX];     /* bits: 1U << the operator */
    unsigned repeated[CAT_FIELDS_MAX]; /* of those, what was sent twice */
} cat_query_conditions_t;

/* Can conditions on the field, and orders by it, be served? */
int cat_query_conditions_has_index(const cat_conf_t *conf, int field);

/* 1: the parameter is a condition, or was meant to be one: it is added, or its fault is. 0: it is something else.
 */
int cat_query_conditions_take(cat_query_conditions_t *conditions, cat_parameters_t *p, const cat_conf_t *conf,
                              const cat_parameter_t *parameter);

/* Compares conditions for qsort: by field, then by operator. */
int cat_query_conditions_compare(const void *one, const void *other);

/* Writes the conditions as parameters, each after "&". */
void cat_query_conditions_write(cat_buffer_t *b, const cat_fields_t *fields, const cat_query_condition_t *conditions,
                                int count);

/* Adds each condition that a query can have to the description of a route. */
void cat_query_conditions_describe(cat_describer_t *d);

#endif
