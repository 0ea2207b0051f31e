/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include <sys/wait.h>

static int is_write_lock_free(unit_database_t *database)
{
    pid_t child = fork();
    int status, slot;

    if (child == 0) {
        _exit(cat_semaphore_enter(cat_source_write_lock(database->source), NULL, 0, &slot) == APR_SUCCESS);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

static void test_destroying_the_pool_releases_all(void **state)
{
    unit_database_t *database = unit_database(*state);
    apr_pool_t *pool;
    cat_db_t *db;

    database->conf.max_connections = 1;
    apr_pool_create(&pool, *state);
    db = unit_database_use(pool, database);
    assert_int_equal(cat_connection_begin(unit_connect(db, CAT_TO_WRITE), apr_time_now()), APR_SUCCESS);
    db->use->in_transaction = 1;
    assert_false(is_write_lock_free(database));
    apr_pool_destroy(pool);
    assert_true(is_write_lock_free(database));
    unit_database_sql(database, "BEGIN IMMEDIATE; ROLLBACK"); /* succeeds only if no other transaction is open */
    unit_connect(unit_database_use(*state, database), CAT_TO_READ);
}

static void test_connections_are_limited(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *first = unit_database_use(*state, database), *second = unit_database_use(*state, database);
    cat_connection_t *conn;

    database->conf.max_connections = 1;
    unit_connect(first, CAT_TO_READ);
    assert_int_equal(cat_checkout_connect_bare(second, CAT_TO_READ, &conn), CAT_EBUSY);
    unit_says(database->logged, "CAT001");
    cat_checkout_release(first);
    unit_connect(second, CAT_TO_READ);
}

/* A writer that waits for the lock must not hold a connection. */
static void test_write_lock_is_taken_without_a_connection(void **state)
{
    cat_db_t *db = unit_database_use(*state, unit_database(*state));

    unit_connect(db, CAT_TO_READ);
    assert_int_equal(cat_checkout_take_write_lock(db, apr_time_now()), APR_SUCCESS);
    assert_true(db->use->has_write_lock);
    assert_null(db->use->conn);
    assert_int_equal(cat_checkout_take_write_lock(db, apr_time_now()), APR_SUCCESS); /* it already has the lock */
    cat_checkout_release(db);
    assert_false(db->use->has_write_lock);
}

static void test_each_status_has_its_tries(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    const struct {
        apr_status_t rv;
        cat_repeat_t repeat;
        int repeats;
        apr_status_t final;
    } cases[] = {
        {APR_SUCCESS, CAT_REPEATABLE, 0, APR_SUCCESS},     {APR_NOTFOUND, CAT_REPEATABLE, 0, APR_NOTFOUND},
        {CAT_ECONFLICT, CAT_REPEATABLE, 2, CAT_EBUSY},     {CAT_ECONFLICT, CAT_NOT_REPEATABLE, 2, CAT_EBUSY},
        {CAT_ELOST, CAT_REPEATABLE, 2, CAT_EDOWN},         {CAT_ELOST, CAT_NOT_REPEATABLE, 0, CAT_EUNSURE},
        {CAT_EDOWN, CAT_REPEATABLE, 0, CAT_EDOWN},         {CAT_EVALUE, CAT_REPEATABLE, 0, CAT_EVALUE},
        {CAT_EREADONLY, CAT_REPEATABLE, 0, CAT_EREADONLY},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        int tries = 0, repeats = -1;
        apr_status_t rv;
        do {
            repeats++;
            unit_connect(db, CAT_TO_READ);
            rv = cases[i].rv;
        } while (cat_checkout_try_again(db, &rv, cases[i].repeat, &tries));
        assert_int_equal(repeats, cases[i].repeats);
        assert_int_equal(rv, cases[i].final);
        assert_int_equal(db->use->conn == NULL, cat_checkout_is_fault(cases[i].rv));
    }
}

static void test_wait_for_an_unready_database_is_bounded(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    apr_status_t rv = CAT_ENOTREADY;
    int tries = 0;

    cat_database_note_refusal(&database->source->database);
    assert_true(cat_checkout_try_again(db, &rv, CAT_NOT_REPEATABLE, &tries));
    assert_int_equal(tries, 0);
    database->source->database.refused_since = apr_time_now() - CAT_DATABASE_READY_PATIENCE;
    assert_false(cat_checkout_try_again(db, &rv, CAT_NOT_REPEATABLE, &tries));
    assert_int_equal(rv, CAT_ENOTREADY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_destroying_the_pool_releases_all),         UNIT_TEST(test_connections_are_limited),
        UNIT_TEST(test_write_lock_is_taken_without_a_connection), UNIT_TEST(test_each_status_has_its_tries),
        UNIT_TEST(test_wait_for_an_unready_database_is_bounded),
    };
    return UNIT_RUN(tests);
}
