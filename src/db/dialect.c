/* SPDX-License-Identifier: Apache-2.0 */
#include "db/dialect.h"

#include <string.h>

#include "lib/answer.h"

/* synchronous=FULL: what was acknowledged survives a power cut. busy_timeout stays 0: the driver waits by itself, and a second
 * wait would multiply with it while it holds the driver's process-wide mutex. */
static const char *const sqlite3_session[] = {"PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON", NULL};

/* Persistent. Without it a reader keeps a COMMIT from ending. */
static const char *const sqlite3_prepare[] = {"PRAGMA journal_mode=WAL", NULL};

static const cat_trait_t sqlite3_traits[] = {
    {"journal_mode", "PRAGMA journal_mode", "wal"},
    {"synchronous", "PRAGMA synchronous", "2"},
    {NULL, NULL, NULL},
};

/* The driver uses sqlite3_prepare, so all that it has for a dead statement is a text. */
static apr_status_t sqlite3_judge(int result, const char *text)
{
    if (result == 1 && (strstr(text, "schema has changed") || !strcmp(text, "not an error"))) {
        return APR_EAGAIN;
    }
    if (strstr(text, "UNIQUE constraint failed")) {
        return APR_EEXIST;
    }
    return strstr(text, "constraint failed") ? CAT_EVALUE : CAT_EDOWN;
}

/* THE DIALECT TABLE */
static const cat_dialect_t dialects[] = {
    {
        .driver = "sqlite3",
        .begin = "BEGIN IMMEDIATE",
        .session = sqlite3_session,
        .prepare = sqlite3_prepare,
        .has_versions = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'",
        .file = "SELECT file FROM pragma_database_list WHERE name = 'main'",
        .traits = sqlite3_traits,
        .one_writer = 1,
        .locked = 5, /* SQLITE_BUSY */
        .judge = sqlite3_judge,
    },
};

static const struct {
    const char *name;
    const char *text;
} statements[SQL_COUNT] = {
#define Q(name, text) {#name, text},
#include "db/sql.def"
#undef Q
};

const cat_dialect_t *cat_dialect_find(const char *driver)
{
    for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
        if (!strcmp(dialects[i].driver, driver)) {
            return &dialects[i];
        }
    }
    return NULL;
}

const char *cat_dialect_sql(const cat_dialect_t *dialect, cat_sql_t sql)
{
    (void)dialect; /* one dialect so far: no row has an override */
    return statements[sql].text;
}

const char *cat_dialect_sql_name(cat_sql_t sql)
{
    return statements[sql].name;
}
