/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_DBD_H
#define CAT_HTTPD_DBD_H

#include <httpd.h>

#include "db/source.h"

/* All of these are for the time in which the configuration is checked. */

/* The pool that mod_dbd keeps for a server, as a source. NULL: mod_dbd is not loaded, or no DBDriver set. On the pool. */
cat_source_t *cat_dbd_create(apr_pool_t *pool, server_rec *s);

/* Does a virtual host say nothing of mod_dbd, so that its pool is the main server's? */
int cat_dbd_is_inherited(const server_rec *s, const server_rec *main_server);

/* What DBDriver and DBDParams say for the server; NULL: nothing. */
void cat_dbd_settings(apr_pool_t *pool, const server_rec *s, const char **driver, const char **params);

/* How many connections mod_dbd opens for the server in each child, before it has requests wait without limit. */
int cat_dbd_max(apr_pool_t *pool, const server_rec *s);

#endif
