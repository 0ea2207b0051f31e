/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_TIMELINE_H
#define CAT_DB_POOL_TIMELINE_H

#include "db/connection/connection_state.h"

/* Guards against a former primary of PostgreSQL. Does nothing on other databases. Used by the thread that has the connection. */

/*
 * Call when a session has been set up. APR_SUCCESS: the server is the newest primary that the children of this server have seen, or a
 * stand-by. CAT_ENOTREADY, noted: another server was promoted since, and this one is cut off, so that its next use opens a connection
 * to whichever host is first then. CAT_ELOST: the connection is gone.
 */
apr_status_t cat_timeline_check(cat_connection_t *conn);

/* The same of a connection that was kept, without a question to the database. */
apr_status_t cat_timeline_check_again(cat_connection_t *conn);

#endif
