/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CHANGES_H
#define CAT_CATALOGUE_CHANGES_H

#include <apr_tables.h>

#include "catalogue/product/change_notes.h"
#include "db/db.h"

/*
 * The changes of products that CatalogHistory keeps, in the order in which they were committed. Their numbers, seq, have holes, but a change
 * that is read later never has a lower one than those that were read before: so a reader who stores the last one misses none.
 */

/* A change, on the pool of db. */
typedef struct cat_change_t {
    apr_int64_t seq; /* 0: it is not numbered yet */
    apr_time_t at;
    const char *op;                 /* CAT_CHANGE_CREATE, ... */
    const char *id;                 /* of the product */
    const char *user_id, *username; /* NULL: nobody's; NULL: not known, or of another issuer */
    apr_int64_t batch;
    apr_int64_t number; /* orders the changes of a product, numbered or not; no clients know it */
    const char *former; /* catalogue/product/change_notes.h; NULL also where the function does not read it */
} cat_change_t;

/* The history does not reach back as far as that, or has no such change: the database was restored from an older copy. Not logged. */
#define CAT_EPURGED (APR_OS_START_USERERR + 29)

/*
 * The changes after `since`, at most limit, oldest first: an array of cat_change_t. *next: the seq of the last one, or since if there is
 * none. since 0: from the first change that is kept. CAT_CHANGES_END: no changes, and *next is the end of the history: what is read of the
 * products from then on has all changes up to there. CAT_EPURGED: changes after since have been deleted, or since is behind the last one.
 * On a database server, a change can be read about half a second after its commit.
 */
#define CAT_CHANGES_END (-1)
apr_status_t cat_changes_after(cat_db_t *db, apr_int64_t since, int limit, apr_array_header_t **changes,
                               apr_int64_t *next);

/* *purged: changes up to this number have been deleted. *end: the highest one that a change has, or had. 0: none. */
apr_status_t cat_changes_find_purged(cat_db_t *db, apr_int64_t *purged);
apr_status_t cat_changes_find_end(cat_db_t *db, apr_int64_t *end);

#define CAT_BATCH_MOST "9223372036854775807" /* above the ids of all batches */

/* A batch: the changes of one request. */
typedef struct cat_change_batch_t {
    apr_int64_t id;
    apr_time_t at;
    const char *user_id; /* NULL: nobody's */
    const char *source;  /* CAT_SOURCE_REQUEST, ... */
    apr_int64_t row_count;
    apr_int64_t after_number;
    int is_complete;               /* flag: no more portions are to come */
    apr_int64_t undoes, undone_by; /* batches; 0: none */
} cat_change_batch_t;

/* APR_NOTFOUND: there is no such batch, or it is older than the history. */
apr_status_t cat_changes_get_batch(cat_db_t *db, apr_int64_t id, cat_change_batch_t *batch);

/*
 * Goes back through the changes of a product from the newest one, and calls step with each, with `former`, and with the rows of the product
 * before and after it; NULL: there was none. What step gets is valid during the call. CAT_ENOUGH from step ends it. To be called in a view
 * (cat_db_view), or in a transaction, which locks the product then.
 */
typedef apr_status_t cat_changes_step_t(void *baton, const cat_change_t *change, const char *const *before,
                                        const char *const *after);
apr_status_t cat_changes_walk(cat_db_t *db, const char *id, cat_changes_step_t *step, void *baton);

/* *count: how many changes the history has of the product. *number: of the one with the seq; APR_NOTFOUND: the product has none. */
apr_status_t cat_changes_count(cat_db_t *db, const char *id, apr_int64_t *count);
apr_status_t cat_changes_find(cat_db_t *db, const char *id, apr_int64_t seq, apr_int64_t *number);

/* *row: the product as it was before its change with the number, on the pool of db; NULL: there was none. APR_NOTFOUND: it has no such change.
 * Called as cat_changes_walk. */
apr_status_t cat_changes_read_before(cat_db_t *db, const char *id, apr_int64_t number, const char *const **row);

#endif
