/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_DBD_H
#define CAT_HTTPD_DBD_H

#include <httpd.h>

#include "db/setup.h"

/* mod_dbd's settings and pool. Call these functions only while the configuration is checked. */

/* Returns mod_dbd's connection pool of a server as a database source, on the pool. Returns NULL if mod_dbd is not
 * loaded or DBDriver is not set. */
cat_source_t *cat_dbd_create(apr_pool_t *pool, server_rec *s);

/* Returns true if the virtual host has no directive of mod_dbd, so that it uses the main server's connection pool. */
int cat_dbd_is_inherited(const server_rec *s, const server_rec *main_server);

/* Sets *driver and *params to DBDriver and DBDParams of the server, or to NULL if they are not set. */
void cat_dbd_settings(apr_pool_t *pool, const server_rec *s, const char **driver, const char **params);

/* Returns DBDMax: the maximum number of connections that mod_dbd opens for the server in each child. Requests that need
 * another connection wait without a time limit. */
int cat_dbd_max(apr_pool_t *pool, const server_rec *s);

#endif
