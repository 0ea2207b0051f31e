/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SETUP_H
#define CAT_DB_SETUP_H

/* For those who provide a database to others, as httpd and catalogctl do: where connections come from, the schema, and the files of
 * SQLite. db.h is for those who use it. */
#include "db/pool/pool.h"
#include "db/pool/source.h"
#include "db/schema/migration.h"
#include "db/sqlite/database_file.h"
#include "db/sqlite/os_user.h"
#include "db/sqlite/sqlite_backup.h"
#include "db/sqlite/sqlite_reader.h"

#endif
