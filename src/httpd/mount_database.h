/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_MOUNT_DATABASE_H
#define CAT_HTTPD_MOUNT_DATABASE_H

#include "httpd/server.h"

/* While the configuration is checked: whether the children can use the mount's database, as far as that shows without opening it. NULL:
 * they can, and the source knows its path. Otherwise what the mount lacks and the line or command that fixes it, on the pool. */
const char *cat_mount_database_check(apr_pool_t *pool, const cat_mount_t *mount);

#endif
