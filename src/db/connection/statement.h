/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_STATEMENT_H
#define CAT_DB_CONNECTION_STATEMENT_H

#include "db/connection/connection.h"
#include "db/connection/select.h"

/*
 * Runs the prepared statements of a connection. A statement is prepared on first use and kept as long as the
 * connection; one that the database has dropped, after a change of the schema for instance, is prepared again. The
 * pool's own prepared statements are not used, because they stay dead for ever after that. Statuses as in connection.h,
 * CAT_EDOWN if the number of values is wrong, and two more: CAT_ECUT, and CAT_EDEAD where a dropped statement has ended
 * the transaction that it was in, which goes through when it is run again on the same connection.
 */
apr_status_t cat_statement_select(cat_connection_t *conn, apr_pool_t *pool, const cat_select_t *select);

/* Runs a statement that writes; NULL among the values is SQL's NULL. *changed: how many rows it matched. */
apr_status_t cat_statement_query(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values,
                                 int count, int *changed);

#endif
