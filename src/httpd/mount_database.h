/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_MOUNT_DATABASE_H
#define CAT_HTTPD_MOUNT_DATABASE_H

#include "httpd/server.h"

/* Checks while the configuration is read whether the children will be able to use the mount's database, as far as that
 * shows without opening it, and sets the path of the mount's source if the database is a file. Returns NULL if no fault
 * is found. Otherwise returns what the mount lacks and the line or command that fixes it, on the pool. */
const char *cat_mount_database_check(apr_pool_t *pool, const cat_mount_t *mount);

#endif
