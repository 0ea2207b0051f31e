/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "db/answer_cache.h"

/* Returns whether the cache has the answer; if not, offers it to the cache. */
static int is_cached_at(unit_database_t *database, const char *key, const char *id, apr_time_t now)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_item_t item = {.key = key};
    int is_cached = cat_answer_cache_get(db, id, now, &item);
    const char *const *row;

    if (is_cached) {
        assert_string_equal(item.body, key);
        assert_int_equal(item.length, strlen(key) + 1);
        assert_int_equal(item.hash, 42);
    } else {
        assert_int_equal(cat_db_one(db, SQL_HEALTH, CAT_NO_VALUES, &row), APR_SUCCESS);
        item.body = key;
        item.length = strlen(key) + 1;
        item.hash = 42;
        cat_answer_cache_put(db, &item);
    }
    cat_db_release(db);
    return is_cached;
}

static int is_cached(unit_database_t *database, const char *key, const char *id)
{
    return is_cached_at(database, key, id, apr_time_now());
}

static void test_answers_are_cached_until_the_database_changes(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *one = unit_product_id(*state, 1), *two = unit_product_id(*state, 2);
    cat_db_t *db = unit_database_use(*state, database);

    assert_false(is_cached(database, "/list", NULL));
    assert_false(is_cached(database, one, one));
    assert_false(is_cached(database, two, two));
    assert_true(is_cached(database, "/list", NULL));
    assert_true(is_cached(database, one, one));

    assert_int_equal(cat_products_insert_one(db, unit_product(*state, 1)), APR_SUCCESS);
    assert_false(is_cached(database, one, one));
    assert_false(is_cached(database, "/list", NULL));
    assert_true(is_cached(database, one, one));
    assert_int_equal(cat_products_delete_one(db, one, NULL), APR_SUCCESS);
    assert_false(is_cached(database, one, one));
    assert_false(is_cached(database, "/list", NULL));
}

/* On a database server a new product changes the lists but no product, and a deleted product changes itself and the lists. */
static void test_products_are_invalidated_one_by_one_on_a_server(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *one = unit_product_id(*state, 1), *two = unit_product_id(*state, 2);
    cat_dialect_t *dialect = apr_pmemdup(*state, database->source->dialect, sizeof(*dialect));
    cat_db_t *db = unit_database_use(*state, database);

    dialect->file = 0;
    database->source->dialect = dialect;
    database->conf.cache_max_age = 60;
    is_cached(database, "/list", NULL);
    is_cached(database, one, one);
    is_cached(database, two, two);
    assert_int_equal(cat_products_insert_one(db, unit_product(*state, 1)), APR_SUCCESS);
    assert_true(is_cached(database, one, one));
    assert_false(is_cached(database, "/list", NULL));
    assert_int_equal(cat_products_delete_one(db, one, NULL), APR_SUCCESS);
    assert_true(is_cached(database, two, two));
    assert_false(is_cached(database, one, one));
    assert_false(is_cached(database, "/list", NULL));
}

static void test_write_of_another_program_invalidates(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *one = unit_product_id(*state, 1);

    is_cached(database, one, one);
    assert_true(is_cached(database, one, one));
    unit_database_sql(database, "INSERT INTO products (id, name, price, category, in_stock, n)"
                                " VALUES ('x', 'x', 1, '', 1, 1)");
    assert_false(is_cached(database, one, one));
    assert_true(is_cached(database, one, one));
}

static void test_works_without_a_cache(void **state)
{
    unit_database_t *database = unit_database(*state);

    database->source->cache = NULL;
    assert_false(is_cached(database, "/list", NULL));
    assert_false(is_cached(database, "/list", NULL));
}

/* A database server, on which the module cannot notice the writes of other programs. */
static void test_max_age_applies_on_a_database_server(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_dialect_t *dialect = apr_pmemdup(*state, database->source->dialect, sizeof(*dialect));
    apr_time_t now = apr_time_now();

    dialect->file = 0;
    database->source->dialect = dialect;
    assert_false(is_cached_at(database, "/list", NULL, now));
    assert_false(is_cached_at(database, "/list", NULL, now));
    database->conf.cache_max_age = 60;
    assert_false(is_cached_at(database, "/list", NULL, now));
    assert_true(is_cached_at(database, "/list", NULL, now));
    assert_true(is_cached_at(database, "/list", NULL, now + apr_time_from_sec(60)));
    assert_false(is_cached_at(database, "/list", NULL, now + apr_time_from_sec(60) + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_answers_are_cached_until_the_database_changes),
        UNIT_TEST(test_products_are_invalidated_one_by_one_on_a_server),
        UNIT_TEST(test_write_of_another_program_invalidates),
        UNIT_TEST(test_works_without_a_cache),
        UNIT_TEST(test_max_age_applies_on_a_database_server),
    };
    return UNIT_RUN(tests);
}
