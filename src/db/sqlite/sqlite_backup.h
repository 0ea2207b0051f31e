/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_SQLITE_BACKUP_H
#define CAT_DB_SQLITE_SQLITE_BACKUP_H

#include <apr_pools.h>

/* Called for each portion: how many of how many octets are copied; then, while the copy is checked, with done equal to total. Not 0: stop. */
typedef int cat_sqlite_backup_progress_t(void *baton, apr_int64_t done, apr_int64_t total);

/*
 * Copies the SQLite database at the path `from`, as it is when the copy begins, to the file `to`, which is empty, and
 * checks the copy. Other connections read and write meanwhile. NULL: the copy is complete and on the disk. Otherwise a
 * fault, on the pool; the file `to` then has to be removed.
 */
const char *cat_sqlite_backup_make(apr_pool_t *pool, const char *from, const char *to,
                                   cat_sqlite_backup_progress_t *progress, void *baton);

#endif
