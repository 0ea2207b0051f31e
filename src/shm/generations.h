/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_GENERATIONS_H
#define CAT_SHM_GENERATIONS_H

#include <apr.h>
#include <apr_time.h>

/*
 * Tells whether data read from a database still matches the database. Uses memory that all children of a server share.
 * Readers and writers take no lock, and a child may be killed at any time.
 *
 * A reader takes a stamp before it reads rows. The result is valid as long as a new stamp would be equal. A writer
 * invalidates what it changed after its commit and before its response.
 */
typedef struct cat_generations_t cat_generations_t; /* counters of one database */

typedef struct cat_stamp_t {
    apr_uint64_t epoch, generation;
} cat_stamp_t;

/* Returns the bytes of shared memory for the counters of all databases. The memory must be zeroed. */
apr_size_t cat_generations_size(void);

/* Returns the counters of the database with this name. Must be called before the children are forked. Returns NULL if
 * all 64 slots are taken by other databases. */
cat_generations_t *cat_generations_find(void *memory, const char *name);

/* Returns the current stamp for the product with this id, or for lists if `id` is NULL. Products share 32,768
 * generations, so a change of one product may invalidate another. */
cat_stamp_t cat_generations_read(const cat_generations_t *generations, const char *id);

/* Invalidates all lists and, if `id` is not NULL, the product that was updated or deleted. `id` is NULL after a product
 * was created. */
void cat_generations_invalidate(cat_generations_t *generations, const char *id);

/* Invalidates everything after an unknown change of the database. */
void cat_generations_invalidate_all(cat_generations_t *generations);

#endif
