/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_H
#define CAT_DB_POOL_H

#include "db/source.h"

/*
 * A pool of connections of our own, for a database that mod_dbd does not know: mod_dbd has one per virtual host, a mount may
 * have another. driver and params are as DBDriver and DBDParams take them. On the pool; each child fills its own.
 */
cat_source_t *cat_pool_create(apr_pool_t *pool, const char *driver, const char *params);

/* What it was made with; 0: the source is another connector's. */
int cat_pool_settings(const cat_source_t *source, const char **driver, const char **params);

#endif
