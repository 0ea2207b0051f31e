/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_USE_H
#define CAT_DB_POOL_USE_H

#include <apr_pools.h>

#include "lib/conf.h"
#include "lib/log.h"

typedef struct cat_use_t cat_use_t;

/* A use of a database, as db/db.h describes it: what it was made with, to read, and what src/db keeps of it. */
typedef struct cat_db_t {
    apr_pool_t *pool; /* cat_db_use_pool changes it */
    const cat_conf_t *conf;
    const cat_log_t *log;
    cat_use_t *use; /* db/pool/checkout.h */
} cat_db_t;

#endif
