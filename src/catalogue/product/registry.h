/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_REGISTRY_H
#define CAT_CATALOGUE_REGISTRY_H

#include <stdatomic.h>

#include "catalogue/product/own_fields.h"
#include "db/db.h"

/*
 * The fields of the shop's own that a database knows, the table catalog_fields: those of all its servers, and those whose lines of
 * CatalogField were removed. Every server keeps the keys of all of them (catalogue/product/own_keys.h), whatever lines it has itself.
 */
typedef struct cat_registry_t {
    const cat_fields_t *fields; /* the built-in ones, then those that the database knows */
    const char **numbers;       /* by field, decimal, as product_keys has it; NULL: built-in */
    unsigned char *is_complete; /* by field, flag: all products have its keys */
    unsigned char *is_counted;  /* by field, flag: writers count its values (catalogue/product/value_counts.h) */
    int has_keys, has_unique, has_words; /* flags: some field is indexed, unique, searched */
    int has_facets;                      /* flag: some field is a facet */
    const char *text;                    /* what it was made of */
    apr_time_t made;                     /* when this process first saw it so */
    _Atomic apr_time_t *refused;         /* when a contradiction was logged last; by all threads */
    apr_pool_t *pool;                    /* it is on this pool, as long as the process lives */
} cat_registry_t;

/*
 * *registry: what the database has known within the last second; with all fields of the mount, which are added if the database does not
 * know them yet. CAT_ENOTREADY, logged: the database has another type for one of them. Other failures are those of db/db.h.
 */
apr_status_t cat_registry_get(cat_db_t *db, const cat_registry_t **registry);

/* Takes the options from a field that no server has a line for, so that no server keeps keys of it, a second later. */
apr_status_t cat_registry_retire(cat_db_t *db, const cat_registry_t *registry, int field);

/* The field of the registry that has the name; fields->count: there is none. */
int cat_registry_find(const cat_registry_t *registry, const char *name);

/* The same of a field of a mount. */
int cat_registry_find_field(const cat_registry_t *registry, const cat_fields_t *fields, int field);

/* The same of one that has the number. */
int cat_registry_find_number(const cat_registry_t *registry, const char *number);

/* Does value_counts have all values of the field of the registry; 0 as well if there is none. */
int cat_registry_has_counts(const cat_registry_t *registry, int field);

#endif
