/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_VALUE_LIST_H
#define CAT_CATALOGUE_VALUE_LIST_H

#include "catalogue/product/value_counts.h"

/* The values of a field whose values are counted (catalogue/product/value_counts.h), and how many products have each. */

typedef enum { CAT_VALUES_BY_VALUE, CAT_VALUES_BY_COUNT } cat_values_order_t;

/* Which values. By value: in the order of cat_value_counts_key, then of octets. By count, descending: the most frequent first, then in the order
 * of octets; ascending: the reverse. */
typedef struct cat_value_query_t {
    int field; /* of the registry */
    cat_values_order_t order;
    int descending;     /* flag */
    const char *prefix; /* of the key; "": all */
    apr_int64_t offset, limit;
} cat_value_query_t;

typedef struct cat_value_list_t {
    apr_array_header_t *values; /* cat_value_count_t, on the pool of db; at most the limit */
    int has_more;               /* flag: others follow */
} cat_value_list_t;

/* In a transaction that sees one state of the database. Reads about as many rows as offset and limit say. */
apr_status_t cat_value_list_read(cat_db_t *db, const cat_registry_t *registry, const cat_value_query_t *query,
                                 cat_value_list_t *list);

/* The same of several queries by one statement, count of them and 1 at least; each offset is 0. *products: how many products there are;
 * products may be NULL. */
apr_status_t cat_value_list_read_first(cat_db_t *db, const cat_registry_t *registry, const cat_value_query_t *queries,
                                       int count, cat_value_list_t *lists, apr_int64_t *products);

/* The same of values that were counted otherwise (cat_value_count_t), which it sorts. *total: how many have the prefix. fields, query->field:
 * any table's. */
void cat_value_list_take(const cat_fields_t *fields, const cat_value_query_t *query, const apr_array_header_t *counted,
                         cat_value_list_t *list, apr_int64_t *total);

/* *total: how many values there are; the count stops soon after most. */
apr_status_t cat_value_list_count(cat_db_t *db, const cat_registry_t *registry, const cat_value_query_t *query,
                                  apr_int64_t most, apr_int64_t *total);

#endif
