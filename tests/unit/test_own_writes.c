/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"
#include "unit_transactions.h"

#include <pthread.h>

#include "catalogue/product/own_fields.h"
#include "catalogue/product/product_keys.h"

enum { SKU = CAT_PRODUCT_FIELDS, EAN, WEIGHT, TEXT, FIELDS };

static unit_database_t *own_database(apr_pool_t *pool)
{
    static const char *const lines[] = {"sku string unique", "ean string unique", "weight number index",
                                        "text text search"};
    unit_database_t *database = unit_database(pool);

    for (size_t i = 0; i < UNIT_COUNT(lines); i++) {
        assert_null(cat_own_fields_add(pool, database->conf.fields, lines[i], &database->conf.fields));
    }
    return database;
}

static const char **own_product(apr_pool_t *pool, int i, const char *sku, const char *ean)
{
    const char **product = apr_pcalloc(pool, FIELDS * sizeof(*product));

    memcpy(product, unit_product(pool, i), CAT_PRODUCT_FIELDS * sizeof(*product));
    product[SKU] = sku;
    product[EAN] = ean;
    return product;
}

/* ---- pages ---- */

#define SPREAD 4032 /* products, whose keys and words are all over the database */
#define WORDS 30    /* of a product */

static const char **spread_product(apr_pool_t *pool, int i)
{
    const char *place = apr_itoa(pool, i * 1597 % SPREAD), **product = own_product(pool, i, place, NULL);

    product[WEIGHT] = place;
    product[TEXT] = "";
    for (int word = 0; word < WORDS; word++) {
        product[TEXT] = apr_psprintf(pool, "%s w%d", product[TEXT], (i * WORDS + word) * 7919 % 20000);
    }
    return product;
}

/* SQLite would write their former content to a file, to be able to undo one statement. */
static void test_no_statement_keeps_pages_of_keys(void **state)
{
    unit_database_t *database = own_database(*state);

    assert_true(unit_products_fill(database, spread_product, SPREAD) < UNIT_GROUP);
    assert_int_equal(unit_products_check(database), 0);
}

/* ---- writes that share a transaction ---- */

typedef struct writer_t {
    apr_pool_t *pool;
    cat_db_t *db;
    const char **product;     /* NULL: an update */
    const cat_input_t *input; /* of the product */
    const char *id;
    apr_status_t rv;
    pthread_t thread;
} writer_t;

static void *write_one(void *data)
{
    writer_t *w = data;
    const char *const *product;

    w->rv = w->product ? cat_products_insert_one(w->db, (const char *const *)w->product)
                       : cat_products_update_one(w->db, w->id, w->input, NULL, &product);
    return NULL;
}

/* Starts the writers while this thread leads their group; the first of them leads it afterwards, and writes for all. */
static void write_as_group(unit_database_t *database, writer_t *writers, int count)
{
    cat_group_t *group = database->source->group;
    cat_group_item_t own = {0};

    assert_int_equal(cat_group_join(group, &own, apr_time_now()), CAT_GROUP_LEADER);
    for (int i = 0; i < count; i++) {
        apr_pool_create(&writers[i].pool, database->pool);
        writers[i].db = unit_database_use(writers[i].pool, database);
        assert_int_equal(pthread_create(&writers[i].thread, NULL, write_one, &writers[i]), 0);
        while (cat_group_count_waiting(group) <= i) {
            apr_sleep(apr_time_from_msec(1));
        }
    }
    cat_group_leave(group, &own);
    for (int i = 0; i < count; i++) {
        pthread_join(writers[i].thread, NULL);
    }
}

/* A savepoint would let SQLite write the former content of each page to a file. */
static void test_products_with_unique_values_need_no_savepoint(void **state)
{
    unit_database_t *database = own_database(*state);
    writer_t alone = {.product = spread_product(*state, SPREAD)},
             pair[] = {{.product = spread_product(*state, SPREAD + 1)},
                       {.product = spread_product(*state, SPREAD + 2)}};
    int before, single;

    alone.product[SKU] = "alone";
    pair[0].product[SKU] = "one";
    pair[1].product[SKU] = "other";
    unit_products_fill(database, spread_product, SPREAD);
    before = unit_count_writes();
    write_as_group(database, &alone, 1);
    single = unit_count_writes() - before;
    write_as_group(database, pair, 2);
    assert_true(alone.rv == APR_SUCCESS && pair[0].rv == APR_SUCCESS && pair[1].rv == APR_SUCCESS);
    assert_true(single > WORDS);
    assert_true(unit_count_writes() - before - single < single * 5 / 2);
}

#define UNIQUE "SELECT group_concat(value, ' ') FROM (SELECT value FROM product_unique ORDER BY value)"

static void test_a_refused_product_takes_no_value(void **state)
{
    unit_database_t *database = own_database(*state);
    writer_t first = {.product = own_product(*state, 1, "a", "1")},
             group[] = {{.product = own_product(*state, 2, "b", "1")},
                        {.product = own_product(*state, 3, "c", "3")},
                        {.product = own_product(*state, 4, "b", "4")},
                        {.product = own_product(*state, 1, "d", "5")}}; /* its number is taken */

    write_as_group(database, &first, 1);
    write_as_group(database, group, 4);
    assert_int_equal(first.rv, APR_SUCCESS);
    assert_int_equal(group[0].rv, APR_EEXIST);
    assert_int_equal(group[1].rv, APR_SUCCESS);
    assert_int_equal(group[2].rv, APR_SUCCESS);
    assert_int_equal(group[3].rv, APR_EEXIST);
    assert_string_equal(unit_database_sql(database, UNIQUE), "1 3 4 a b c");
    assert_int_equal(unit_products_check(database), 0);
}

static void test_a_refused_update_gives_up_no_value(void **state)
{
    unit_database_t *database = own_database(*state);
    const char *values[FIELDS] = {[SKU] = "z", [EAN] = "2"};
    unsigned char cleared[FIELDS] = {0};
    const cat_input_t input = {
        .fields = database->conf.fields->all, .count = FIELDS, .values = values, .cleared = cleared};
    writer_t first[] = {{.product = own_product(*state, 1, "a", "1")}, {.product = own_product(*state, 2, "b", "2")}},
             group[] = {{.id = unit_product_id(*state, 1), .input = &input},
                        {.product = own_product(*state, 3, "c", "3")}};

    write_as_group(database, first, 2);
    write_as_group(database, group, 2);
    assert_int_equal(group[0].rv, APR_EEXIST);
    assert_int_equal(group[1].rv, APR_SUCCESS);
    assert_string_equal(unit_database_sql(database, UNIQUE), "1 2 3 a b c");
    assert_int_equal(unit_products_check(database), 0);
}

/* ---- what catalogctl import moves ---- */

typedef struct moving_t {
    cat_db_t *db;
    const char *const *rows[3];
    int inserted;
} moving_t;

static apr_status_t move_rows(void *baton)
{
    moving_t *m = baton;

    return cat_products_insert_many(m->db, m->rows, UNIT_COUNT(m->rows), &m->inserted);
}

static void test_the_row_whose_value_is_taken_is_known(void **state)
{
    static const char *const extras[] = {"{\"sku\":\"a\"}", "{\"sku\":\"b\"}", "{\"sku\":\"a\"}"};
    unit_database_t *database = own_database(*state);
    moving_t m = {.db = unit_database_use(*state, database)};

    for (size_t i = 0; i < UNIT_COUNT(extras); i++) {
        const char **row = unit_product(*state, (int)i + 1);
        row[CAT_PRODUCT_EXTRA] = extras[i];
        m.rows[i] = (const char *const *)row;
    }
    assert_int_equal(cat_db_transact(m.db, move_rows, &m), APR_EEXIST);
    assert_int_equal(m.inserted, 2);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_unique"), "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_no_statement_keeps_pages_of_keys),
        UNIT_TEST(test_products_with_unique_values_need_no_savepoint),
        UNIT_TEST(test_a_refused_product_takes_no_value),
        UNIT_TEST(test_a_refused_update_gives_up_no_value),
        UNIT_TEST(test_the_row_whose_value_is_taken_is_known),
    };
    return UNIT_RUN(tests);
}
