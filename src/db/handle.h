/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_HANDLE_H
#define CAT_DB_HANDLE_H

#include <apr_dbd.h>
#include <apr_pools.h>

/* An open connection, as the connector of its source hands it out. */
typedef struct cat_db_handle_t {
    const apr_dbd_driver_t *driver;
    apr_dbd_t *dbd;
    apr_pool_t *pool; /* lives as long as the connection; for what is kept with it */
    void *owner;      /* the connector's own */
} cat_db_handle_t;

#endif
