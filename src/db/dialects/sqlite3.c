/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite. What shapes the texts below:
 *
 *     one writer at a time    writers queue for the module's write lock before they begin (pool/write_lock.c)
 *     WAL mode                readers and the writer do not wait for each other; set once, before the first step
 *     INSERT OR FAIL          SQLite need not be able to undo the statement alone, so it copies no pages before it changes them
 *     ? takes a text          a value that is compared with a number is cast once, or SQLite converts it for each row
 *
 * Transactions and selects go to SQLite's own functions (sqlite/sqlite_native.c), the rest through apr_dbd.
 */
#include "db/dialects/dialect.h"

#include <string.h>

#include "db/dialects/sql_fragments.h"
#include "db/dialects/status.h"

/* synchronous=FULL: what was acknowledged survives a power cut. cache_spill: a transaction may hold 32 MiB of pages; by default what
 * exceeds the cache of 2 MiB is written to the WAL before the commit, and some of it again (docs/decisions/0061). It is no multiple of
 * 256, because SQLite takes the number's lowest byte for a flag too, and with 0 there is no limit. busy_timeout stays 0: the driver waits
 * by itself, and a second wait would multiply with it while it holds the driver's process-wide mutex. */
static const char *const session[] = {"PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON", "PRAGMA cache_spill=8191",
                                      NULL};

static const char *const snapshot[] = {"BEGIN", NULL};

/* Persistent, but not in a copy that VACUUM INTO made. Without it a reader keeps a COMMIT from ending. */
static const char prepare[] = "PRAGMA journal_mode=WAL";

static const char *const step[] = {"BEGIN IMMEDIATE", NULL};

static const cat_trait_t traits[] = {
    {"journal_mode", "PRAGMA journal_mode", "wal", "run: catalogctl migrate", 0},
    {"synchronous", "PRAGMA synchronous", "2", NULL, 0},
    {NULL, NULL, NULL, NULL, 0},
};

/* The driver uses sqlite3_prepare, so all that it has for a dead statement is a text. */
static apr_status_t judge_result(const cat_fault_t *fault)
{
    const char *text = fault->text;

    if (fault->result == 1 && (strstr(text, "schema has changed") || !strcmp(text, "not an error"))) {
        return CAT_EDEAD;
    }
    if (fault->result == 9) { /* SQLITE_INTERRUPT */
        return CAT_ESLOW;
    }
    if (strstr(text, "UNIQUE constraint failed")) {
        return APR_EEXIST;
    }
    return strstr(text, "constraint failed") ? CAT_EVALUE : CAT_EDOWN;
}

/* If a statement of several rows, those that triggers change included, could be undone alone, SQLite keeps the former content of the
 * pages that it changes in a file. OR FAIL and OR IGNORE: it cannot. A refused product leaves those before it in its statement,
 * so several are inserted only where the whole transaction is rolled back then (docs/decisions/0061). */
#define PRODUCT_INSERT_SQLITE3(rows) "INSERT OR FAIL INTO " PRODUCT_INSERTED(rows) " ON CONFLICT (n) DO NOTHING"
#define WORDS_INSERT_SQLITE3(rows) "INSERT OR IGNORE INTO product_words (word, n, in_name) VALUES " rows
#define DICTIONARY_INSERT_SQLITE3(rows) "INSERT OR IGNORE INTO dictionary (part, letters, word) VALUES " rows
#define KEYS_INSERT_SQLITE3(rows)                                                                                      \
    "INSERT OR IGNORE INTO product_keys (field, value_key, n, value, counted) VALUES " rows

#define UNIQUE_INSERT_SQLITE3(rows) "INSERT OR IGNORE INTO product_unique (field, value, n) VALUES " rows

#define BATCHES_INSERT_SQLITE3(rows) "INSERT OR IGNORE INTO " BATCHES_INSERTED(rows)

/* For the column `counted`, which only the primary key has, SQLite would read all keys of the fields. */
#define KEYS_INDEXED "product_keys INDEXED BY product_keys_by_product "

#define CATEGORIES_BY_CEILING                                                                                          \
    "SELECT category, n, in_stock, ceiling FROM category_counts INDEXED BY categories_by_ceiling"                      \
    " ORDER BY ceiling DESC"

/* The statements in which it differs from db/dialects/sql.def. */
static const char *const statements[SQL_COUNT] = {
    [SQL_DATABASE] =
        "SELECT 'SQLite', sqlite_version(), COALESCE(MAX(version), 0) FROM schema_version WHERE version > 0",
    FOR_ROWS(SQL_PRODUCT_INSERT, PRODUCT_INSERT_SQLITE3, PRODUCT_ROW),
    [SQL_PRODUCT_UPDATE] = "UPDATE OR FAIL " PRODUCT_UPDATED,
    [SQL_PRODUCT_SET_KEYS] = "UPDATE OR FAIL " PRODUCT_KEYS_SET,
    FOR_ROWS(SQL_WORDS_INSERT, WORDS_INSERT_SQLITE3, WORDS_ROW),
    FOR_ROWS(SQL_DICTIONARY_INSERT, DICTIONARY_INSERT_SQLITE3, DICTIONARY_ROW),
    FOR_ROWS(SQL_KEYS_INSERT, KEYS_INSERT_SQLITE3, KEYS_ROW),
    FOR_ROWS(SQL_UNIQUE_INSERT, UNIQUE_INSERT_SQLITE3, UNIQUE_ROW),
    [SQL_KEYS_DELETE] = "DELETE FROM " KEYS_INDEXED KEYS_OF_PRODUCT,
    [SQL_KEYS_COUNTED] = "SELECT field, value FROM " KEYS_INDEXED KEYS_OF_PRODUCT " AND counted = 1",
    [SQL_INDEX_LIST] = "SELECT name, 1, NULL FROM sqlite_master WHERE type = 'index' AND tbl_name = 'products'",
    [SQL_CATEGORY_LIST] = "SELECT category, n, in_stock FROM category_counts WHERE n > 0",
    [SQL_CATEGORY_LARGEST] = CATEGORIES_BY_CEILING,
    [SQL_CATEGORY_STOCK] = CATEGORIES_BY_CEILING,
    [SQL_STOCK_COUNT] = "SELECT n, in_stock FROM product_counts WHERE name = 'products'",
    [SQL_STOCK_OF_CATEGORY] = "SELECT COALESCE((SELECT n FROM category_counts WHERE category = %s), 0),"
                              " COALESCE((SELECT in_stock FROM category_counts WHERE category = %s), 0)",
    FOR_ROWS(SQL_BATCHES_INSERT, BATCHES_INSERT_SQLITE3, BATCHES_ROW),
    [SQL_CHANGES_HOLD_MARK] = "SELECT n FROM change_marks WHERE name = %s",
    [SQL_CHANGES_UNNUMBERED] = "SELECT number FROM changes WHERE 0 LIMIT %s",
    [SQL_CHANGES_WAITING] = "SELECT at FROM changes WHERE 0",
    [SQL_CHANGES_NUMBER_RUN] = "UPDATE changes SET number = number + %s WHERE 0 AND number >= %s AND number <= %s",
    [SQL_CHANGES_NUMBER] = "UPDATE changes SET number = number + %s WHERE 0 AND number IN (" HUNDRED ")",
    [SQL_CHANGES_SKIP] = "INSERT INTO changes (number, product_id, at, batch, op) VALUES (%s, '', %s, 0, 'update')",
    [SQL_CHANGES_END] = "SELECT COALESCE(MAX(number), 0) FROM changes",
    [SQL_CHANGES_AFTER] = CHANGES_AFTER("c.number", "", "b.user_id"),
    [SQL_CHANGES_OF_PRODUCT] = CHANGES_OF_PRODUCT("c.number", "b.user_id"),
    [SQL_CHANGES_FIND] = "SELECT number FROM changes WHERE product_id = %s AND number = CAST(%s AS INTEGER)",
    [SQL_CHANGES_OLDEST] = "SELECT number, number, at, batch FROM changes ORDER BY number LIMIT 501",
    [SQL_MOVE_REVOCATION] = "INSERT INTO revoked_sessions (session_id, ended_at, imported_at)"
                            " VALUES (%s, %s, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER))",
};

static const cat_syntax_t syntax = {
    .use_index = " INDEXED BY ",
    .use_index_end = "",
    .join = " CROSS JOIN ",
    .integer = "CAST(%s AS INTEGER)", /* else the text is converted for each row */
    .octets = "%s",
    .row_integer = "%s + 0", /* after a CAST, the columns behind it would not be looked up in the index */
    .merges_up_to = 3,       /* as INTERSECT; to look a row up takes as long as to pass four */
    .joins_keys = 1,
    .find = "INSTR",
    .above = {"SUBSTR(", " || ' ', 1, ", ") || '\U0010FFFF'"},
    .by_octets = "",
    .ends_distinct = 1,
    .orders_union = 1,
    .limited = "SELECT * FROM (",
    .compares_rows = 1,
    .create_index = "CREATE INDEX ",
    .create_index_on = " ON products (",
    .create_index_end = ")",
    .drop_index = "DROP INDEX ",
    .drop_index_end = "",
    .leaves_rows_out = 1,
};

const cat_dialect_t cat_dialect_sqlite3 = {
    .executor = &cat_executor_dbd,
    .native = &cat_native_sqlite,
    .driver = "sqlite3",
    .engine = CAT_ENGINE_SQLITE3,
    .params = "/var/lib/catalog/catalog.db",
    .session = session,
    .begin = "BEGIN IMMEDIATE",
    .snapshot = snapshot,
    .prepare = prepare,
    .prepared = "wal",
    .step = step,
    .step_end = cat_dialect_nothing,
    .define = cat_dialect_nothing,
    .define_end = cat_dialect_nothing,
    .has_versions = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'",
    .file = 1,
    .traits = traits,
    .needs = cat_dialect_nothing,
    .one_writer = 1,
    .locked = 5, /* SQLITE_BUSY */
    .syntax = &syntax,
    .statements = statements,
    .judge = judge_result,
};
