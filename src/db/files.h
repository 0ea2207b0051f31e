/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_FILES_H
#define CAT_DB_FILES_H

#include <apr_pools.h>

/*
 * The files of a SQLite database in WAL mode. The write-ahead log and its index are made by the first connection and deleted by the
 * last one that is closed; in between they are part of the database (https://www.sqlite.org/walformat.html).
 */
enum { CAT_FILE_DATABASE, CAT_FILE_WAL, CAT_FILE_INDEX, CAT_FILES };

typedef struct cat_files_t {
    const char *paths[CAT_FILES];
    apr_uint64_t identities[CAT_FILES]; /* tell a file from another one of the same path; 0: there is none */
} cat_files_t;

/* Fills in the paths, on the pool, and what is there now. */
void cat_files_find(cat_files_t *files, apr_pool_t *pool, const char *database);

/* Looks again what is there. */
void cat_files_look(cat_files_t *files);

/* Lets the owner write the WAL and its index if the database can be written: SQLite makes them with the database's mode, also while
 * that is read-only. */
void cat_files_mend(const cat_files_t *files);

#endif
