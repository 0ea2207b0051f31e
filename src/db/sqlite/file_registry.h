/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_FILE_REGISTRY_H
#define CAT_DB_SQLITE_FILE_REGISTRY_H

#include <apr_pools.h>

#include "db/sqlite/files.h"

/*
 * What the children of a server know about their database files, in shared memory: which file each name stands for, and
 * whether it has its schema. A child compares with it to notice that a file was removed or replaced while the server
 * runs. A restart starts it anew. All functions may be called by any thread of any child.
 *
 * It has room for 16 files and clusters. One more is not registered: the questions below are then answered as for a file
 * that is not changed and whose schema is unknown.
 */
typedef struct cat_file_registry_t cat_file_registry_t;

/* Before the children are forked; on the pool. */
apr_status_t cat_file_registry_create(cat_file_registry_t **registry, apr_pool_t *pool);

/* Is this the database file that a child first opened under its path? The first call for a path registers the file. */
int cat_file_registry_is_same_file(const cat_file_registry_t *registry, const cat_files_t *files);

/* SQLite deletes the WAL and its index together. Which of them did another program remove or replace, while the other one is still as
 * registered: CAT_FILE_WAL, CAT_FILE_INDEX, or CAT_FILES for neither? Call before a connection opens them, and _note_wal after it did. */
int cat_file_registry_find_removed(const cat_file_registry_t *registry, const cat_files_t *files);
void cat_file_registry_note_wal(const cat_file_registry_t *registry, const cat_files_t *files);

/* Registers that the database file has its schema; and whether any child has registered that since the server
 * started. */
void cat_file_registry_note_schema(const cat_file_registry_t *registry, const char *file);
int cat_file_registry_had_schema(const cat_file_registry_t *registry, const char *file);

/* Of a cluster of PostgreSQL, by the hash of its identifier: the newest timeline (db/pool/timeline.c) that is known, once this one, or 0
 * for none, is taken into account. */
apr_uint32_t cat_file_registry_note_timeline(const cat_file_registry_t *registry, apr_uint32_t cluster,
                                             apr_uint32_t timeline);

#endif
