/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/search/indexes.h"
#include "lib/words.h"

/* As before the schema had an index, for all products that are there. */
#define FORGET                                                                                                         \
    "UPDATE products SET name_key = NULL, category_key = NULL, price_key = NULL, rating_key = NULL, words = NULL;"     \
    "DELETE FROM product_words;"                                                                                       \
    "UPDATE product_indexes SET complete = 0, n = 9223372036854775807, filled = 0"

#define INDEXED                                                                                                        \
    "SELECT COUNT(*) FROM products WHERE name_key IS NOT NULL AND category_key IS NOT NULL"                            \
    " AND price_key IS NOT NULL AND rating_key IS NOT NULL AND words IS NOT NULL"

static cat_indexes_state_t check_parts(unit_database_t *database, int parts)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_indexes_state_t state;

    assert_int_equal(cat_indexes_check(db, parts, &state), APR_SUCCESS);
    cat_db_release(db);
    return state;
}

#define INCOMPLETE "SELECT COUNT(*) FROM product_indexes WHERE complete = 0"

/* must_stop: the job ends after one portion. It also ends after some time, and is run again until all parts are complete. */
static void run_job(unit_database_t *database, int must_stop)
{
    atomic_int stop = must_stop;
    int runs = 0;
    cat_job_t job = unit_database_job(database, &stop, NULL);

    do {
        assert_int_equal(cat_indexes_run(&job), CAT_JOB_DONE);
    } while (!must_stop && strcmp(unit_database_sql(database, INCOMPLETE), "0") != 0 && ++runs < 100);
}

static void keep_parts(unit_database_t *database, int parts)
{
    database->conf.index = cat_product_keys_set(parts);
}

static void test_new_database_is_complete(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_indexes_state_t found = check_parts(database, CAT_INDEX_ALL);

    assert_int_equal(found.absent, 0);
    assert_int_equal(found.filling, 0);
    unit_products_insert(database, 0, 20);
    assert_string_equal(unit_database_sql(database, INDEXED), "20");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_words"), "40"); /* number and light */
    assert_string_equal(unit_database_sql(database, "SELECT n FROM category_counts"), "20");
}

static void test_parts_that_are_not_kept_are_absent(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_indexes_state_t found;

    keep_parts(database, CAT_INDEX_PRICE | CAT_INDEX_SEARCH);
    found = check_parts(database, CAT_INDEX_PRICE | CAT_INDEX_NAME);
    assert_int_equal(found.absent, CAT_INDEX_NAME);
    assert_int_equal(found.filling, 0);
    keep_parts(database, 0);
    unit_products_insert(database, 0, 20);
    assert_string_equal(unit_database_sql(database, INDEXED), "0");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_words"), "0");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM category_counts"), "0");
}

static void test_job_fills_from_the_newest_on(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_indexes_state_t found;

    unit_products_insert(database, 0, 500);
    unit_database_sql(database, FORGET);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM category_counts"), "0");
    run_job(database, 1);
    found = check_parts(database, CAT_INDEX_NAME);
    assert_int_equal(found.filling, CAT_INDEX_NAME);
    assert_int_equal(found.percent, 40);
    assert_string_equal(unit_database_sql(database, INDEXED), "200");
    assert_string_equal(unit_database_sql(database, INDEXED " AND CAST(name AS INTEGER) >= 300"), "200");
    unit_products_insert(database, 500, 510); /* behind the job */
    run_job(database, 0);
    assert_int_equal(check_parts(database, CAT_INDEX_ALL).filling, 0);
    assert_string_equal(unit_database_sql(database, INDEXED), "510");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_words"), "1020");
    assert_string_equal(unit_database_sql(database, "SELECT n FROM category_counts"), "510");
    assert_int_equal(unit_products_check(database), 0);
}

static void test_part_that_was_not_kept_for_a_while_is_filled_anew(void **state)
{
    unit_database_t *database = unit_database(*state);

    unit_products_insert(database, 0, 10);
    keep_parts(database, CAT_INDEX_ALL & ~CAT_INDEX_SEARCH);
    run_job(database, 0);
    assert_int_equal(check_parts(database, CAT_INDEX_ALL).absent, CAT_INDEX_SEARCH);
    unit_products_insert(database, 10, 20);
    keep_parts(database, CAT_INDEX_ALL);
    database->source->parts_at = 0; /* another child, which has not seen the parts complete */
    assert_int_equal(check_parts(database, CAT_INDEX_ALL).filling, CAT_INDEX_SEARCH);
    run_job(database, 0);
    assert_int_equal(check_parts(database, CAT_INDEX_ALL).filling, 0);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_words"), "40");
}

/* Compares all products. Returns how many are wrong. */
static int compare_all(unit_database_t *database, const char **example)
{
    cat_indexes_position_t from = {.n = CAT_LIST_KEY_MAX};
    cat_indexes_portion_t portion;
    int wrong = 0;

    do {
        cat_db_t *db = unit_database_use(database->pool, database);
        assert_int_equal(cat_indexes_compare(database->pool, db, &from, &portion), APR_SUCCESS);
        cat_db_release(db);
        from = portion.end;
        wrong += portion.wrong;
        *example = portion.example ? portion.example : *example;
    } while (!portion.is_last);
    return wrong;
}

static void fill_all(unit_database_t *database)
{
    cat_indexes_position_t from = {.n = CAT_LIST_KEY_MAX};
    cat_indexes_portion_t portion;

    do {
        cat_db_t *db = unit_database_use(database->pool, database);
        assert_int_equal(cat_indexes_fill(database->pool, db, &from, &portion), APR_SUCCESS);
        from = portion.end;
    } while (!portion.is_last);
}

static void test_what_other_programs_wrote_is_mended(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *example = NULL;

    unit_products_insert(database, 0, 450);
    assert_int_equal(compare_all(database, &example), 0);
    unit_database_sql(database, "UPDATE products SET name = 'Red kettle' WHERE name = '7';"
                                "UPDATE products SET category = 'Tea', price = '3' WHERE name = '300';"
                                "INSERT INTO products (id, name, price, category, in_stock, n)"
                                " VALUES ('00000000-0000-7000-8140-000000000000', 'Foreign', '1', 'Tea', 1, 5)");
    assert_int_equal(compare_all(database, &example), 3);
    assert_string_equal(example, "00000000-0000-7000-8140-000000000000");
    fill_all(database);
    assert_int_equal(compare_all(database, &example), 0);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_words WHERE word = 'kettle'"), "1");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_words WHERE word = '7'"), "0");
    assert_string_equal(unit_database_sql(database, "SELECT n FROM category_counts WHERE category = 'Tea'"), "2");
    assert_int_equal(unit_products_check(database), 0);
}

static void test_complete_is_noted_for_kept_parts(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);

    unit_database_sql(database, FORGET);
    keep_parts(database, CAT_INDEX_NAME);
    assert_int_equal(cat_indexes_note_complete(db), APR_SUCCESS);
    cat_db_release(db);
    assert_int_equal(check_parts(database, CAT_INDEX_NAME).filling, 0);
    assert_string_equal(unit_database_sql(database, "SELECT GROUP_CONCAT(part) FROM product_indexes WHERE complete"),
                        "name,rules " CAT_WORDS_VERSION);
}

/* As another version has left them: what each product has is compared, while lists are read. */
static void test_products_of_other_rules_are_gone_through(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *example = NULL;

    unit_products_insert(database, 0, 300);
    unit_database_sql(database, "UPDATE products SET words = ' other ', name_key = 'other' WHERE name LIKE '1%';"
                                "UPDATE product_words SET word = 'other' WHERE word <> 'light' AND word LIKE '1%';"
                                "DELETE FROM product_words WHERE word = 'light' AND n IN"
                                " (SELECT n FROM products WHERE words = ' other ');"
                                "DELETE FROM product_indexes WHERE part LIKE 'rules%'");
    assert_int_equal(compare_all(database, &example), 111);
    assert_int_equal(check_parts(database, CAT_INDEX_ALL).filling, 0);
    run_job(database, 0);
    assert_string_equal(
        unit_database_sql(database, "SELECT part || complete FROM product_indexes WHERE part LIKE 'rules%'"),
        "rules " CAT_WORDS_VERSION "1");
    assert_int_equal(check_parts(database, CAT_INDEX_ALL).filling, 0);
    assert_int_equal(compare_all(database, &example), 0);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_words"), "600");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_words WHERE word = 'other'"), "0");
    assert_int_equal(unit_products_check(database), 0);
}

/* As catalogctl index does it. */
static void test_part_without_indexes_is_not_filled_nor_used(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_indexes_state_t found;
    apr_time_t last = 0;
    atomic_int stop = 0;
    cat_job_t job = unit_database_job(database, &stop, &last);
    cat_db_t *db = job.db;
    int were_complete, built;

    unit_products_insert(database, 0, 20);
    assert_int_equal(cat_indexes_remove(db, CAT_INDEX_PRICE | CAT_INDEX_NAME, &were_complete), APR_SUCCESS);
    assert_int_equal(were_complete, CAT_INDEX_PRICE | CAT_INDEX_NAME);
    assert_int_equal(cat_indexes_remove(db, CAT_INDEX_PRICE, &were_complete), APR_SUCCESS);
    assert_int_equal(were_complete, 0);
    assert_int_equal(cat_indexes_read_built(db, &built), APR_SUCCESS);
    assert_int_equal(built, CAT_INDEX_ALL & ~(CAT_INDEX_PRICE | CAT_INDEX_NAME));
    cat_db_release(db);

    for (int i = 0; i < 2; i++) { /* the second run says nothing */
        assert_int_equal(cat_indexes_run(&job), CAT_JOB_DONE);
        assert_non_null(strstr(database->logged, "CAT063: "));
        assert_non_null(strstr(database->logged, ": name price; run: catalogctl index\n"));
        assert_int_equal(strlen(database->logged), strcspn(database->logged, "\n") + 1);
    }
    database->source->parts_at = 0;
    found = check_parts(database, CAT_INDEX_ALL);
    assert_int_equal(found.filling, CAT_INDEX_PRICE | CAT_INDEX_NAME);
    assert_int_equal(found.unbuilt, CAT_INDEX_PRICE | CAT_INDEX_NAME);
    assert_int_equal(found.percent, 0);

    assert_int_equal(cat_indexes_note_complete(db), APR_SUCCESS);
    assert_int_equal(check_parts(database, CAT_INDEX_PRICE).unbuilt, CAT_INDEX_PRICE);
    assert_int_equal(cat_indexes_add(db, CAT_INDEX_ALL), APR_SUCCESS);
    cat_db_release(db);
    found = check_parts(database, CAT_INDEX_ALL);
    assert_int_equal(found.filling, CAT_INDEX_PRICE | CAT_INDEX_NAME);
    assert_int_equal(found.unbuilt, 0);
    assert_int_equal(cat_indexes_run(&job), CAT_JOB_DONE);
    assert_int_equal(check_parts(database, CAT_INDEX_ALL).filling, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_new_database_is_complete),
        UNIT_TEST(test_parts_that_are_not_kept_are_absent),
        UNIT_TEST(test_job_fills_from_the_newest_on),
        UNIT_TEST(test_part_that_was_not_kept_for_a_while_is_filled_anew),
        UNIT_TEST(test_what_other_programs_wrote_is_mended),
        UNIT_TEST(test_complete_is_noted_for_kept_parts),
        UNIT_TEST(test_products_of_other_rules_are_gone_through),
        UNIT_TEST(test_part_without_indexes_is_not_filled_nor_used),
    };
    return UNIT_RUN(tests);
}
