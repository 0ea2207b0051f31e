/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_MOUNT_DATABASE_H
#define CAT_HTTPD_MOUNT_DATABASE_H

#include "httpd/server.h"

/* While the configuration is checked: can the mount's children work with its database, as far as is seen without opening it? NULL:
 * yes; the source knows its path then. Otherwise what the mount lacks and the line or command that mends it, on the pool. */
const char *cat_mount_database_check(apr_pool_t *pool, const cat_mount_t *mount);

#endif
