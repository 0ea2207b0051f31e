/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_HANDLE_H
#define CAT_DB_HANDLE_H

#include <apr_dbd.h>
#include <apr_pools.h>

/* An open connection, as its pool hands it out. */
typedef struct cat_db_handle_t {
    const apr_dbd_driver_t *driver;
    apr_dbd_t *dbd;
    apr_pool_t *pool; /* lives as long as the connection: what is kept with it is kept here */
    void *owner;      /* the connector's own */
} cat_db_handle_t;

/* One row's values in the statement's column order, NULL for SQL's NULL; good until the function returns, which asks the database
 * for nothing. Anything but APR_SUCCESS ends the calls; the remaining rows are still drained. APR_EOF: it has seen enough, and
 * nothing is wrong. */
typedef apr_status_t cat_row_t(void *baton, const char *const *values, int count);

#endif
