/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_DATABASE_FILE_H
#define CAT_DB_SQLITE_DATABASE_FILE_H

#include <apr_pools.h>

#include "db/sqlite/os_user.h"

/*
 * Can the user create and use a SQLite database at this path, or where a link there leads to, with its side files beside it, and read and
 * write those of its files that exist? NULL: yes, or it cannot be found out. Otherwise the path, the obstacle and the command that
 * removes it, on the pool. A read-only file system is no obstacle, because a database on it can be read.
 */
const char *cat_database_file_check(apr_pool_t *pool, const char *named, const cat_os_user_t *user);

/* Does what cat_database_file_check does, for the user of this process, and returns a read-only file system as an obstacle, too. */
const char *cat_database_file_explain(apr_pool_t *pool, const char *named);

/* Returns a fault, with its remedy, if nobody may create or open the database at this path: the file is missing or empty, but its WAL has commits,
 * which SQLite would delete. Otherwise returns NULL. */
const char *cat_database_file_find_orphan(apr_pool_t *pool, const char *path);

/* Returns the path that all names of a file have in common: without "..", symbolic links, and the scheme and options of a URI. Returns a name
 * unchanged if it is no absolute path, or if its directory does not exist. */
const char *cat_database_file_name(apr_pool_t *pool, const char *named);

/* Is it a path, not a name with a special meaning for SQLite: ":memory:", "" or a URI? */
int cat_database_file_is_path(const char *path);

#endif
