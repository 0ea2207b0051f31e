/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include <stdio.h>
#include <unistd.h>

#include "db/pool/checkout.h"

static const char *all(unit_database_t *database)
{
    return unit_database_sql(database, "SELECT n FROM product_counts WHERE name = 'products'");
}

static int maintain_once(unit_database_t *database)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    int changed;

    assert_int_equal(cat_counts_maintain(db, &changed), APR_SUCCESS);
    cat_db_release(db);
    return changed;
}

static void test_counts_of_an_empty_catalogue_are_right(void **state)
{
    unit_database_t *database = unit_database(*state);

    assert_int_equal(maintain_once(database), 0);
    assert_int_equal(unit_products_check(database), 0);
    assert_string_equal(all(database), "0");
}

static apr_status_t rebuild(void *baton)
{
    return cat_counts_rebuild(baton);
}

static void test_check_finds_wrong_counts(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);

    unit_products_insert(database, 0, 100);
    unit_database_sql(database, "UPDATE product_counts SET n = n + 1 WHERE name = 'products'");
    assert_int_equal(unit_products_check(database), 1);
    unit_database_sql(database, "UPDATE product_counts SET in_stock = in_stock + 1 WHERE name = 'products'");
    assert_int_equal(unit_products_check(database), 2);
    assert_int_equal(cat_db_transact(db, rebuild, db), APR_SUCCESS);
    assert_int_equal(unit_products_check(database), 0);
}

/* Each write inserts delta rows; maintenance applies them to the counts and deletes them. */
static void test_maintenance_applies_deltas(void **state)
{
    unit_database_t *database = unit_products_without_triggers(*state);
    cat_db_t *db = unit_database_use(*state, database);

    unit_products_insert(database, 0, 120); /* two statements of 50 products, and 20 of one */
    assert_string_equal(all(database), "0");
    assert_string_equal(unit_database_sql(database, "SELECT SUM(delta) FROM product_deltas"), "120");
    assert_int_equal(unit_products_check(database), 0);
    assert_int_equal(cat_products_insert_one(db, unit_product(*state, 120)), APR_SUCCESS);
    assert_int_equal(cat_products_delete_one(db, unit_product_id(*state, 7), NULL), APR_SUCCESS);
    assert_int_equal(cat_products_delete_one(db, unit_product_id(*state, 7), NULL), APR_NOTFOUND);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_deltas"), "122");
    assert_int_equal(maintain_once(database), 1);
    assert_string_equal(all(database), "120");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_deltas"), "0");
    assert_int_equal(unit_products_check(database), 0);
}

/* The delta rows fill more than one batch, and more than one transaction. */
static void test_maintenance_applies_many_deltas_in_batches(void **state)
{
    unit_database_t *database = unit_products_without_triggers(*state);

    unit_products_insert(database, 0, 4500);
    assert_int_equal(maintain_once(database), 4);
    assert_string_equal(all(database), "4000");
    assert_int_equal(unit_products_check(database), 0);
    unit_products_maintain(database);
    assert_string_equal(all(database), "4500");
    assert_int_equal(unit_products_check(database), 0);
}

static apr_int64_t count_category(unit_database_t *database, const char *category)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    apr_int64_t n;

    assert_int_equal(cat_counts_category(db, category, &n), APR_SUCCESS);
    cat_db_release(db);
    return n;
}

static void check_category_counts(unit_database_t *database)
{
    cat_db_t *db = unit_database_use(database->pool, database);

    unit_products_insert(database, 0, 30);
    assert_int_equal(count_category(database, "Light"), 30);
    assert_int_equal(count_category(database, "light"), 0);
    unit_products_update(database, 3, CAT_PRODUCT_CATEGORY, "Tea");
    unit_products_update(database, 4, CAT_PRODUCT_CATEGORY, "LIGHT"); /* the same when folded */
    unit_products_update(database, 5, CAT_PRODUCT_NAME, "Lamp");
    assert_int_equal(count_category(database, "Light"), 28);
    assert_int_equal(count_category(database, "LIGHT"), 1);
    assert_int_equal(count_category(database, "Tea"), 1);
    assert_int_equal(cat_products_delete_one(db, unit_product_id(database->pool, 3), NULL), APR_SUCCESS);
    assert_int_equal(cat_products_delete_one(db, unit_product_id(database->pool, 8), NULL), APR_SUCCESS);
    assert_int_equal(unit_products_check(database), 0);
    unit_products_maintain(database);
    assert_int_equal(count_category(database, "Light"), 27);
    assert_int_equal(count_category(database, "Tea"), 0);
    assert_int_equal(unit_products_check(database), 0);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM category_counts"), "2");
    unit_database_sql(database, "UPDATE category_counts SET n = n + 1 WHERE category = 'Light'");
    assert_int_equal(unit_products_check(database), 1);
    assert_int_equal(cat_db_transact(db, rebuild, db), APR_SUCCESS);
    assert_int_equal(unit_products_check(database), 0);
}

static void test_categories_are_counted_by_triggers(void **state)
{
    check_category_counts(unit_database(*state));
}

static void test_categories_are_counted_by_deltas(void **state)
{
    check_category_counts(unit_products_without_triggers(*state));
}

#define NOISE (2 * 1024 * 1024)

/* AddressSanitizer, under "make asan", keeps memory aside after its release, by default up to 256 MB. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1";
}

static cat_job_t make_job(apr_pool_t *pool, unit_database_t *database, const atomic_int *stop)
{
    return (cat_job_t){.pool = pool,
                       .last = apr_pcalloc(pool, sizeof(apr_time_t)),
                       .log = &database->log,
                       .conf = &database->conf,
                       .db = unit_database_use(pool, database),
                       .source = database->source,
                       .stop = stop};
}

static void test_job_stops_with_the_server(void **state)
{
    unit_database_t *database = unit_products_without_triggers(*state);
    atomic_int stop = 1;
    cat_job_t job = make_job(*state, database, &stop);

    unit_products_insert(database, 0, 5000);
    assert_int_equal(cat_counts_run(&job), APR_SUCCESS);
    assert_string_equal(all(database), "0");
    stop = 0;
    assert_int_equal(cat_counts_run(&job), APR_SUCCESS);
    assert_string_equal(all(database), "5000");
    assert_int_equal(unit_products_check(database), 0);
}

/* Of this process, in octets; pools do not take theirs from malloc. */
static long resident_memory(void)
{
    FILE *in = fopen("/proc/self/statm", "r");
    long size, resident;

    assert_non_null(in);
    assert_int_equal(fscanf(in, "%ld %ld", &size, &resident), 2);
    fclose(in);
    return resident * sysconf(_SC_PAGESIZE);
}

/* Runs the job for products that are new, and returns what the process has grown by. */
static long growth_by_job(unit_database_t *database, int first, int end)
{
    atomic_int stop = 0;
    apr_allocator_t *allocator;
    long before, growth;
    apr_pool_t *pool;
    cat_job_t job;

    unit_products_insert(database, first, end);
    assert_int_equal(apr_allocator_create(&allocator), APR_SUCCESS);
    assert_int_equal(apr_pool_create_ex(&pool, NULL, NULL, allocator), APR_SUCCESS);
    apr_allocator_owner_set(allocator, pool); /* what earlier runs left free is not used again */
    job = make_job(pool, database, &stop);
    before = resident_memory();
    assert_int_equal(cat_counts_run(&job), CAT_JOB_DONE);
    growth = resident_memory() - before;
    apr_pool_destroy(pool);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_deltas"), "0");
    return growth;
}

/* However many transactions a run takes, it needs the memory of one. */
static void test_job_needs_no_more_memory_for_more_deltas(void **state)
{
    unit_database_t *database = unit_products_without_triggers(*state);
    long one = growth_by_job(database, 0, 4000);
    long many = growth_by_job(database, 4000, 44000);

    if (many > one + NOISE) {
        fail_msg("%ld octets for 4,000 deltas, %ld for 40,000", one, many);
    }
}

static void test_failing_database_is_reported(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    int changed, wrong;

    unit_database_sql(database, "DROP TABLE category_counts");
    assert_int_not_equal(cat_counts_maintain(db, &changed), APR_SUCCESS);
    assert_int_equal(changed, 0);
    assert_int_not_equal(cat_counts_check(db, &wrong), APR_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_counts_of_an_empty_catalogue_are_right),
        UNIT_TEST(test_check_finds_wrong_counts),
        UNIT_TEST(test_maintenance_applies_deltas),
        UNIT_TEST(test_maintenance_applies_many_deltas_in_batches),
        UNIT_TEST(test_categories_are_counted_by_triggers),
        UNIT_TEST(test_categories_are_counted_by_deltas),
        UNIT_TEST(test_job_stops_with_the_server),
        UNIT_TEST(test_job_needs_no_more_memory_for_more_deltas),
        UNIT_TEST(test_failing_database_is_reported),
    };
    return UNIT_RUN(tests);
}
