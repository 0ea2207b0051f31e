/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_INDEX_BUILDER_H
#define CAT_CATALOGUE_INDEX_BUILDER_H

#include "catalogue/search/index_table.h"
#include "db/db.h"

/* Compares the index table with the indexes that the database has, and creates and drops them. What readers know of that
 * is in catalogue/search/indexes.h. */

typedef enum {
    CAT_INDEX_PRESENT, /* as it should be */
    CAT_INDEX_ABSENT,  /* likewise: not wanted, and not there */
    CAT_INDEX_MISSING, /* wanted, and not there */
    CAT_INDEX_INVALID, /* there, but the database does not use it: PostgreSQL was interrupted while it created it */
    CAT_INDEX_UNUSED   /* there, and not wanted */
} cat_index_state_t;

typedef struct cat_index_status_t {
    const cat_index_t *index;
    cat_index_state_t state;
    apr_int64_t size; /* octets; 0: not there, or the database does not say */
} cat_index_status_t;

/* status[CAT_INDEX_COUNT]: in the order of the index table, for a mount that keeps these parts. */
apr_status_t cat_index_builder_look(cat_db_t *db, int kept, cat_index_status_t *status);

/* Creates an index that is missing or invalid, and drops one that is unused, as the database says now: others may have
 * been first. Statuses of cat_definition_run; db is another use than the definition's. */
apr_status_t cat_index_builder_run(cat_definition_t *definition, cat_db_t *db, int kept, const cat_index_t *index);

#endif
