/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MySQL and MariaDB. What shapes the texts below:
 *
 *     ALTER TABLE commits       a step of the schema is no transaction, so each of its statements can be run again
 *     GET_LOCK is one node's    between the nodes of a Galera cluster a row of schema_version is the lock
 *     no ON CONFLICT            an INSERT that meets a taken key fails, and the driver's result says so
 *
 * Text within the marks of a MariaDB comment is for MariaDB alone; MySQL skips it.
 */
#include "db/dialects/dialect.h"

#include <string.h>

#include "db/dialects/sql_fragments.h"
#include "db/dialects/status.h"

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

/* Sets a variable only because MySQL skips the text between the marks, and would refuse an empty statement. */
static const char unlimited[] = "SET @mod_catalog = 0 /*M! , SESSION max_statement_time = 0 */";

static const char *const snapshot[] = {
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT",
    NULL,
};

/* A lock by name is the whole server's, so the name says which database; MySQL takes 64 characters, which a database's own name
 * may have. It is the one node's alone, so a row keeps the other nodes of a Galera cluster from applying the same step. The row of a
 * server that died in a step no longer counts after ten minutes. */
#define STEP_ROW "-1"
#define MYSQL_LOCK_OF(prefix) "CONCAT('" prefix "', LEFT(SHA2(DATABASE(), 256), 32))"
#define MYSQL_LOCK MYSQL_LOCK_OF("mod_catalog.")
static const char *const step[] = {
    "SELECT GET_LOCK(" MYSQL_LOCK ", 0)",
    "SET @mod_catalog_limit = 0 /*M! + @@SESSION.max_statement_time */",
    "SET @mod_catalog = 1 /*M! , SESSION max_statement_time = 0 */",
    "DELETE FROM schema_version WHERE version = " STEP_ROW " AND applied_at < (UNIX_TIMESTAMP() - 600) * 1000",
    "INSERT IGNORE INTO schema_version (version, name, applied_at)"
    " VALUES (" STEP_ROW ", 'a step is being applied', UNIX_TIMESTAMP() * 1000)",
    "SET @mod_catalog_step = ROW_COUNT()",
    "SELECT @mod_catalog_step",
    NULL,
};
static const char *const step_end[] = {
    "DELETE FROM schema_version WHERE version = " STEP_ROW " AND @mod_catalog_step = 1",
    "SET @mod_catalog_step = 0, @mod_catalog = 0"
    " /*M! , SESSION max_statement_time = COALESCE(@mod_catalog_limit, @@SESSION.max_statement_time) */",
    "SELECT RELEASE_LOCK(" MYSQL_LOCK ")",
    NULL,
};

/* ALTER TABLE waits for the transactions that have used the table, and all others wait behind it: so it waits for one
 * second, and is tried again. */
#define DEFINE_LOCK MYSQL_LOCK_OF("mod_catalog.index.")
static const char *const define[] = {
    "SELECT GET_LOCK(" DEFINE_LOCK ", 0)",
    "SET SESSION lock_wait_timeout = 1",
    NULL,
};
static const char *const define_end[] = {
    "SET SESSION lock_wait_timeout = DEFAULT",
    "SELECT RELEASE_LOCK(" DEFINE_LOCK ")",
    NULL,
};

/* The schema makes tables of utf8mb4, whatever the database's own character set; somebody may convert them. Not by
 * information_schema.columns: MariaDB 10.11 crashes now and then when that is read while another session changes
 * tables. */
#define CHARSET_OF(table, column)                                                                                      \
    "SELECT CHARSET(MAX(" column ")) AS name, '" table "." column "' AS place FROM " table " WHERE id = ''"
#define AND " UNION ALL "
#define TEXT_COLUMNS                                                                                                   \
    CHARSET_OF("products", "name")                                                                                     \
    AND CHARSET_OF("products", "category") AND CHARSET_OF("users", "username") AND CHARSET_OF("users", "email")

static const cat_trait_t traits[] = {
    {"character_set",
     "SELECT COALESCE(MIN(CONCAT(name, ' in ', place)), 'utf8mb4') FROM (" TEXT_COLUMNS ") c WHERE name <> 'utf8mb4'",
     "utf8mb4", "run: ALTER TABLE ... CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", 1},
    {NULL, NULL, NULL, NULL, 0},
};

static const char *const needs[] = {"reconnect=0", "flags=CLIENT_FOUND_ROWS", NULL};

static apr_status_t judge_result(const cat_fault_t *fault)
{
    switch (fault->result) {
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
    case 1180: /* Galera's if the node lost the other nodes during the commit */
        return CAT_EUNSURE;
    case 1021: /* ER_DISK_FULL */
    case 1114: /* ER_RECORD_FILE_FULL */
        return CAT_EFULL;
    case 1290: /* ER_OPTION_PREVENTS_STATEMENT: read_only */
    case 1792: /* ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: transaction_read_only */
    case 1836: /* ER_READ_ONLY_MODE */
        return CAT_EREADONLY;
    case 1020: /* ER_CHECKREAD: MariaDB's innodb_snapshot_isolation, when the row that is to be locked has changed since it was found */
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
    case 1969: /* MariaDB's ER_STATEMENT_TIMEOUT */
        return CAT_ESLOW;
    default: /* if the disk is full for a file of the server, such as a temporary one, only the text says so */
        return strstr(fault->text, "No space left on device") ? CAT_EFULL : CAT_EDOWN;
    }
}

#define WORDS_INSERT_MYSQL(rows)                                                                                       \
    "INSERT INTO product_words (word, n, in_name) VALUES " rows " ON DUPLICATE KEY UPDATE word = "                     \
    "product_words.word"

#define DICTIONARY_INSERT_MYSQL(rows) "INSERT IGNORE INTO dictionary (part, letters, word) VALUES " rows

/* Fails if a number is taken. */
#define PRODUCT_INSERT_MYSQL(rows) "INSERT INTO " PRODUCT_INSERTED(rows)

#define KEYS_INSERT_MYSQL(rows)                                                                                        \
    "INSERT INTO product_keys (field, value_key, n, value, counted) VALUES " rows                                      \
    " ON DUPLICATE KEY UPDATE value = product_keys.value"

#define UNIQUE_INSERT_MYSQL(rows) "INSERT IGNORE INTO product_unique (field, value, n) VALUES " rows

/* As a subselect of VALUES, MAX(number) would lock the last change: all writers would wait for the commit of the one that has made it. A
 * SELECT that is inserted locks nothing; as rows of a UNION, the values need types. */
#define BATCHES_INSERT_MYSQL(rows) "INSERT IGNORE INTO " BATCHES_COLUMNS rows
#define BATCH_MYSQL                                                                                                    \
    "SELECT CAST(%s AS SIGNED), CAST(%s AS SIGNED), CAST(%s AS CHAR(255)), CAST(%s AS CHAR(16)), CAST(%s AS SIGNED),"  \
    " CAST(%s AS SIGNED), CAST(%s AS SIGNED), COALESCE(MAX(number), 0) FROM changes"
#define UNITED(rows) rows " UNION ALL " rows
#define UNITED_4(row) UNITED(UNITED(row))

/* Ids of the users of other issuers have other characters; a column of another character set is found by no index. */
#define BATCH_USER_MYSQL "CONVERT(b.user_id USING ascii)"

/* Where the statistics are older than the products, as after an import, it would read and sort the whole table. */
#define BY_TIME " FORCE INDEX (products_by_time)"
#define BY_NUMBER " FORCE INDEX (PRIMARY)"

/*
 * The statements in which it differs from db/dialects/sql.def: there is no ON CONFLICT, and no LIMIT in a subquery of IN.
 */
static const char *const statements[SQL_COUNT] = {
    /* clang-format off */
    [SQL_PRODUCT_LIST] =
        "SELECT " PRODUCT_COLUMNS ", " PRODUCT_TOTAL " FROM products" BY_NUMBER
        " ORDER BY n DESC LIMIT %s OFFSET %s",
    [SQL_PRODUCT_LIST_NEAR] =
        "SELECT " PRODUCT_COLUMNS_OF_P ", " PRODUCT_TOTAL " FROM"
        " (SELECT n FROM products" BY_TIME " ORDER BY n DESC LIMIT %s, %s) k"
        " STRAIGHT_JOIN products p ON p.n = k.n ORDER BY k.n DESC",
    [SQL_PRODUCT_KEY_BELOW] =
        "SELECT n FROM products" BY_TIME " WHERE n < %s ORDER BY n DESC LIMIT 1 OFFSET %s",
    [SQL_PRODUCT_KEY_ABOVE] =
        "SELECT n FROM products" BY_TIME " WHERE n >= %s ORDER BY n LIMIT 1 OFFSET %s",
    [SQL_PRODUCT_LIST_AFTER] =
        "SELECT " PRODUCT_COLUMNS " FROM products" BY_NUMBER " WHERE n < %s ORDER BY n DESC LIMIT %s",
    [SQL_PRODUCT_LOCK] = PRODUCT_LOCK " FOR UPDATE",
    [SQL_PRODUCT_LOCK_100] = LOCK_100 " FOR UPDATE",
    [SQL_PRODUCT_KEYS] = PRODUCT_KEYS " FOR UPDATE",
    FOR_ROWS(SQL_PRODUCT_INSERT, PRODUCT_INSERT_MYSQL, PRODUCT_ROW),
    FOR_ROWS(SQL_WORDS_INSERT, WORDS_INSERT_MYSQL, WORDS_ROW),
    FOR_ROWS(SQL_DICTIONARY_INSERT, DICTIONARY_INSERT_MYSQL, DICTIONARY_ROW),
    [SQL_INDEX_LIST] =
        "SELECT DISTINCT index_name, 1, NULL FROM information_schema.statistics"
        " WHERE table_schema = DATABASE() AND table_name = 'products'",
    [SQL_FIELDS_ADD] =
        "INSERT INTO catalog_fields (number, name, definition, complete, counted, claimed, n, filled)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, 0)",
    FOR_ROWS(SQL_KEYS_INSERT, KEYS_INSERT_MYSQL, KEYS_ROW),
    FOR_ROWS(SQL_UNIQUE_INSERT, UNIQUE_INSERT_MYSQL, UNIQUE_ROW),
    /* A locking read meets rows that other transactions have inserted, and waits for these: so each transaction that added or deleted a
     * product, and one of these rows with it, has ended. Those behind the row that this transaction has just inserted came later. */
    [SQL_WRITERS] =
        "SELECT 0, 0 * COUNT(*) FROM product_deltas WHERE seq <= LAST_INSERT_ID() LOCK IN SHARE MODE /*M! WAIT 1 */",
    [SQL_INDEX_ADD] =
        "INSERT INTO product_indexes (part, complete, n, filled) VALUES (%s, 0, %s, 0)",
    [SQL_INDEX_ROWS] = INDEX_ROWS " FOR UPDATE",
    [SQL_CATEGORY_BEGIN] = CATEGORY_BEGIN("CAST(category AS BINARY)"),
    [SQL_CATEGORY_WRONG] = CATEGORY_WRONG("CAST(category AS BINARY)"),
    [SQL_USER_INSERT] =
        "INSERT INTO users (id, username, username_key, email, email_key, password_hash, created_at)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s)",
    [SQL_REVOKED_INSERT] =
        "INSERT INTO revoked_sessions (session_id, ended_at) VALUES (%s, %s)"
        " ON DUPLICATE KEY UPDATE session_id = session_id",
    [SQL_LOGIN_TRY_FIRST] =
        "INSERT INTO login_failures (account, network, failures, allowed_at, failed_at)"
        " VALUES (%s, %s, 1, 0, %s)",
    [SQL_LOGIN_MOVE] =
        "INSERT INTO login_failures (account, network, failures, allowed_at, failed_at)"
        " SELECT %s, f.network, f.failures, f.allowed_at, f.failed_at FROM login_failures f WHERE f.account = %s"
        " ON DUPLICATE KEY UPDATE failures = login_failures.failures + VALUES(failures), allowed_at = VALUES(allowed_at)",
    [SQL_IDEMPOTENCY_INSERT] =
        "INSERT INTO idempotency_keys (key_hash, part, content, expires_at) VALUES (%s, %s, %s, %s)",
    [SQL_WEBHOOK_INSERT] =
        "INSERT INTO webhooks (id, url_hash, url, sent_seq, until_seq, told_seq, next_at, created_at, seen_at)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
    [SQL_HEALTH] =
        "SELECT MAX(version), (SELECT MIN(created_at) FROM outbox WHERE state = 'pending'),"
        " CASE WHEN @@global.read_only = 0 THEN 1 ELSE 0 END FROM schema_version"
        " WHERE version > 0",
    /* Only MariaDB reads what is between the marks. */
    [SQL_STILL_OPEN] = "SELECT 1 /*M! = @@in_transaction */",
    [SQL_PURGE_REFRESH_TOKENS] = "DELETE FROM refresh_tokens WHERE expires_at < %s ORDER BY expires_at LIMIT 200",
    [SQL_PURGE_SESSIONS] = "DELETE FROM sessions WHERE used_at < %s ORDER BY used_at LIMIT 200",
    [SQL_PURGE_REVOKED] = "DELETE FROM revoked_sessions WHERE ended_at < %s ORDER BY ended_at LIMIT 200",
    [SQL_PURGE_MAIL_TOKENS] = "DELETE FROM mail_tokens WHERE expires_at < %s ORDER BY expires_at LIMIT 200",
    [SQL_PURGE_LOGIN_FAILURES] = "DELETE FROM login_failures WHERE failed_at < %s ORDER BY failed_at LIMIT 200",
    [SQL_PURGE_IDEMPOTENCY] = "DELETE FROM idempotency_keys WHERE expires_at < %s ORDER BY expires_at LIMIT 200",
    [SQL_PURGE_NAMES] = "DELETE FROM released_names WHERE expires_at < %s ORDER BY expires_at LIMIT 200",
    [SQL_PURGE_USER_KEYS] = "DELETE FROM user_keys WHERE expires_at < %s ORDER BY expires_at LIMIT 200",
    [SQL_PURGE_BULK_JOBS] = "DELETE FROM bulk_jobs WHERE ended_at < %s ORDER BY ended_at LIMIT 200",
    [SQL_BATCHES_INSERT] = BATCHES_INSERT_MYSQL(BATCH_MYSQL),
    [SQL_BATCHES_INSERT_2] = BATCHES_INSERT_MYSQL(UNITED(BATCH_MYSQL)),
    [SQL_BATCHES_INSERT_4] = BATCHES_INSERT_MYSQL(UNITED_4(BATCH_MYSQL)),
    [SQL_BATCHES_INSERT_8] = BATCHES_INSERT_MYSQL(UNITED_4(UNITED(BATCH_MYSQL))),
    [SQL_BATCHES_INSERT_16] = BATCHES_INSERT_MYSQL(UNITED_4(UNITED_4(BATCH_MYSQL))),
    [SQL_BATCHES_INSERT_SINGLE] = "INSERT IGNORE INTO " BATCHES_SINGLE("LAST_INSERT_ID()"),
    [SQL_BATCHES_INSERT_64] = BATCHES_INSERT_MYSQL(UNITED_4(UNITED_4(UNITED_4(BATCH_MYSQL)))),
    [SQL_CHANGES_AFTER] = CHANGES_AFTER("c.seq", "", BATCH_USER_MYSQL),
    [SQL_CHANGES_OF_PRODUCT] = CHANGES_OF_PRODUCT("c.seq", BATCH_USER_MYSQL),
    [SQL_BATCHES_PAGE] = BATCHES_PAGE(BATCH_USER_MYSQL),
    [SQL_PURGE_BATCHES] = "DELETE FROM change_batches WHERE at < %s AND last_at < %s AND id < %s ORDER BY id LIMIT 200",
    [SQL_PURGE_AUDIT] = "DELETE FROM audit WHERE created_at < %s ORDER BY created_at LIMIT 200",
    [SQL_MOVE_USER] =
        "INSERT INTO users (id, username, username_key, email, email_key, password_hash, confirmed_at, created_at,"
        " role, locked_at, signed_in_at, language) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
    [SQL_MOVE_REVOCATION] =
        "INSERT INTO revoked_sessions (session_id, ended_at, imported_at)"
        " VALUES (%s, %s, FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000))",
    /* clang-format on */
};

static const cat_syntax_t syntax = {
    .use_index = " FORCE INDEX (",
    .use_index_end = ")",
    .primary_key = "PRIMARY",
    .join = " STRAIGHT_JOIN ",
    .integer = "CAST(%s AS SIGNED)",
    .octets = "CAST(%s AS BINARY)", /* rows are sorted by a column that equals a text of another type */
    .joins_keys = 1,
    .copies_rows = 1,
    .find = "INSTR",
    .by_octets = "",
    .ends_distinct = 1,
    .limited = "(",
    .pads_blanks = 1,
    .create_index = "ALTER TABLE products ADD INDEX ",
    .create_index_on = " (",
    .create_index_end = "), ALGORITHM = INPLACE, LOCK = NONE",
    .drop_index = "ALTER TABLE products DROP INDEX ",
    .drop_index_end = ", ALGORITHM = INPLACE, LOCK = NONE",
};

const cat_dialect_t cat_dialect_mysql = {
    .executor = &cat_executor_dbd,
    .driver = "mysql",
    .engine = CAT_ENGINE_MYSQL,
    .read_only_session = 1792, /* ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION */
    .params = "\"host=127.0.0.1,user=catalog,pass=...,dbname=catalog,reconnect=0,flags=CLIENT_FOUND_ROWS\"",
    .dump = "mariadb-dump --single-transaction --default-character-set=utf8mb4 catalog >FILE",
    .session = session,
    .unlimited = unlimited,
    .begin = "START TRANSACTION",
    .abandon = "SET SESSION wait_timeout = 1",
    .snapshot = snapshot,
    .limit = "/*M! SET STATEMENT max_statement_time = %d FOR */ ",
    .step = step,
    .step_end = step_end,
    .define = define,
    .define_end = define_end,
    .steps_commit = 1,
    .has_versions = "SELECT COUNT(*) FROM information_schema.tables"
                    " WHERE table_schema = DATABASE() AND table_name = 'schema_version'",
    .traits = traits,
    .needs = needs,
    .rolls_back_silently = 1,
    .crashes_on_late_errors = 1,
    .check_is_round_trip = 1,
    .counts_by_hand = 1,
    .syntax = &syntax,
    .statements = statements,
    .judge = judge_result,
};
