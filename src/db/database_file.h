/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_DATABASE_FILE_H
#define CAT_DB_DATABASE_FILE_H

#include <apr_pools.h>

#include "db/os_user.h"

/*
 * Can the user create and use a SQLite database at this path, with its side files beside it? NULL: yes, or it cannot be told.
 * Otherwise the path, what is in the way, and the command that mends it, on the pool. What the disk is to blame for, such as a
 * file system that is read-only, is not looked for.
 */
const char *cat_database_file_check(apr_pool_t *pool, const char *path, const cat_os_user_t *user);

/* Is it a path, and not a name that SQLite gives a meaning of its own: ":memory:", "" or a URI? */
int cat_database_file_is_path(const char *path);

#endif
