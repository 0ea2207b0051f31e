/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_HANDLE_H
#define CAT_DB_CONNECTION_HANDLE_H

#include <apr_dbd.h>
#include <apr_pools.h>
#include <apr_time.h>

/* An open connection, as the connector of its source hands it out. */
typedef struct cat_db_handle_t {
    const apr_dbd_driver_t *driver;
    apr_dbd_t *dbd;
    apr_pool_t *pool;   /* lives as long as the connection; for what is kept with it */
    void *owner;        /* the connector's own */
    apr_time_t checked; /* when it left its pool, which checks it then; set by its source */
    int is_warm;        /* flag: it has been used and kept since (db/pool/warm.h) */
} cat_db_handle_t;

#endif
