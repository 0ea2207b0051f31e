/* SPDX-License-Identifier: Apache-2.0 */
#include "db/dialect.h"

#include <apr_strings.h>
#include <string.h>

#include "lib/answer.h"

static const char *const nothing[] = {NULL};
static const cat_trait_t no_traits[] = {{NULL, NULL, NULL}};

/* ---- SQLite ---- */

/* synchronous=FULL: what was acknowledged survives a power cut. busy_timeout stays 0: the driver waits by itself, and a second
 * wait would multiply with it while it holds the driver's process-wide mutex. */
static const char *const sqlite3_session[] = {"PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON", NULL};

static const char *const sqlite3_snapshot[] = {"BEGIN", NULL};

/* Persistent. Without it a reader keeps a COMMIT from ending. */
static const char *const sqlite3_prepare[] = {"PRAGMA journal_mode=WAL", NULL};

static const char *const sqlite3_step[] = {"BEGIN IMMEDIATE", NULL};

static const cat_trait_t sqlite3_traits[] = {
    {"journal_mode", "PRAGMA journal_mode", "wal"},
    {"synchronous", "PRAGMA synchronous", "2"},
    {NULL, NULL, NULL},
};

/* The driver uses sqlite3_prepare, so all that it has for a dead statement is a text. */
static apr_status_t sqlite3_judge(int result, const char *text)
{
    if (result == 1 && (strstr(text, "schema has changed") || !strcmp(text, "not an error"))) {
        return CAT_EDEAD;
    }
    if (strstr(text, "UNIQUE constraint failed")) {
        return APR_EEXIST;
    }
    return strstr(text, "constraint failed") ? CAT_EVALUE : CAT_EDOWN;
}

/* ---- MySQL and MariaDB ---- */

/* The time-outs are for a server that answers but is stuck: by themselves it waits 50 s for a lock and without end for the rest.
 * What stands between the marks is read by MariaDB only. */
static const char *const mysql_session[] = {
    "SET NAMES utf8mb4",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', SESSION innodb_lock_wait_timeout = 3"
    " /*M! , SESSION max_statement_time = 5 */",
    NULL,
};

static const char *const mysql_snapshot[] = {
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT",
    NULL,
};

/* A lock by name is the whole server's, so the name says which database; MySQL takes 64 characters, which a database's own name
 * may have. It is the one server's alone: what comes to other nodes of a Galera cluster meanwhile does not collide, as they run
 * each other's DDL in one order. */
#define MYSQL_LOCK "CONCAT('mod_catalog.', LEFT(SHA2(DATABASE(), 256), 32))"
static const char *const mysql_step[] = {
    "SELECT GET_LOCK(" MYSQL_LOCK ", 0)",
    "SET @mod_catalog = 1 /*M! , SESSION max_statement_time = 0 */",
    NULL,
};
static const char *const mysql_step_end[] = {
    "SET @mod_catalog = 0 /*M! , SESSION max_statement_time = 5 */",
    "SELECT RELEASE_LOCK(" MYSQL_LOCK ")",
    NULL,
};

static const char *const mysql_needs[] = {"reconnect=0", "flags=CLIENT_FOUND_ROWS", NULL};

static apr_status_t mysql_judge(int result, const char *text)
{
    (void)text;
    switch (result) {
    case 1062: /* ER_DUP_ENTRY */
        return APR_EEXIST;
    case 1048: /* ER_BAD_NULL_ERROR */
    case 1264: /* ER_WARN_DATA_OUT_OF_RANGE */
    case 1366: /* ER_TRUNCATED_WRONG_VALUE_FOR_FIELD */
    case 1406: /* ER_DATA_TOO_LONG */
    case 1452: /* ER_NO_REFERENCED_ROW_2 */
    case 3819: /* MySQL's ER_CHECK_CONSTRAINT_VIOLATED */
    case 4025: /* MariaDB's ER_CONSTRAINT_FAILED */
        return CAT_EVALUE;
    case 1243: /* ER_UNKNOWN_STMT_HANDLER */
    case 1615: /* ER_NEED_REPREPARE */
    case 2030: /* CR_NO_PREPARE_STMT */
        return CAT_EDEAD;
    case 1205: /* ER_LOCK_WAIT_TIMEOUT */
    case 1213: /* ER_LOCK_DEADLOCK; Galera's, when another node's transaction was first */
        return CAT_ECONFLICT;
    case 1053: /* ER_SERVER_SHUTDOWN */
    case 1927: /* ER_CONNECTION_KILLED */
    case 2006: /* CR_SERVER_GONE_ERROR */
    case 2013: /* CR_SERVER_LOST */
    case 2014: /* CR_COMMANDS_OUT_OF_SYNC */
    case 2055: /* CR_SERVER_LOST_EXTENDED */
        return CAT_ELOST;
    default:
        return CAT_EDOWN;
    }
}

/* ---- PostgreSQL ---- */

static const char *const pgsql_session[] = {
    "SET client_encoding = 'UTF8'; SET statement_timeout = 5000; SET lock_timeout = 3000;"
    " SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED",
    NULL,
};

static const char *const pgsql_snapshot[] = {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL};

/* The lock's number is this module's: the first eight octets of the SHA-256 of "mod_catalog". It ends with the transaction. */
static const char *const pgsql_step[] = {
    "BEGIN",
    "SET LOCAL statement_timeout = 0",
    "SELECT CASE WHEN pg_try_advisory_xact_lock(x'14a9328d9fd66f6b'::bigint) THEN 1 ELSE 0 END",
    NULL,
};

/* All its results are 7, and its texts are in the server's language. */
static apr_status_t pgsql_judge(int result, const char *text)
{
    (void)result;
    (void)text;
    return CAT_EDOWN;
}

/* ---- the tables ---- */

static const struct {
    const char *name;
    const char *text;
} statements[SQL_COUNT] = {
#define MYSQL(name, text)
#define PGSQL(name, text)
#define Q(name, text) {#name, text},
#include "db/sql.def"
#undef Q
};

static const char *const no_overrides[SQL_COUNT];

#define Q(name, text)
#undef MYSQL
#define MYSQL(name, text) [name] = text,
static const char *const mysql_overrides[SQL_COUNT] = {
#include "db/sql.def"
};

#undef MYSQL
#undef PGSQL
#define MYSQL(name, text)
#define PGSQL(name, text) [name] = text,
static const char *const pgsql_overrides[SQL_COUNT] = {
#include "db/sql.def"
};

/* THE DIALECT TABLE */
static const cat_dialect_t dialects[] = {
    {
        .driver = "sqlite3",
        .session = sqlite3_session,
        .begin = "BEGIN IMMEDIATE",
        .snapshot = sqlite3_snapshot,
        .prepare = sqlite3_prepare,
        .step = sqlite3_step,
        .step_end = nothing,
        .has_versions = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'",
        .file = "SELECT file FROM pragma_database_list WHERE name = 'main'",
        .traits = sqlite3_traits,
        .needs = nothing,
        .one_writer = 1,
        .locked = 5, /* SQLITE_BUSY */
        .overrides = no_overrides,
        .judge = sqlite3_judge,
    },
    {
        .driver = "mysql",
        .session = mysql_session,
        .begin = "START TRANSACTION",
        .snapshot = mysql_snapshot,
        .prepare = nothing,
        .step = mysql_step,
        .step_end = mysql_step_end,
        .steps_commit = 1,
        .has_versions = "SELECT COUNT(*) FROM information_schema.tables"
                        " WHERE table_schema = DATABASE() AND table_name = 'schema_version'",
        .traits = no_traits,
        .needs = mysql_needs,
        .takes_back = 1,
        .counts_by_hand = 1,
        .overrides = mysql_overrides,
        .judge = mysql_judge,
    },
    {
        .driver = "pgsql",
        .session = pgsql_session,
        .begin = "BEGIN",
        .snapshot = pgsql_snapshot,
        .prepare = nothing,
        .step = pgsql_step,
        .step_end = nothing,
        .has_versions = "SELECT CASE WHEN to_regclass('schema_version') IS NULL THEN 0 ELSE 1 END",
        .traits = no_traits,
        .needs = nothing,
        .vague = 1,
        .forgets = 1,
        .overrides = pgsql_overrides,
        .judge = pgsql_judge,
    },
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

const char *cat_dialect_lacks(const cat_dialect_t *dialect, apr_pool_t *pool, const char *params)
{
    const char *missing = "";

    for (const char *const *need = dialect->needs; *need; need++) {
        if (!strstr(params, *need)) {
            missing = apr_pstrcat(pool, missing, ",", *need, NULL);
        }
    }
    return *missing ? missing : NULL;
}

const char *cat_dialect_sql(const cat_dialect_t *dialect, cat_sql_t sql)
{
    return dialect->overrides[sql] ? dialect->overrides[sql] : statements[sql].text;
}

const char *cat_dialect_sql_name(cat_sql_t sql)
{
    return statements[sql].name;
}
