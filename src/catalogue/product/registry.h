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
    unsigned char *is_claimed;  /* by field, flag: product_unique has all values that products have, if it is unique */
    int has_keys, has_unique, has_words; /* flags: some field is indexed, unique, searched */
    int has_facets;                      /* flag: some field is a facet */
    int has_pairs;                       /* flag: some field is a pair (catalogue/product/own_fields.h) */
    int is_filling;                      /* flag: some field is not complete */
    apr_time_t *
        ordered_at; /* by field: when the configuration was read that decided the order of its values; 0: it is that of the first line */
    const char *text;            /* what it was made of */
    apr_time_t made;             /* when this process first saw it so */
    _Atomic apr_time_t *refused; /* when a contradiction was logged last; by all threads */
    _Atomic apr_int64_t *older;  /* of catalogue/search/key_filler.c; 0 at first */
    apr_pool_t *pool;            /* it is on this pool, as long as the process lives */
} cat_registry_t;

/* The products do not all have their keys of a field yet; not logged. Differs from all statuses of db/. */
#define CAT_EFILLING (APR_OS_START_USERERR + 24)

/*
 * *registry: what the database has known within the last second; with all fields of the mount, which are added if the database does not
 * know them yet. CAT_ENOTREADY, logged: the database has another type for one of them. Other failures are those of db/db.h.
 *
 * A transaction gets the same until its end, unless it only reads and calls cat_registry_get_now; one that writes begins anew if the
 * fields have changed before it commits. So writers of products call this within their transaction.
 */
apr_status_t cat_registry_get(cat_db_t *db, const cat_registry_t **registry);

/* The same, before a transaction or statement that may write the first product of the database: other writers then do not wait for its
 * end. Called outside a transaction. */
apr_status_t cat_registry_begin_writing(cat_db_t *db, const cat_registry_t **registry);

/* The same, as the database has it now; within a transaction that reads, as the database had it when that first asked. */
apr_status_t cat_registry_get_now(cat_db_t *db, const cat_registry_t **registry);

/* The same, but a field that is complete is known to be. */
apr_status_t cat_registry_get_filled(cat_db_t *db, const cat_registry_t **registry);

/* Returns the definition that a field gets once all products have its keys and its default: it leaves the default out. On the pool. */
const char *cat_registry_define_filled(apr_pool_t *pool, const cat_registry_t *registry, int field);

/* Adds nothing. *fault: how one of a mount's lines contradicts what the database has, with the line to write; NULL: none does. */
apr_status_t cat_registry_check(cat_db_t *db, const cat_fields_t *fields, const char **fault);

/*
 * Gives the values of choices the order of the mount's lines, if they have another one, and lets their keys be filled in anew; unless a
 * server whose configuration is newer has given them theirs. *overruled: the name of a field of which that is so; NULL: there is none.
 */
apr_status_t cat_registry_reorder(cat_db_t *db, const cat_registry_t *registry, const char **overruled);

/* Takes the options from a field that no server has a line for, so that no server keeps keys of it, a second later. Its words stay marked as
 * its own until no product has them. CAT_ECONFLICT: another server has changed the field. */
apr_status_t cat_registry_retire(cat_db_t *db, const cat_registry_t *registry, int field);

/* Are these options gone? */
int cat_registry_is_retired(apr_pool_t *pool, const cat_registry_t *registry, int field);

/* The field of the registry that has the name; fields->count: there is none. */
int cat_registry_find(const cat_registry_t *registry, const char *name);

/* The same of a field of a mount. */
int cat_registry_find_field(const cat_registry_t *registry, const cat_fields_t *fields, int field);

/* The same of one that has the number. */
int cat_registry_find_number(const cat_registry_t *registry, const char *number);

/* Does value_counts have all values of the field of the registry; 0 as well if there is none. */
int cat_registry_has_counts(const cat_registry_t *registry, int field);

#endif
