/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/bulk/bulk_job.h"

#define PRICES                                                                                                         \
    "SELECT group_concat(price || '*' || n) FROM (SELECT price, COUNT(*) AS n FROM products GROUP BY price ORDER BY "  \
    "price)"
#define JOB "SELECT state || ' ' || changed || ' ' || unchanged || ' ' || failed || ' ' || errors FROM bulk_jobs"

/* Runs the job until it gets no further, as a run has half a second; stop_value 1: once, which ends after one portion. */
static cat_job_result_t run_job(unit_database_t *database, int stop_value)
{
    atomic_int stop = stop_value;
    const char *before;
    cat_job_result_t result;
    cat_job_t job = unit_database_job(database, &stop, NULL);

    do {
        before = unit_database_sql(database, JOB);
        result = cat_bulk_job_run(&job);
    } while (!stop_value && result == CAT_JOB_DONE && strcmp(before, unit_database_sql(database, JOB)) != 0);
    return result;
}

static unit_database_t *begin(apr_pool_t *pool, int products, const char *request)
{
    unit_database_t *database = unit_database(pool);
    cat_db_t *db = unit_database_use(pool, database);
    const char *const *job = cat_bulk_job_make(pool, 0, "user", apr_time_now());

    database->conf.mount = "/api";
    unit_products_insert(database, 0, products);
    assert_int_equal(cat_bulk_job_insert(db, job, request), APR_SUCCESS);
    cat_db_release(db);
    return database;
}

#define RAISE "{\"where\": \"category=Light\", \"adjust\": {\"price\": {\"add\": 1}}, \"atomic\": false}"

static void test_goes_through_all_once(void **state)
{
    unit_database_t *database = begin(*state, 250, RAISE);

    assert_int_equal(run_job(database, 1), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, PRICES), "12.5*190,13.5*60");
    assert_string_equal(unit_database_sql(database, JOB), "running 60 0 0 []");
    assert_int_equal(run_job(database, 0), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, PRICES), "13.5*250");
    assert_string_equal(unit_database_sql(database, JOB), "done 250 0 0 []");
    assert_string_equal(unit_database_sql(database, "SELECT ended_at >= created_at FROM bulk_jobs"), "1");
    assert_int_equal(run_job(database, 0), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, PRICES), "13.5*250");
}

/* A portion ends with the last product, exactly. */
static void test_ends_where_a_portion_ends(void **state)
{
    unit_database_t *database = begin(*state, 120, RAISE);

    assert_int_equal(run_job(database, 0), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, JOB), "done 120 0 0 []");
}

static void test_newer_products_are_not_changed(void **state)
{
    unit_database_t *database = begin(*state, 100, RAISE);

    assert_int_equal(run_job(database, 1), CAT_JOB_DONE);
    unit_products_insert(database, 100, 110);
    assert_int_equal(run_job(database, 0), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, PRICES), "12.5*10,13.5*100");
}

/* What happens here within the transaction of the portion, another server does before it. */
static void test_a_portion_that_another_server_made_is_rolled_back(void **state)
{
    unit_database_t *database = begin(*state, 70, RAISE);

    unit_database_sql(database, "CREATE TRIGGER other AFTER UPDATE OF price ON products"
                                " BEGIN UPDATE bulk_jobs SET after_n = 7; END");
    assert_int_equal(run_job(database, 1), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, PRICES), "12.5*70");
    assert_string_equal(unit_database_sql(database, JOB), "running 0 0 0 []");
    unit_database_sql(database, "DROP TRIGGER other");
    assert_int_equal(run_job(database, 0), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, PRICES), "13.5*70");
}

static void test_a_job_that_is_stopped_changes_nothing_more(void **state)
{
    unit_database_t *database = begin(*state, 70, RAISE);
    const char *const *job;
    cat_db_t *db = unit_database_use(*state, database);
    const char *id = unit_database_sql(database, "SELECT id FROM bulk_jobs");

    assert_int_equal(run_job(database, 1), CAT_JOB_DONE);
    assert_int_equal(cat_bulk_job_stop(db, id, apr_time_now(), &job), APR_SUCCESS);
    assert_string_equal(job[CAT_BULK_JOB_STATE], "stopped");
    assert_string_equal(job[CAT_BULK_JOB_MATCHED], "60");
    assert_int_equal(run_job(database, 0), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, PRICES), "12.5*10,13.5*60");
    assert_int_equal(cat_bulk_job_stop(db, "none", apr_time_now(), &job), APR_NOTFOUND);
}

static void test_values_that_the_database_refuses_hold_nothing_up(void **state)
{
    unit_database_t *database = begin(*state, 70, RAISE);

    unit_database_sql(database, "CREATE TRIGGER refuse BEFORE UPDATE ON products WHEN NEW.name = '7'"
                                " BEGIN SELECT RAISE(ABORT, 'CHECK constraint failed: no'); END");
    assert_int_equal(run_job(database, 0), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, PRICES), "12.5*1,13.5*69");
    assert_string_equal(unit_database_sql(database, JOB),
                        "done 69 0 1 [{\"id\":\"019aa691-e2d2-7001-b8ec-000000000007\",\"field\":\"\",\"code\":"
                        "\"invalid\",\"message\":\"has a value that the database refuses\"}]");
}

static void test_products_that_do_not_match_are_passed_over(void **state)
{
    unit_database_t *database = begin(*state, 4000, "{\"where\": \"name[in]=3,3900\", \"delete\": true}");

    assert_int_equal(run_job(database, 1), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, JOB), "running 1 0 0 []");
    assert_int_equal(run_job(database, 1), CAT_JOB_DONE); /* passes over as many as it may */
    assert_string_equal(unit_database_sql(database, JOB), "running 1 0 0 []");
    assert_int_equal(run_job(database, 1), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, JOB), "done 2 0 0 []");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM products"), "3998");
}

static void test_waits_for_the_index(void **state)
{
    unit_database_t *database = begin(*state, 70, RAISE);

    unit_database_sql(database, "UPDATE product_indexes SET complete = 0 WHERE part = 'category'");
    assert_int_equal(run_job(database, 0), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, JOB), "running 0 0 0 []");
    unit_database_sql(database, "UPDATE product_indexes SET complete = 1");
    assert_int_equal(run_job(database, 0), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, JOB), "done 70 0 0 []");
}

static void test_jobs_of_other_mounts_are_left_alone(void **state)
{
    unit_database_t *database = begin(*state, 70, RAISE);

    database->conf.mount = "/other";
    assert_int_equal(run_job(database, 0), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, JOB), "running 0 0 0 []");
}

static void test_a_damaged_request_fails(void **state)
{
    unit_database_t *database = begin(*state, 70, "{");

    assert_int_equal(run_job(database, 0), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, "SELECT state FROM bulk_jobs"), "failed");
    assert_string_equal(unit_database_sql(database, PRICES), "12.5*70");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_goes_through_all_once),
        UNIT_TEST(test_ends_where_a_portion_ends),
        UNIT_TEST(test_newer_products_are_not_changed),
        UNIT_TEST(test_a_portion_that_another_server_made_is_rolled_back),
        UNIT_TEST(test_a_job_that_is_stopped_changes_nothing_more),
        UNIT_TEST(test_values_that_the_database_refuses_hold_nothing_up),
        UNIT_TEST(test_products_that_do_not_match_are_passed_over),
        UNIT_TEST(test_waits_for_the_index),
        UNIT_TEST(test_jobs_of_other_mounts_are_left_alone),
        UNIT_TEST(test_a_damaged_request_fails),
    };
    return UNIT_RUN(tests);
}
