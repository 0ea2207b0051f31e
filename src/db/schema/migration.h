/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SCHEMA_MIGRATION_H
#define CAT_DB_SCHEMA_MIGRATION_H

#include "db/pool/use.h"

/* The version of the schema, 0 when there is none, and the one that this program needs. Failures have been logged. */
apr_status_t cat_migration_read_version(cat_db_t *db, int *version, int *needed);

/*
 * Brings the schema of db's source up to date with the steps of conf/schema/, each in a transaction of its own; with
 * CatalogMigrate Off, checks that it is. Uses a connection of its own, not db's. Children and servers that start at the
 * same time exclude each other: _try waits three seconds for another one's step, which a request can spare; _run waits
 * for as long as it takes.
 *
 * APR_SUCCESS: cat_source_has_schema is true from now on. CAT_EDOWN, CAT_EFULL, CAT_EBUSY or CAT_ENOTREADY, logged: not yet.
 */
apr_status_t cat_migration_try(const cat_db_t *db);
apr_status_t cat_migration_run(const cat_db_t *db);

#endif
