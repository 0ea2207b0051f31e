/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_FACETS_H
#define CAT_CATALOGUE_FACETS_H

#include "catalogue/product/value_counts.h"
#include "catalogue/search/plan.h"
#include "catalogue/search/stock.h"
#include "catalogue/search/widen.h"

/* Counts the values of fields among the products of a list. */

typedef struct cat_search_facet_t {
    int field; /* of the mount's fields */
    int count;
    int is_cut;                      /* flag: there are more values than the client asked for */
    const cat_value_count_t *values; /* the most frequent first, then by octets */
} cat_search_facet_t;

/* What a list has beside its rows. */
typedef struct cat_search_end_t {
    apr_int64_t total;          /* products that match; -1: they were not counted */
    int is_more;                /* flag: total is conf->count_limit, and there are more */
    int has_next;               /* flag: products follow those in the answer */
    cat_list_position_t last;   /* of the last product in the answer, where has_next */
    cat_search_facet_t *facets; /* in the order of the fields */
    int facet_count;
    int is_sample; /* flag: the facets count the newest conf->count_limit of the products only */
    const cat_correction_t
        *corrections;     /* by which words that the client has not asked for products of the answer are found */
    int correction_count; /* 0: by none */
    cat_width_t width;    /* for which words of q there are such words */
    int is_for_now;       /* flag: the counters will know facets that they do not know yet */
} cat_search_end_t;

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
