/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_GENERATIONS_H
#define CAT_SHM_GENERATIONS_H

#include <apr.h>
#include <apr_time.h>

/*
 * Tells whether what was read from a database is still what the database holds, in memory that all children of a server share.
 * Readers and writers take no lock, and a child may be killed at any time.
 *
 * A reader takes a stamp before it reads rows. What it makes of them is valid as long as a new stamp would be equal. A writer
 * invalidates what it changed between its commit and its response.
 */
typedef struct cat_generations_t cat_generations_t; /* of one database */

typedef struct cat_stamp_t {
    apr_uint64_t epoch, generation;
} cat_stamp_t;

/* Octets of shared memory that all databases need together; zeroed. */
apr_size_t cat_generations_size(void);

/* The database's own, by its name. Only before the children are forked; NULL: there is no room for another database. */
cat_generations_t *cat_generations_find(void *memory, const char *name);

/* The stamp of now. id: a product's, of which some share one of 32,768 generations; NULL: the lists'. */
cat_stamp_t cat_generations_read(const cat_generations_t *generations, const char *id);

/* Invalidates a product that was updated or deleted, and all lists. id NULL: only the lists, since a product was created. */
void cat_generations_invalidate(cat_generations_t *generations, const char *id);

/* Invalidates everything: what happened to the database is unknown. */
void cat_generations_invalidate_all(cat_generations_t *generations);

#endif
