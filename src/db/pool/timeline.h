/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_TIMELINE_H
#define CAT_DB_POOL_TIMELINE_H

#include "db/connection/connection_state.h"

/* Guards against a former primary of PostgreSQL. Does nothing on other databases. Functions that take a connection are called by the thread
 * that has it. */

/*
 * Call when a session has been set up. Returns APR_SUCCESS if the server is the newest primary that the children of this server have seen,
 * or a stand-by; CAT_ENOTREADY, noted as the connection's fault, if another server was promoted since; CAT_ELOST if the connection is gone.
 */
apr_status_t cat_timeline_check(cat_connection_t *conn);

/* Compares the timeline of a connection that was kept, or is about to commit, with the newest one that is known, without asking the database.
 * Returns APR_SUCCESS, or CAT_ENOTREADY with the cause in the connection's fault. */
apr_status_t cat_timeline_check_again(cat_connection_t *conn);

/* After CAT_ENOTREADY: returns parameters that lead to the host with the newest timeline. Asks all hosts if this child does not know which
 * that is. Returns NULL if none of them has it. */
const char *cat_timeline_find_newest(cat_connection_t *conn);

/* Returns true for the first connection of this child that was led to the newest host since its promotion, so that the promotion is logged once. */
int cat_timeline_is_first_to_follow(cat_connection_t *conn);

/* Cuts off a connection that cannot be led to the newest host, so that its next use opens a connection to whichever host is first then. */
void cat_timeline_refuse(cat_connection_t *conn);

/* Asks all hosts for their timelines, unless this child has done so within the last second. dialect: NULL until the child has opened its
 * first connection. May be called by any thread. */
void cat_timeline_watch(cat_database_t *database, const cat_dialect_t *dialect);

#endif
