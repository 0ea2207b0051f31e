/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/list_page.h"

#define PRODUCTS 2600 /* maintenance splits them into five parts */

typedef struct rows_t {
    int next; /* the number that the next row must have */
    int count;
} rows_t;

static apr_status_t expect_row(void *baton, const char *const *values, int count)
{
    rows_t *rows = baton;

    assert_int_equal(count, CAT_PRODUCT_FIELDS);
    assert_int_equal(atoi(values[CAT_PRODUCT_NAME]), rows->next);
    rows->next--;
    rows->count++;
    return APR_SUCCESS;
}

/* Reads the page, checks each row and returns the number of rows. */
static int read_page(unit_database_t *database, apr_int64_t page, apr_int64_t limit, apr_int64_t total)
{
    cat_list_query_t query = {.page = page, .limit = limit};
    rows_t rows = {.next = page <= total / limit + 1 ? (int)(total - 1 - (page - 1) * limit) : -1};
    apr_int64_t read_total = -1;
    apr_pool_t *pool;

    apr_pool_create(&pool, database->pool);
    assert_int_equal(cat_list_page_read(unit_database_use(pool, database), &query, expect_row, &rows, &read_total),
                     APR_SUCCESS);
    apr_pool_destroy(pool);
    assert_int_equal(read_total, total);
    return rows.count;
}

static void test_pages_of_an_empty_catalogue_are_empty(void **state)
{
    unit_database_t *database = unit_database(*state);

    assert_int_equal(read_page(database, 1, 10, 0), 0);
    assert_int_equal(read_page(database, 2, 10, 0), 0);
    assert_int_equal(read_page(database, APR_INT64_MAX, 10, 0), 0);
}

static void read_all_pages(unit_database_t *database, int limit)
{
    int pages = (PRODUCTS + limit - 1) / limit, last = PRODUCTS - (pages - 1) * limit;

    for (int page = 1; page <= pages; page++) {
        assert_int_equal(read_page(database, page, limit, PRODUCTS), page < pages ? limit : last);
    }
    assert_int_equal(read_page(database, pages + 1, limit, PRODUCTS), 0);
    assert_int_equal(read_page(database, APR_INT64_MAX, limit, PRODUCTS), 0);
}

static void test_reads_pages_from_one_part(void **state)
{
    unit_database_t *database = unit_database(*state);

    unit_products_insert(database, 0, PRODUCTS);
    read_all_pages(database, 17);
}

/* Pages begin in each part, near either end, and some end in another part. */
static void test_reads_pages_from_several_parts(void **state)
{
    unit_database_t *database = unit_database(*state);

    unit_products_insert(database, 0, PRODUCTS);
    unit_products_maintain(database);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_counts WHERE level = 0"), "5");
    read_all_pages(database, 17);
    read_all_pages(database, 100);
}

/* Stops the reading. Its status is the result. */
static apr_status_t refuse_row(void *baton, const char *const *values, int count)
{
    (void)values;
    (void)count;
    ++*(int *)baton;
    return CAT_EBUSY;
}

static void test_row_function_may_stop_the_reading(void **state)
{
    unit_database_t *database = unit_database(*state);
    int rows = 0;
    apr_int64_t total;

    unit_products_insert(database, 0, 100);
    assert_int_equal(cat_list_page_read(unit_database_use(*state, database), &(cat_list_query_t){.page = 1, .limit = 9},
                                        refuse_row, &rows, &total),
                     CAT_EBUSY);
    assert_int_equal(rows, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_pages_of_an_empty_catalogue_are_empty),
        UNIT_TEST(test_reads_pages_from_one_part),
        UNIT_TEST(test_reads_pages_from_several_parts),
        UNIT_TEST(test_row_function_may_stop_the_reading),
    };
    return UNIT_RUN(tests);
}
