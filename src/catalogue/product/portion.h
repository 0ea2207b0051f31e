/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_PORTION_H
#define CAT_CATALOGUE_PORTION_H

#include <apr_tables.h>

#include "catalogue/product/list_key.h"
#include "catalogue/product/product.h"
#include "db/db.h"

/*
 * Some products on the way through all of them, from the newest to the oldest: as many as one transaction changes. Another transaction may
 * delete products after they were found and before they are locked, so a portion may have fewer than were asked for, or none, although
 * older ones are left.
 */
typedef struct cat_portion_t {
    apr_array_header_t *rows; /* const char *const *: the values that the statement selects */
    apr_int64_t
        end; /* the number below which the next portion is: that of the last product; without any, where this one began */
    int is_last; /* flag: it has no rows, and no older products are left */
} cat_portion_t;

#define CAT_PORTION_ROW(portion, i) APR_ARRAY_IDX((portion)->rows, i, const char *const *)

/* Reads the products below a number, on the pool of db. sql: SQL_INDEX_ROWS, which locks them, or SQL_INDEX_READ. most: at least 1. */
apr_status_t cat_portion_read(cat_db_t *db, cat_sql_t sql, apr_int64_t from, int most, cat_portion_t *portion);

#endif
