/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_POOLED_CONNECTION_H
#define CAT_DB_POOL_POOLED_CONNECTION_H

#include "db/connection/connection.h"
#include "db/pool/source.h"

/* Makes a connection ready for statements when it leaves its pool, and ready for the pool when it goes back. */

/*
 * The connection of an open handle. For a new handle it is created, on the handle's pool, and the session set up. A
 * connection that is to be used for a write (to_write: with the write lock, where there is one) is checked first. If
 * another host was promoted, the handle gets a connection to that host.
 *
 * CAT_ELOST: the database dropped the connection while it was in the pool, another one may do. CAT_ENOTREADY.
 * CAT_EBUSY, logged: another child is still creating the schema. CAT_EFULL, logged. CAT_EDOWN, logged: no dialect knows the driver, the
 * session cannot be set up, or the database's file was removed or replaced.
 */
apr_status_t cat_pooled_connection_get(cat_source_t *source, cat_db_handle_t *handle, int to_write,
                                       const cat_log_t *log, cat_connection_t **conn);

/* Replaces a session that has refused a write by a new one, and updates the handle. Returns CAT_EREADONLY if the session is new already. After
 * another failure the old session stays, or the connection is marked as lost. */
apr_status_t cat_pooled_connection_renew(cat_source_t *source, cat_db_handle_t *handle, const cat_log_t *log,
                                         cat_connection_t *conn);

/* Call it before the connection goes back to its pool. 0: it is not in order. */
int cat_pooled_connection_leave(const cat_source_t *source, cat_connection_t *conn);

#endif
