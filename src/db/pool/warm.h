/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_WARM_H
#define CAT_DB_POOL_WARM_H

#include <apr_errno.h>
#include <apr_time.h>

#include "db/connection/database.h"
#include "db/connection/handle.h"

/*
 * The connections that a child keeps for a moment before it gives them back to their pool, which asks the server whether
 * a connection is alive each time it hands it out. A connection stays fresh for CAT_WARM_TIME after it left the pool,
 * however often it is used in between: so it is never long unchecked, and a busy child does not keep it from other users
 * of the pool. Used by all threads.
 */
typedef struct cat_warm_t cat_warm_t;

#define CAT_WARM_TIME apr_time_from_msec(100)

/* The end of the pool does not give the connections back: the caller does, with cat_warm_close. */
apr_status_t cat_warm_create(cat_warm_t **warm, apr_pool_t *pool, const cat_database_t *database);

/* Keeps an idle connection, if it is fresh and fewer than `most` are kept. 0: the caller must give it back. */
int cat_warm_keep(cat_warm_t *warm, const cat_db_handle_t *handle, int most, apr_time_t now);

/* Takes out the fresh connection that was used last. 0: there is none. */
int cat_warm_take(cat_warm_t *warm, cat_db_handle_t *handle, apr_time_t now);

/* Takes out one that is not fresh any more, for the caller to give back. 0: there is none. */
int cat_warm_expel(cat_warm_t *warm, cat_db_handle_t *handle, apr_time_t now);

/* No connection that has left its pool until now is fresh any more, because the server may have ended them all: as after the loss of
 * one, which the database knows. */
void cat_warm_distrust(cat_warm_t *warm, apr_time_t now);

/* From now on none is fresh. */
void cat_warm_close(cat_warm_t *warm);

#endif
