/* SPDX-License-Identifier: Apache-2.0 */
#include "db/dialect.h"

#include "http/answer.h"

/* autocommit: a server may have it off for everybody, and then a single statement, however well it went, is rolled back with its
 * connection. The time-outs are for a server that answers but is stuck: by default it waits 50 s for a lock and for ever for the
 * rest. wait_timeout: see abandon. Only MariaDB reads what stands between the marks. */
static const char *const session[] = {
    "SET NAMES utf8mb4",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "SET SESSION autocommit = 1, SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION',"
    " SESSION wait_timeout = DEFAULT, SESSION innodb_lock_wait_timeout = 3 /*M! , SESSION max_statement_time = 5 */",
    NULL,
};

static const char *const snapshot[] = {
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT",
    NULL,
};

/* A lock by name is the whole server's, so the name says which database; MySQL takes 64 characters, which a database's own name
 * may have. It is the one server's alone: what comes to other nodes of a Galera cluster meanwhile does not collide, as they run
 * each other's DDL in one order. */
#define MYSQL_LOCK "CONCAT('mod_catalog.', LEFT(SHA2(DATABASE(), 256), 32))"
static const char *const step[] = {
    "SELECT GET_LOCK(" MYSQL_LOCK ", 0)",
    "SET @mod_catalog = 1 /*M! , SESSION max_statement_time = 0 */",
    NULL,
};
static const char *const step_end[] = {
    "SET @mod_catalog = 0 /*M! , SESSION max_statement_time = 5 */",
    "SELECT RELEASE_LOCK(" MYSQL_LOCK ")",
    NULL,
};

/* The schema makes tables of utf8mb4, whatever the database's own character set; somebody may convert them. */
static const cat_trait_t traits[] = {
    {"character_set",
     "SELECT COALESCE((SELECT CONCAT(character_set_name, ' in ', table_name, '.', column_name)"
     " FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name IN ('products', 'users', "
     "'outbox')"
     " AND character_set_name NOT IN ('utf8mb4', 'ascii') ORDER BY table_name, column_name LIMIT 1), 'utf8mb4')",
     "utf8mb4", "run: ALTER TABLE ... CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"},
    {NULL, NULL, NULL, NULL},
};

static const char *const needs[] = {"reconnect=0", "flags=CLIENT_FOUND_ROWS", NULL};

static apr_status_t judge_result(int result, const char *text)
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
    case 1047: /* ER_UNKNOWN_COM_ERROR; Galera's for each statement while its node has no quorum, or is joining */
        return CAT_ENOTREADY;
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

/* The statements whose text is not the common one. */
static const char *const overrides[SQL_COUNT] = {
#define Q(name, text)
#define MYSQL(name, text) [name] = text,
#define PGSQL(name, text)
#include "db/sql.def"
#undef Q
#undef MYSQL
#undef PGSQL
};

const cat_dialect_t cat_dialect_mysql = {
    .driver = "mysql",
    .session = session,
    .begin = "START TRANSACTION",
    .abandon = "SET SESSION wait_timeout = 1",
    .snapshot = snapshot,
    .prepare = cat_dialect_nothing,
    .step = step,
    .step_end = step_end,
    .steps_commit = 1,
    .has_versions = "SELECT COUNT(*) FROM information_schema.tables"
                    " WHERE table_schema = DATABASE() AND table_name = 'schema_version'",
    .traits = traits,
    .needs = needs,
    .rolls_back_silently = 1,
    .counts_by_hand = 1,
    .overrides = overrides,
    .judge = judge_result,
};
