/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_MIGRATION_H
#define CAT_DB_MIGRATION_H

#include "db/db.h"
#include "lib/conf.h"
#include "lib/log.h"

/* Which version the schema has, 0 when there is none, and which one this program needs. What fails has been logged. */
apr_status_t cat_migration_look(cat_db_t *db, apr_pool_t *pool, int *version, int *wanted);

/*
 * Brings the schema of a source up to what this module needs, by the steps of conf/schema/, each in a transaction of its own,
 * or, with CatalogMigrate Off, finds out whether it is there. Children and servers that start at the same time wait for each
 * other: for a second, which a request can spare, or, where wait is set, for as long as another one is at a step. APR_SUCCESS:
 * the source remembers it and the next call costs nothing. CAT_EDOWN or CAT_EBUSY, logged: not yet.
 */
apr_status_t cat_migration_run(apr_pool_t *pool, const cat_conf_t *conf, cat_source_t *source, const cat_log_t *log,
                               int wait);

#endif
