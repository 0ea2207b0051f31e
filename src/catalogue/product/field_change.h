/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_FIELD_CHANGE_H
#define CAT_CATALOGUE_FIELD_CHANGE_H

#include "catalogue/product/list_key.h"
#include "catalogue/product/registry.h"

/*
 * Removes a field of the shop's own from the database, or gives its values to another field, in portions, while servers read and write.
 * No server may have a line for the field.
 *
 *     cat_field_change_begin   and CAT_FIELD_CHANGE_DELAY later each server leaves the field's keys alone
 *     cat_field_change_next    for each portion, from CAT_LIST_KEY_MAX on, until it is the last
 *     cat_field_change_end
 *
 * Each is the work of a transaction, which goes by the fields that the database has then. CAT_ECHANGED: one of the two is gone, or is another
 * one by now. What was ended in between is begun anew.
 */
typedef struct cat_field_change_t {
    cat_db_t *db;
    const char *name, *type;
    const char *target; /* gets the values; NULL: no field does */
    apr_int64_t from;   /* the portion is below this number */
    /* Results of a portion: */
    apr_int64_t end; /* the number below which the next one is */
    int rows, changed,
        dropped; /* products, those that had the field, and those of them that had a value of the target already */
    int is_last; /* flag: no older products are left */
    const char *taken; /* after APR_EEXIST: a product whose value another one has in the target */
    /* Of the transaction: */
    const cat_registry_t *registry;
    int field, to; /* of the registry */
} cat_field_change_t;

#define CAT_FIELD_CHANGE_DELAY apr_time_from_sec(3)

cat_work_t cat_field_change_begin, cat_field_change_next, cat_field_change_end;

#endif
