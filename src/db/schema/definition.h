/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SCHEMA_DEFINITION_H
#define CAT_DB_SCHEMA_DEFINITION_H

#include "db/pool/use.h"

/*
 * Statements that create or drop indexes while servers read and write. They take as long as they need: no limit of the
 * session applies to them. One process at a time defines. The lock that says so is the database session's, so it outlasts
 * a process that was killed until its last statement has ended; on SQLite it is the operating system's, of the file's
 * directory, and one statement is a transaction that keeps other writers waiting.
 */
typedef struct cat_definition_t cat_definition_t;

/* Takes the lock, and on a server a connection of db's source, until cat_definition_end; db lends its pool, configuration
 * and log. CAT_EBUSY, not logged: another process has the lock. Other failures have been logged. */
apr_status_t cat_definition_begin(cat_db_t *db, cat_definition_t **definition);

/* Runs one statement. CAT_EBUSY, not logged: other transactions were in the way; it can be run again, once an invalid
 * index that PostgreSQL leaves is dropped. CAT_EDOWN: logged, and so is every further statement if the connection is lost,
 * and the lock with it. */
apr_status_t cat_definition_run(cat_definition_t *definition, const char *text);

void cat_definition_end(cat_definition_t *definition);

#endif
