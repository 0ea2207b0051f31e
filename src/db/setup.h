/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SETUP_H
#define CAT_DB_SETUP_H

/* What httpd and catalogctl need to provide a database: where its connections come from, the schema, and SQLite's files. What uses a
 * database includes db.h. */
#include "db/connection/environment.h"
#include "db/pool/pool.h"
#include "db/pool/source.h"
#include "db/schema/migration.h"
#include "db/sqlite/database_file.h"
#include "db/sqlite/os_user.h"
#include "db/sqlite/sqlite_backup.h"
#include "db/sqlite/sqlite_reader.h"

#endif
