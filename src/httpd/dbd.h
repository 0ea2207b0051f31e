/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_DBD_H
#define CAT_HTTPD_DBD_H

#include <httpd.h>

#include "db/setup.h"

/* Call these only while the configuration is checked. */

/* The pool that mod_dbd keeps for a server, as a source. NULL: mod_dbd is not loaded, or no DBDriver set. On the pool. */
cat_source_t *cat_dbd_create(apr_pool_t *pool, server_rec *s);

/* Flag: the virtual host has no directive of mod_dbd, so it uses the main server's pool. */
int cat_dbd_is_inherited(const server_rec *s, const server_rec *main_server);

/* DBDriver and DBDParams of the server; NULL: not set. */
void cat_dbd_settings(apr_pool_t *pool, const server_rec *s, const char **driver, const char **params);

/* The most connections that mod_dbd opens for the server in each child; beyond that, requests wait without limit. */
int cat_dbd_max(apr_pool_t *pool, const server_rec *s);

#endif
