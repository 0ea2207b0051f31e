/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_FILES_H
#define CAT_DB_SQLITE_FILES_H

#include <apr_pools.h>

/*
 * The files of a SQLite database in WAL mode. The first connection creates the write-ahead log and its index, and the
 * last one deletes them when it is closed; in between they are part of the database
 * (https://www.sqlite.org/walformat.html).
 */
enum { CAT_FILE_DATABASE, CAT_FILE_WAL, CAT_FILE_INDEX, CAT_FILES };

typedef struct cat_files_t {
    const char *paths[CAT_FILES];
    apr_uint64_t identities[CAT_FILES]; /* differ for two files of the same path; 0: no file, or not examined */
    int error;          /* errno of a file that cannot be examined; 0: each file was found, or does not exist */
    const char *unseen; /* the path of the file that cannot be examined; set only with `error` */
} cat_files_t;

/* Sets the paths, on the pool, and the other members by the files that exist now. */
void cat_files_find(cat_files_t *files, apr_pool_t *pool, const char *database);

/* Updates the identities, `error` and `unseen`. */
void cat_files_look(cat_files_t *files);

/* Makes the WAL and its index writable for their owner if the database is: SQLite creates them with the database's
 * mode, so they stay read-only if that was read-only then. */
void cat_files_mend(const cat_files_t *files);

#endif
