/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PostgreSQL. What shapes the texts below:
 *
 *     the schema is transactional    a step is one transaction, under an advisory lock
 *     plans are kept                 a statement is planned without its values after some executions, so each page contains a
 *                                    constant that bounds it, and a search switches off all but the indexes
 *     a stand-by is promoted         the timeline is asked for, so that a former primary is noticed (pool/timeline.c)
 *
 * The texts reach the database through libpq (connection/libpq.c), with $1, $2 ... in place of %s.
 */
#include "db/dialects/dialect.h"

#include <string.h>

#include "db/dialects/sql_fragments.h"
#include "db/dialects/status.h"

static const char *const session[] = {
    "SET client_encoding = 'UTF8'; SET statement_timeout = 5000; SET lock_timeout = 3000;"
    " SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED",
    NULL,
};

static const char *const snapshot[] = {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL};

/* What is switched off the planner uses only where it has nothing else: it then reads tables by an index, in its order,
 * and joins from left to right. It would compile such plans, because it gives them a high price. As most texts have one plan then, it
 * makes that once, whatever the values are. */
static const char search[] =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = %d;"
    " SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;"
    " SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off;"
    " SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_material = off;"
    " SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off;"
    " SET LOCAL join_collapse_limit = 1; SET LOCAL plan_cache_mode = force_generic_plan";

/* A plan that is kept suits tables as they were, until ANALYZE says otherwise; by itself the server notices only after a minute. Meanwhile each
 * row of a catalogue that was empty, and is being filled, would be compared with all the others. Both statements are one transaction, and each
 * has a limit of its own: ANALYZE reads up to 30,000 pages of a table, which may have to come from the disk. Tables that are empty are left out, as
 * those of which nothing is known are planned for as small ones. */
static const char grown[] =
    "SET LOCAL statement_timeout = 60000;"
    " DO $$DECLARE name REGCLASS; BEGIN FOR name IN SELECT oid FROM pg_class WHERE oid IN ('products'::regclass,"
    " 'product_words'::regclass, 'product_keys'::regclass, 'product_unique'::regclass, 'dictionary'::regclass,"
    " 'value_counts'::regclass)"
    " AND pg_relation_size(oid) > 81920 * GREATEST(relpages, 1) ORDER BY oid" /* ten pages of 8192 octets for each known one */
    " LOOP EXECUTE 'ANALYZE ' || name; END LOOP; END$$";

/* Within a transaction there are no statistics of what it has added, but how large tables are is known. */
static const char growing[] = "DISCARD PLANS";

/* The lock's number is this module's: the first eight octets of the SHA-256 of "mod_catalog". It ends with the transaction. */
static const char *const step[] = {
    "BEGIN",
    "SET LOCAL statement_timeout = 0",
    "SELECT CASE WHEN pg_try_advisory_xact_lock(x'14a9328d9fd66f6b'::bigint) THEN 1 ELSE 0 END",
    NULL,
};

/* The lock is the session's, because CREATE INDEX CONCURRENTLY takes no transaction: it lasts while the server works, even
 * if the client is gone. Its number is the first eight octets of the SHA-256 of "mod_catalog.index". A process that waits
 * must ask again and again: while a statement waits for the lock, its snapshot keeps the index from being completed. */
#define DEFINE_LOCK "x'0d1d39d564b19c4e'::bigint"
static const char *const define[] = {
    "SELECT CASE WHEN pg_try_advisory_lock(" DEFINE_LOCK ") THEN 1 ELSE 0 END",
    "SET lock_timeout = 0",
    NULL,
};
static const char *const define_end[] = {
    "SET lock_timeout = 3000",
    "SELECT pg_advisory_unlock(" DEFINE_LOCK ")",
    NULL,
};

/* The name of the WAL file that is being written begins with the timeline, in hexadecimal digits. The control file has it too, but only
 * after the first checkpoint. */
static const char timeline[] =
    "SELECT system_identifier || ' ' || CASE WHEN pg_is_in_recovery() THEN 0"
    " ELSE ('x' || LEFT(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END FROM pg_control_system()";

static const cat_trait_t traits[] = {
    {"server_encoding", "SHOW server_encoding", "UTF8",
     "create a database with: createdb --encoding UTF8 --template template0", 1},
    {NULL, NULL, NULL, NULL, 0},
};

/* By SQLSTATE, or by its class, the first two characters; what is not here is CAT_EDOWN. */
static const struct {
    const char *state;
    apr_status_t rv;
} judgements[] = {
    {"23505", APR_EEXIST}, /* unique_violation */
    {"22", CAT_EVALUE},    /* data exception */
    {"23", CAT_EVALUE},    /* integrity constraint violation */
    {"0A000", CAT_EDEAD},  /* feature_not_supported; of a prepared statement: its result would have other types now */
    {"26000", CAT_EDEAD},  /* invalid_sql_statement_name: it is not prepared */
    {"42P05", CAT_EDEAD},  /* duplicate_prepared_statement */
    {"25006", CAT_EREADONLY}, /* read_only_sql_transaction: the server is a stand-by, or was made read-only */
    {"53100", CAT_EFULL},     /* disk_full */
    {"40001", CAT_ECONFLICT}, /* serialization_failure */
    {"40P01", CAT_ECONFLICT}, /* deadlock_detected */
    {"55P03", CAT_ECONFLICT}, /* lock_not_available */
    {"57014", CAT_ESLOW},     /* query_canceled, by statement_timeout */
    {"08", CAT_ELOST},        /* connection exception */
    {"57P01", CAT_ELOST},     /* admin_shutdown */
    {"57P02", CAT_ELOST},     /* crash_shutdown */
    {"57P03", CAT_ELOST},     /* cannot_connect_now: a pooler's, which ends the connection with it */
};

static apr_status_t judge_result(const cat_fault_t *fault)
{
    for (size_t i = 0; fault->state && i < sizeof(judgements) / sizeof(judgements[0]); i++) {
        if (!strncmp(fault->state, judgements[i].state, strlen(judgements[i].state))) {
            return judgements[i].rv;
        }
    }
    return CAT_EDOWN;
}

/* Products in the order of the list, rows of them at most. The planner expects a tenth of the rows below for a LIMIT whose value it does
 * not know: a million of ten million. It would plan each execution anew then, or choose a plan for a million rows. So a constant says how
 * many a page can reach: CatalogMaxLimit is at most 1000, SQL_PRODUCT_LIST skips 50 at most, and SQL_PRODUCT_LIST_NEAR 2000. */
#define NEWEST(condition, rows)                                                                                        \
    " FROM (SELECT * FROM (SELECT * FROM products" condition                                                           \
    " ORDER BY n DESC LIMIT 1100) r ORDER BY n DESC LIMIT " rows ") p ORDER BY n DESC"

/* Each value is looked up by itself. Without statistics, the planner takes the columns before an IN for rare, and would read all rows that have
 * these values to compare each of them with a hundred others. */
#define DICTIONARY_LOOK_UP(words)                                                                                      \
    "SELECT word FROM UNNEST(ARRAY[" words "]) w (word) WHERE word ="                                                  \
    " (SELECT d.word FROM dictionary d WHERE d.part = '' AND d.letters = 0 AND d.word = w.word)"

/* The transactions that hold a lock on the table, other than that of a SELECT, and by how much their numbers are below this one's; pg_locks has
 * the lower 32 bits of a number. A snapshot would lack those that began after the last one that has ended. */
#define WRITERS                                                                                                        \
    "(SELECT (txid_current() - CAST(CAST(n.transactionid AS TEXT) AS BIGINT)) & 4294967295 AS age FROM pg_locks t"     \
    " JOIN pg_locks n ON n.virtualtransaction = t.virtualtransaction AND n.locktype = 'transactionid' AND n.granted"   \
    " WHERE t.relation = to_regclass('products') AND t.mode <> 'AccessShareLock' AND t.granted"                        \
    " AND t.database = (SELECT oid FROM pg_database WHERE datname = current_database())) w"

/* The statements in which it differs from db/dialects/sql.def. $1 is the first value once more. */
static const char *const statements[SQL_COUNT] = {
    /* clang-format off */
    [SQL_DATABASE] =
        "SELECT 'PostgreSQL', SPLIT_PART(current_setting('server_version'), ' ', 1), COALESCE(MAX(version), 0)"
        " FROM schema_version WHERE version > 0",
    [SQL_PRODUCT_LIST] =
        "SELECT " PRODUCT_COLUMNS ", " PRODUCT_TOTAL NEWEST("", "CAST($1 AS BIGINT) + CAST($2 AS BIGINT)")
        " LIMIT %s OFFSET %s",
    [SQL_PRODUCT_LIST_NEAR] =
        "SELECT " PRODUCT_COLUMNS ", " PRODUCT_TOTAL
        NEWEST(" WHERE n <= (SELECT n FROM (SELECT n FROM products ORDER BY n DESC LIMIT 2100) k"
               " ORDER BY n DESC LIMIT 1 OFFSET %s)", "$2") " LIMIT %s",
    [SQL_PRODUCT_LIST_AFTER] =
        "SELECT " PRODUCT_COLUMNS NEWEST(" WHERE n < %s", "$2") " LIMIT %s",
    [SQL_BATCHES_INSERT_SINGLE] = "INSERT INTO " BATCHES_SINGLE("lastval()") " ON CONFLICT DO NOTHING",
    [SQL_PRODUCT_LOCK] = PRODUCT_LOCK " FOR UPDATE",
    [SQL_PRODUCT_LOCK_100] = LOCK_100 " FOR UPDATE",
    [SQL_PRODUCT_KEYS] = PRODUCT_KEYS " FOR UPDATE",
    [SQL_DICTIONARY_KNOWN] = DICTIONARY_LOOK_UP(TEN),
    [SQL_DICTIONARY_KNOWN_100] = DICTIONARY_LOOK_UP(HUNDRED),
    [SQL_UNIQUE_FIND_100] =
        "SELECT w.value, (SELECT p.id FROM product_unique u JOIN products p ON p.n = u.n WHERE u.field = %s"
        " AND u.value = w.value)"
        " FROM UNNEST(ARRAY[" HUNDRED "]) w (value)",
    [SQL_INDEX_LIST] =
        "SELECT c.relname, CASE WHEN i.indisvalid THEN 1 ELSE 0 END, pg_relation_size(c.oid)"
        " FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = to_regclass('products')",
    [SQL_WRITERS] =
        "SELECT txid_current() - COALESCE(MAX(age), 0), txid_current() FROM " WRITERS
        " WHERE age < 2147483648", /* more: it has begun after this one */
    [SQL_INDEX_ROWS] = INDEX_ROWS " FOR UPDATE",
    [SQL_LOGIN_TRY] =
        "UPDATE login_failures SET failed_at = %s, allowed_at = CASE WHEN failures < 4 THEN 0"
        " WHEN failures < 13 THEN CAST(%s AS BIGINT) + (1000 << (failures - 3))"
        " ELSE CAST(%s AS BIGINT) + 900000 END, failures = failures + 1"
        " WHERE account = %s AND network = %s AND (allowed_at <= %s OR failed_at > %s)",
    [SQL_HEALTH] =
        "SELECT MAX(version), (SELECT MIN(created_at) FROM outbox WHERE state = 'pending'),"
        " CASE WHEN pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' THEN 0"
        " WHEN current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit')"
        " NOT IN ('off', 'local') AND (NOT EXISTS"
        " (SELECT 1 FROM pg_stat_replication WHERE sync_state IS NULL OR sync_state <> 'async')"
        " OR EXISTS (SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        " AND query_start < clock_timestamp() - INTERVAL '2 seconds')) THEN 2 ELSE 1 END"
        " FROM schema_version WHERE version > 0",
    [SQL_MOVE_REVOCATION] =
        "INSERT INTO revoked_sessions (session_id, ended_at, imported_at)"
        " VALUES (%s, %s, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT))",
    /* clang-format on */
};

/* Which index is used follows from what cat_dialect_t.search switches off. */
static const cat_syntax_t syntax = {
    .join = " JOIN ",
    .integer = "%s",
    .row_integer = "%s",
    .octets = "%s",
    .plan_by_values = "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)",
    .plan_merge = "SELECT set_config('enable_mergejoin', 'on', true), set_config('enable_nestloop', 'off', true)",
    .plan_merge_end = "SELECT set_config('enable_mergejoin', 'off', true), set_config('enable_nestloop', 'on', true)",
    .merges_up_to = 16, /* looking up a row takes as long as passing 16 */
    .find = "STRPOS",
    .above = {"SUBSTR(", " || ' ', 1, ", ") || '\U0010FFFF'"},
    .by_octets = " COLLATE \"C\"",
    .compares_rows = 1,
    .limited = "(",
    .create_index = "CREATE INDEX CONCURRENTLY ",
    .create_index_on = " ON products (",
    .create_index_end = ")",
    .drop_index = "DROP INDEX CONCURRENTLY ",
    .drop_index_end = "",
    .leaves_rows_out = 1,
    .joins_lateral = 1,
};

const cat_dialect_t cat_dialect_pgsql = {
    .executor = &cat_executor_libpq,
    .driver = "pgsql",
    .engine = CAT_ENGINE_PGSQL,
    .params = "\"host=127.0.0.1 user=catalog password=... dbname=catalog connect_timeout=2\"",
    .dump = "pg_dump --format=custom --file=FILE catalog",
    .session = session,
    .unlimited = "SET statement_timeout = 0",
    .begin = "BEGIN",
    .snapshot = snapshot,
    .search = search,
    .grown = grown,
    .growing = growing,
    .step = step,
    .step_end = cat_dialect_nothing,
    .define = define,
    .define_end = define_end,
    .has_versions = "SELECT CASE WHEN to_regclass('schema_version') IS NULL THEN 0 ELSE 1 END",
    .timeline = timeline,
    .traits = traits,
    .needs = cat_dialect_nothing,
    .pool_skips_ping = 1,
    .syntax = &syntax,
    .statements = statements,
    .judge = judge_result,
};
