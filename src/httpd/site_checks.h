/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_SITE_CHECKS_H
#define CAT_HTTPD_SITE_CHECKS_H

#include "httpd/server.h"

/* What the site's own directives and files do to the module, found while the configuration is checked. */

/* A hook of pre_config, when the directives are known but not run: names the package of a DBDriver that cannot be loaded, which mod_dbd
 * is about to refuse. */
int cat_site_checks_driver(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp);

/* A <Location> with directives of the module that no request can reach. NULL: there is none; otherwise what is wrong and the line to
 * write, on the pool, and *path, its path. */
const char *cat_site_checks_sections(apr_pool_t *pool, const char **path);

/* A file or directory of the mount's settings that the children use and may not. NULL: none; otherwise the fault, on the pool. */
const char *cat_site_checks_files(apr_pool_t *pool, const cat_mount_t *mount);

/* Logs what works and is dangerous: of the secrets of mounts (CAT076), and of the addresses of clients (CAT077). */
void cat_site_checks_warn(apr_pool_t *pool, server_rec *main_server);

#endif
