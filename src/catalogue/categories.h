/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CATEGORIES_H
#define CAT_CATALOGUE_CATEGORIES_H

#include <apr_tables.h>

#include "db/db.h"

/* A category and its number of indexed products, which is at least 1. */
typedef struct cat_category_t {
    const char *name;
    const char *key; /* the name, folded */
    apr_int64_t count;
} cat_category_t;

typedef enum { CAT_CATEGORIES_BY_NAME, CAT_CATEGORIES_BY_COUNT } cat_categories_order_t;

typedef struct cat_categories_query_t {
    const char *prefix; /* of the folded name; "": all */
    cat_categories_order_t order;
    int descending; /* flag */
} cat_categories_query_t;

/* *list: all categories that match, as cat_category_t, on db's pool, without the empty category. Names are in the order of
 * their folded form, then of their octets; equal counts in the order of names. The part CAT_INDEX_CATEGORY of the index
 * must be complete (catalogue/indexes.h). */
apr_status_t cat_categories_list(cat_db_t *db, const cat_categories_query_t *query, apr_array_header_t **list);

#endif
