/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_POOL_H
#define CAT_DB_POOL_POOL_H

#include "db/pool/source.h"

/*
 * The module's own pool of connections, for a mount whose database is not the one that its virtual host has in mod_dbd.
 * driver and params are as for DBDriver and DBDParams. On the pool; each child has connections of its own.
 */
cat_source_t *cat_pool_create(apr_pool_t *pool, const char *driver, const char *params);

/* The driver and params of a source; 0: it has another connector. */
int cat_pool_settings(const cat_source_t *source, const char **driver, const char **params);

#define CAT_POOL_CAUSE_MAX 256 /* bytes of a driver's message that are kept */

/* Copies the first line of `words`, the message with which a driver refused to open a connection. Copies another text if the line may contain a
 * secret. */
void cat_pool_copy_cause(char cause[CAT_POOL_CAUSE_MAX], const char *words);

#endif
