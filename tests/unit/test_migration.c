/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include <pthread.h>

enum { SERVERS = 4 };

static const char *new_path(apr_pool_t *pool)
{
    return apr_pstrcat(pool, unit_directory(pool), "/catalog.db", NULL);
}

static void test_migration_brings_the_schema_up_to_date(void **state)
{
    unit_database_t *database = unit_database_make(*state, new_path(*state));
    cat_db_t *db = unit_database_use(*state, database);
    int version, needed;

    assert_int_equal(cat_migration_read_version(db, &version, &needed), APR_SUCCESS);
    assert_int_equal(version, 0);
    assert_true(needed > 0);
    assert_int_equal(cat_migration_try(db), APR_SUCCESS);
    assert_true(cat_source_has_schema(database->source));
    assert_int_equal(cat_migration_read_version(db, &version, &needed), APR_SUCCESS);
    assert_int_equal(version, needed);
    unit_says(database->logged, "CAT009");
    database->logged[0] = '\0';
    assert_int_equal(cat_migration_run(db), APR_SUCCESS); /* nothing is left to do */
    assert_string_equal(database->logged, "");
}

/* Each thread acts as a server of its own: the threads share only the file. */
typedef struct server_t {
    unit_database_t *database;
    cat_db_t *db;
    apr_status_t rv;
    pthread_t thread;
} server_t;

static void *migrate_server(void *data)
{
    server_t *s = data;

    s->rv = cat_migration_run(s->db);
    return NULL;
}

static void test_servers_at_once_apply_each_step_once(void **state)
{
    const char *path = new_path(*state);
    server_t servers[SERVERS];
    int applied = 0, version, needed;

    for (int i = 0; i < SERVERS; i++) {
        apr_pool_t *pool;
        apr_pool_create(&pool, *state);
        servers[i] = (server_t){.database = unit_database_make(pool, path)};
        servers[i].db = unit_database_use(pool, servers[i].database);
    }
    for (int i = 0; i < SERVERS; i++) {
        assert_int_equal(pthread_create(&servers[i].thread, NULL, migrate_server, &servers[i]), 0);
    }
    for (int i = 0; i < SERVERS; i++) {
        pthread_join(servers[i].thread, NULL);
        assert_int_equal(servers[i].rv, APR_SUCCESS);
        for (const char *line = servers[i].database->logged; (line = strstr(line, "CAT009")); line++) {
            applied++;
        }
    }
    assert_int_equal(cat_migration_read_version(servers[0].db, &version, &needed), APR_SUCCESS);
    assert_int_equal(version, needed);
    assert_int_equal(applied, needed);
    assert_string_equal(unit_database_sql(servers[0].database, "SELECT COUNT(*) FROM schema_version"),
                        apr_itoa(*state, needed));
}

static void test_migration_can_be_switched_off(void **state)
{
    unit_database_t *database = unit_database_make(*state, new_path(*state));
    cat_db_t *db = unit_database_use(*state, database);

    database->conf.migrate = 0;
    assert_int_equal(cat_migration_try(db), CAT_EDOWN);
    unit_says(database->logged, "CAT010");
    assert_false(cat_source_has_schema(database->source));
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM sqlite_master"), "0");
    database->conf.migrate = 1;
    assert_int_equal(cat_migration_try(db), APR_SUCCESS);
    database->conf.migrate = 0;
    assert_int_equal(cat_migration_try(db), APR_SUCCESS); /* it is up to date */
}

/* Another program holds the lock. A request gives up after a second. */
static void test_request_gives_up_waiting_for_the_lock(void **state)
{
    unit_database_t *database = unit_database_make(*state, new_path(*state));
    apr_status_t rv;
    sqlite3 *other;

    unit_database_sql(database, "PRAGMA journal_mode=WAL");
    assert_int_equal(sqlite3_open(database->path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    rv = cat_migration_try(unit_database_use(*state, database));
    assert_true(rv == CAT_EDOWN || rv == CAT_EBUSY);
    assert_false(cat_source_has_schema(database->source));
    sqlite3_close(other);
    assert_int_equal(cat_migration_try(unit_database_use(*state, database)), APR_SUCCESS);
}

/* Of a step that fails nothing stays. */
static void test_failing_step_is_rolled_back(void **state)
{
    unit_database_t *database = unit_database_make(*state, new_path(*state));
    cat_db_t *db = unit_database_use(*state, database);
    int version, needed;

    unit_database_sql(database, "CREATE TABLE idempotency_keys (mine TEXT)"); /* which the step creates last */
    assert_int_equal(cat_migration_try(db), CAT_EDOWN);
    unit_says(database->logged, "idempotency_keys already exists");
    assert_int_equal(cat_migration_read_version(db, &version, &needed), APR_SUCCESS);
    assert_int_equal(version, needed - 1);
    cat_db_release(db);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'products'"), "0");
    unit_database_sql(database, "DROP TABLE idempotency_keys");
    assert_int_equal(cat_migration_try(db), APR_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_migration_brings_the_schema_up_to_date),
        UNIT_TEST(test_servers_at_once_apply_each_step_once),
        UNIT_TEST(test_migration_can_be_switched_off),
        UNIT_TEST(test_request_gives_up_waiting_for_the_lock),
        UNIT_TEST(test_failing_step_is_rolled_back),
    };
    return UNIT_RUN(tests);
}
