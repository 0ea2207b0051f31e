/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOLED_CONNECTION_H
#define CAT_DB_POOLED_CONNECTION_H

#include "db/connection.h"
#include "db/source.h"

/* A connection on its way out of the pool, where it is made ready for statements, and back. */

/*
 * The conn of an open link, which is asked before it is used to_write, with the write lock, where there is one; made, and the session
 * set up, when the link is new. APR_SUCCESS; CAT_ELOST: the database dropped the connection while it lay in the pool, another may do;
 * CAT_ENOTREADY; CAT_EBUSY, logged: another child still makes the schema; or CAT_EDOWN, logged: no dialect knows the driver, the session
 * cannot be set up, or the database's file is gone or is another one than was opened.
 */
apr_status_t cat_pooled_connection_get(cat_source_t *source, const cat_db_handle_t *handle, int to_write,
                                       const cat_log_t *log, cat_connection_t **conn);

/* Before the connection goes back to its pool. */
void cat_pooled_connection_leave(cat_connection_t *conn);

#endif
