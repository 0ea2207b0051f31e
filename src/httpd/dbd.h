/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_DBD_H
#define CAT_HTTPD_DBD_H

#include <httpd.h>

#include "db/source.h"

/* The pool that mod_dbd keeps for a virtual host, as a source. NULL: mod_dbd is not loaded. On the pool. */
cat_source_t *cat_dbd_create(apr_pool_t *pool, server_rec *s);

/* What DBDriver and DBDParams say for the server, while its configuration is being read or checked. NULL: nothing. */
void cat_dbd_settings(apr_pool_t *pool, const server_rec *s, const char **driver, const char **params);

#endif
