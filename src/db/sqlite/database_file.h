/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_DATABASE_FILE_H
#define CAT_DB_SQLITE_DATABASE_FILE_H

#include <apr_pools.h>

#include "db/sqlite/os_user.h"

/*
 * Can the user create and use a SQLite database at this path, or where a link there leads to, with its side files beside it, and read and
 * write those of its files that exist? NULL: yes, or it cannot be found out. Otherwise the path, the obstacle and the command that
 * removes it, on the pool. Faults of the disk, such as a read-only file system, are not looked for.
 */
const char *cat_database_file_check(apr_pool_t *pool, const char *named, const cat_os_user_t *user);

/* Is it a path, not a name with a special meaning for SQLite: ":memory:", "" or a URI? */
int cat_database_file_is_path(const char *path);

#endif
