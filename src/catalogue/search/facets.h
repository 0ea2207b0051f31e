/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_FACETS_H
#define CAT_CATALOGUE_FACETS_H

#include "catalogue/search/plan.h"
#include "catalogue/search/search.h"
#include "catalogue/search/stock.h"

/* Counts the values of fields among the products of a list. */

/* What the counters of categories and stock say of a list. */
typedef struct cat_counters_t {
    int decide;                        /* True if the list has no other conditions, so that they know its length. */
    const cat_query_value_t *category; /* one or several; NULL: of any */
    int category_count;
    int in_stock;      /* 0 or 1; -1: both */
    int has_stock;     /* True if stock and each are read. */
    cat_stock_t stock; /* sum of the categories */
    cat_stock_t *each; /* by category */
} cat_counters_t;

cat_counters_t cat_counters_choose(const cat_list_query_t *query);

/* Reads the counters if the list or its facets need them. */
apr_status_t cat_counters_read(cat_db_t *db, const cat_list_query_t *query, cat_counters_t *counters);

/* Reads the total of the list, if the counters know it; otherwise *total is -1. */
apr_status_t cat_counters_count(cat_db_t *db, cat_counters_t *counters, apr_int64_t *total);

/* Returns true if the counters were read and say that no product matches. */
int cat_counters_are_empty(const cat_counters_t *counters);

/* A list whose facets are counted. */
typedef struct cat_facets_t {
    cat_db_t *db;
    const cat_list_query_t *query; /* as the plan has it */
    const cat_plan_t *plan;
    cat_search_end_t *end; /* takes the facets; and the total, if they tell it */
    const cat_counters_t *counters;
    const cat_registry_t *registry;
    int has_category_counts;      /* True if the counters of categories have all products. */
    int are_categories_filled_in; /* True if they will soon. */
} cat_facets_t;

/* Sets end->facets and is_sample, and end->total if the products that were read for facets tell it. end->total >= 0 is kept. */
apr_status_t cat_facets_count(cat_facets_t *facets);

#endif
