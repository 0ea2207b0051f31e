/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs every statement as the module does, on the schema of conf/schema: test_statements [DRIVER PARAMS], by default in a SQLite file
 * of its own. Preparing them would not be enough: PostgreSQL's driver sends a statement only when it runs.
 */
#include "unit_database.h"

#include <stdio.h>

static const char *driver = "sqlite3", *params;

typedef struct trial_t {
    cat_db_t *db;
    cat_sql_t sql;
    const char *text;
    apr_status_t rv;
} trial_t;

static int count_placeholders(const char *text)
{
    int count = 0;

    while ((text = strstr(text, "%s"))) {
        text += strlen("%s");
        count++;
    }
    return count;
}

static apr_status_t ignore_row(void *, const char *const *, int)
{
    return APR_SUCCESS;
}

/* Passes "1", which is valid as a text, a number, a time and a limit. Fails, so that nothing is committed. */
static apr_status_t run_statement(void *baton)
{
    trial_t *trial = baton;
    const char *values[1024];
    int count = count_placeholders(trial->text);
    int selects = !strncmp(trial->text, "SELECT", strlen("SELECT")) || !strncmp(trial->text, "WITH", strlen("WITH"));

    assert_true(count <= (int)UNIT_COUNT(values));
    for (int i = 0; i < count; i++) {
        values[i] = "1";
    }
    trial->rv = selects ? cat_db_each(trial->db, trial->sql, values, count, ignore_row, NULL)
                        : cat_db_exec(trial->db, trial->sql, values, count, NULL);
    return APR_EGENERAL;
}

/* The database has understood a statement whose values a constraint refuses. PostgreSQL's driver has no code for that, but the suite's
 * server reports in English. On SQLite, delta rows are views that are always empty: the module never inserts or deletes them. */
static int is_understood(const trial_t *trial, const char *logged)
{
    return trial->rv == APR_SUCCESS || trial->rv == APR_EEXIST || trial->rv == CAT_EVALUE ||
           strstr(logged, " violates ") || strstr(logged, "_deltas because it is a view");
}

/* The first use of the database creates the schema. */
static int try_statement(apr_pool_t *pool, unit_database_t *database, cat_sql_t sql)
{
    trial_t trial = {.sql = sql, .text = cat_dialect_sql(cat_dialect_find(driver), sql), .rv = APR_EGENERAL};

    database->logged[0] = '\0';
    if (trial.text) {
        trial.db = unit_database_use(pool, database);
        cat_db_transact(trial.db, run_statement, &trial);
    }
    if (is_understood(&trial, database->logged)) {
        return 1;
    }
    print_error("%s: %s\n", cat_dialect_sql_name(sql), trial.text ? database->logged : "it has no text");
    return 0;
}

static void test_every_statement_is_understood(void **state)
{
    const char *file = apr_pstrcat(*state, unit_directory(*state), "/catalog.db", NULL);
    unit_database_t *database = unit_database_make_for(*state, driver, params ? params : file);
    int understood = 0;

    for (cat_sql_t sql = 0; sql < SQL_COUNT; sql++) {
        understood += try_statement(*state, database, sql);
    }
    print_message("%d statements on %s\n", understood, driver);
    assert_int_equal(understood, SQL_COUNT);
}

/* Of a statement in which all values are 1: "SEARCH product_keys USING INDEX ...". */
static const char *explain(apr_pool_t *pool, sqlite3 *db, cat_sql_t sql)
{
    const char *text = cat_dialect_sql(cat_dialect_find("sqlite3"), sql), *at, *plan = "";
    sqlite3_stmt *statement;

    for (; (at = strstr(text, "%s"));
         text = apr_pstrcat(pool, apr_pstrmemdup(pool, text, (apr_size_t)(at - text)), "1", at + 2, NULL)) {
    }
    text = apr_pstrcat(pool, "EXPLAIN QUERY PLAN ", text, NULL);
    assert_int_equal(sqlite3_prepare_v2(db, text, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        plan = apr_pstrcat(pool, plan, (const char *)sqlite3_column_text(statement, 3), "\n", NULL);
    }
    sqlite3_finalize(statement);
    return plan;
}

/* All keys of a field are as many as there are products, and those of a time may be as many. */
static void test_the_keys_of_a_product_are_found_by_the_product(void **state)
{
    unit_database_t *database = unit_database(*state);
    static const cat_sql_t all[] = {SQL_KEYS_DELETE, SQL_KEYS_COUNTED, SQL_WORDS_DELETE},
                           between[] = {SQL_KEYS_BETWEEN, SQL_KEYS_DROP};
    sqlite3 *db;

    assert_int_equal(sqlite3_open(database->path, &db), SQLITE_OK);
    for (size_t i = 0; i < UNIT_COUNT(all); i++) {
        assert_non_null(strstr(explain(*state, db, all[i]), "n=?)"));
    }
    for (size_t i = 0; i < UNIT_COUNT(between); i++) {
        assert_non_null(strstr(explain(*state, db, between[i]), "(field=? AND n>? AND n<?)"));
    }
    sqlite3_close(db);
}

typedef struct made_t {
    apr_pool_t *pool;
    cat_db_t *db;
    int sum;
} made_t;

static apr_status_t add_number(void *sum, const char *const *values, int count)
{
    assert_int_equal(count, 2);
    assert_string_equal(values[1], "it's 100%");
    *(int *)sum += atoi(values[0]);
    return APR_SUCCESS;
}

/* 200 shapes, several times more than a connection keeps, each twice in a row and once again later. */
static apr_status_t run_made_texts(void *baton)
{
    made_t *made = baton;
    apr_status_t rv = APR_SUCCESS;

    made->sum = 0; /* a transaction may be begun anew */
    for (int i = 0; i < 600 && rv == APR_SUCCESS; i++) {
        const char *text = apr_psprintf(
            made->pool, "SELECT %d + 7 %%%% 4, d.v FROM (SELECT CAST(%%s AS CHAR(9)) AS v) d", i / 2 % 200);
        rv = cat_db_each_text(made->db, text, CAT_VALUES("it's 100%"), add_number, &made->sum);
    }
    return rv;
}

#define SUM_OF_MADE (2 * (199 * 200 / 2) + 2 * (99 * 100 / 2) + 600 * 3)

static void test_texts_made_at_run_time_are_kept_within_bounds(void **state)
{
    const char *file = apr_pstrcat(*state, unit_directory(*state), "/catalog.db", NULL);
    unit_database_t *database = unit_database_make_for(*state, driver, params ? params : file);
    made_t made = {*state, unit_database_use(*state, database), 0};

    unit_database_migrate(database);
    database->logged[0] = '\0';
    assert_int_equal(run_made_texts(&made), APR_SUCCESS);
    assert_int_equal(made.sum, SUM_OF_MADE);
    assert_int_equal(cat_db_view(made.db, run_made_texts, &made), APR_SUCCESS);
    assert_int_equal(made.sum, SUM_OF_MADE);
    assert_int_equal(cat_db_transact(made.db, run_made_texts, &made), APR_SUCCESS);
    assert_int_equal(made.sum, SUM_OF_MADE);
    assert_string_equal(database->logged, "");
}

/* Counts to 10,000,000,000. */
static apr_status_t count_long(void *db)
{
    return cat_db_each_text(
        db,
        "WITH d AS (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4"
        " UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
        " SELECT COUNT(*) FROM d a, d b, d c, d e, d f, d g, d h, d i, d j, d k"
        " WHERE a.n + b.n + c.n + e.n + f.n + g.n + h.n + i.n + j.n + k.n < 99",
        CAT_NO_VALUES, ignore_row, NULL);
}

static apr_status_t count_products(void *db)
{
    return cat_db_each_text(db, "SELECT COUNT(*) FROM products", CAT_NO_VALUES, ignore_row, NULL);
}

/* The connection is of use afterwards, and its other statements have no such limit. */
static void test_search_ends_at_its_limit(void **state)
{
    const char *file = apr_pstrcat(*state, unit_directory(*state), "/catalog.db", NULL);
    unit_database_t *database = unit_database_make_for(*state, driver, params ? params : file);
    cat_db_t *db = unit_database_use(*state, database);
    apr_time_t begun = apr_time_now();

    database->conf.query_timeout = 1;
    unit_database_migrate(database);
    database->logged[0] = '\0';
    for (int i = 0; i < 2; i++) {
        assert_int_equal((i ? cat_db_search_once : cat_db_search)(db, count_long, db), CAT_ESLOW);
        assert_int_equal(cat_db_search(db, count_products, db), APR_SUCCESS);
        assert_int_equal(cat_db_search_once(db, count_products, db), APR_SUCCESS);
        assert_int_equal(cat_db_view(db, count_products, db), APR_SUCCESS);
        assert_int_equal(cat_db_each_text(db, "SELECT 1", CAT_NO_VALUES, ignore_row, NULL), APR_SUCCESS);
    }
    assert_true(apr_time_now() - begun >= apr_time_from_sec(2));
    assert_string_equal(database->logged, "");
}

typedef struct writers_t {
    cat_db_t *writing, *asking;
} writers_t;

static int are_gone(cat_db_t *db)
{
    const char *const *row;
    int gone;

    assert_int_equal(cat_db_one(db, SQL_WRITERS, CAT_NO_VALUES, &row), APR_SUCCESS);
    gone = !strcmp(row[0], row[1]);
    cat_db_release(db);
    return gone;
}

static apr_status_t look_for_writer(void *baton)
{
    const writers_t *w = baton;
    const char *const *row;

    assert_int_equal(cat_db_each_text(w->writing, "SELECT txid_current()", CAT_NO_VALUES, ignore_row, NULL),
                     APR_SUCCESS);
    assert_true(are_gone(w->asking)); /* it has a number, but has not come to the products */
    assert_int_equal(cat_db_one(w->writing, SQL_PRODUCT_LOCK, CAT_VALUES("1", "1"), &row), APR_NOTFOUND);
    assert_false(are_gone(w->asking));
    return APR_SUCCESS;
}

/* It is the last transaction that has begun, and none has ended since. */
static void test_the_only_writer_of_products_is_seen(void **state)
{
    unit_database_t *database;
    writers_t w;

    if (strcmp(driver, "pgsql")) {
        skip(); /* others wait for writers */
    }
    database = unit_database_make_for(*state, driver, params);
    unit_database_migrate(database);
    w = (writers_t){unit_database_use(*state, database), unit_database_use(*state, database)};
    assert_true(are_gone(w.asking));
    assert_int_equal(cat_db_transact(w.writing, look_for_writer, &w), APR_SUCCESS);
    assert_true(are_gone(w.asking));
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_every_statement_is_understood),
        UNIT_TEST(test_the_keys_of_a_product_are_found_by_the_product),
        UNIT_TEST(test_texts_made_at_run_time_are_kept_within_bounds),
        UNIT_TEST(test_search_ends_at_its_limit),
        UNIT_TEST(test_the_only_writer_of_products_is_seen),
    };

    if (count == 3) {
        driver = words[1];
        params = words[2];
    }
    return UNIT_RUN(tests);
}
