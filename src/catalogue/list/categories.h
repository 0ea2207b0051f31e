/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CATEGORIES_H
#define CAT_CATALOGUE_CATEGORIES_H

#include "catalogue/query/query.h"
#include "catalogue/search/value_list.h"
#include "db/db.h"

/*
 * Reads categories, and how many indexed products each has, at least 1; the empty one is not listed. query: its field says nothing here; the
 * prefix is that of a folded name of any length. Names are in the order of their folded form, of which the first CAT_PRODUCT_KEY_SIZE octets
 * count, then of their octets; equal counts are in the order of names, whichever way the counts go. of: only the categories of these products
 * are listed and counted; NULL: those of all. *list: on the pool of db, without has_more. *total: how many categories have the prefix.
 */
apr_status_t cat_categories_read(cat_db_t *db, const cat_value_query_t *query, const cat_list_query_t *of,
                                 cat_value_list_t *list, apr_int64_t *total);

#endif
