/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_QUERY_SORT_H
#define CAT_CATALOGUE_QUERY_SORT_H

#include "catalogue/product/list_key.h"
#include "catalogue/product/product.h"
#include "http/parameters.h"

/* The order of a list: "-price,name". */

typedef struct cat_query_sort_t {
    int field; /* of the mount's fields; id: it is the last one */
    int descending;
} cat_query_sort_t;

/* An order is an array of CAT_LIST_SORT_MAX fields; the functions that set one return how many it has. */

/* What stands for the order of catalogue/search/relevance.h, alone. */
#define CAT_QUERY_RELEVANCE "relevance"

/* Sets the order to what the parameter, the first of its list, says, without what the order has anyway; or to the default, and
 * is_by_relevance. 0: a fault was added. */
int cat_query_sort_parse(cat_parameters_t *p, const cat_conf_t *conf, const cat_parameter_t *parameter,
                         cat_query_sort_t *sort, int *is_by_relevance);

/* Sets the default: newest first. */
int cat_query_sort_by_default(cat_query_sort_t *sort);

/* 1: the order is the default. */
int cat_query_sort_is_default(const cat_query_sort_t *sort, int count);

/* Writes the parameter's value. */
void cat_query_sort_write(cat_buffer_t *b, const cat_fields_t *fields, const cat_query_sort_t *sort, int count);

/* The schema of the parameter: an array. And adds relevance to it. */
json_t *cat_query_sort_describe(const cat_conf_t *conf);
void cat_query_sort_add_relevance(json_t *schema);

#endif
