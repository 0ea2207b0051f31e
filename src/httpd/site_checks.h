/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_SITE_CHECKS_H
#define CAT_HTTPD_SITE_CHECKS_H

#include "httpd/server.h"

/* Finds mistakes in the site's own directives and files around the module, while the configuration is checked. */

/* pre_config hook, which runs when httpd has parsed the directives but not processed them. Logs the package of a
 * DBDriver that cannot be loaded and that mod_dbd is about to refuse (CAT075). Returns OK. */
int cat_site_checks_driver(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp);

/* Finds a <Location> with directives of the module that no request can reach. Returns NULL if there is none. Otherwise
 * returns the cause and the line to write, on the pool, and sets *path to the path of the section. */
const char *cat_site_checks_sections(apr_pool_t *pool, const char **path);

/* Finds a file or directory in the mount's settings that the children need but cannot access. Returns NULL if there is
 * none. Otherwise returns the cause, on the pool. */
const char *cat_site_checks_files(apr_pool_t *pool, const cat_mount_t *mount);

/* Logs warnings about settings that work but are dangerous: secrets that the children can read or change (CAT076),
 * client addresses that clients choose (CAT077), a CatalogImageCache that cannot be written (CAT082), and pages without
 * a Content-Security-Policy (CAT084). */
void cat_site_checks_warn(apr_pool_t *pool, server_rec *main_server);

#endif
