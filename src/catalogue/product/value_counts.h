/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_VALUE_COUNTS_H
#define CAT_CATALOGUE_VALUE_COUNTS_H

#include "catalogue/product/registry.h"

/*
 * How many products have each value of each field with the option `facet`, exact after every write: the table value_counts. Only
 * catalogue/product/own_keys.c, which knows what a write changes, and the maintenance of counts write it.
 */

#define CAT_VALUE_SIZE 400 /* octets: longer values are not counted */

/* A value, and how many products have it. */
typedef struct cat_value_count_t {
    const char *value;
    apr_int64_t count;
} cat_value_count_t;

/* A change of the count of a value. */
typedef struct cat_value_change_t {
    const char *number, *key, *value; /* of the field; which orders the values; the exact text */
    apr_int64_t delta;
} cat_value_change_t;

/* The key that orders a value among those of the field, on the pool: numbers by value, all others by their folded text. */
const char *cat_value_counts_key(apr_pool_t *pool, const cat_fields_t *fields, int field, const char *value);

/* Adds a change to the array (cat_value_change_t), on its pool. */
void cat_value_counts_add(apr_array_header_t *changes, const cat_registry_t *registry, int field, const char *value,
                          int delta);

/* Writes the changes, in the transaction that has made them. */
apr_status_t cat_value_counts_write(cat_db_t *db, apr_array_header_t *changes);

/* *count: how many products have the value. */
apr_status_t cat_value_counts_get(cat_db_t *db, const char *number, const char *key, const char *value,
                                  apr_int64_t *count);

/* For the maintenance, in its transaction. Takes some of the delta rows out and adds them to the counts. *count: how many; fewer than most:
 * no more are left. */
apr_status_t cat_value_counts_apply(cat_db_t *db, int most, int *count);

/* Deletes the counts of a field, which no server marks any more. */
apr_status_t cat_value_counts_drop(cat_db_t *db, const char *number);

/* Counts all anew, in a transaction that has locked out the maintenance. */
apr_status_t cat_value_counts_rebuild(cat_db_t *db);

#endif
