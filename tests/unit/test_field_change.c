/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_fields.h"

#include "catalogue/product/field_change.h"

#define KEYS(name)                                                                                                     \
    "SELECT COUNT(*) FROM product_keys k JOIN catalog_fields f ON f.number = k.field WHERE f.name = '" name "'"
#define PRODUCTS 150 /* of which a portion is the first hundred */

/* Products have the field color, whose line is gone; its values go to tint. */
static unit_database_t *begin(apr_pool_t *pool, cat_field_change_t *change)
{
    unit_database_t *database = unit_fields_database(pool, "color string index\ntint string\n");

    for (int i = 0; i < PRODUCTS; i++) {
        assert_int_equal(unit_fields_insert(database, i, apr_psprintf(pool, "{\"color\":\"c%d\"}", i)), APR_SUCCESS);
    }
    unit_fields_set(database, "tint string\n");
    *change = (cat_field_change_t){.db = unit_database_use(pool, database),
                                   .name = "color",
                                   .type = "string",
                                   .target = "tint",
                                   .from = CAT_LIST_KEY_MAX};
    assert_int_equal(cat_db_transact(change->db, cat_field_change_begin, change), APR_SUCCESS);
    assert_int_equal(cat_db_transact(change->db, cat_field_change_next, change), APR_SUCCESS);
    assert_int_equal(change->changed, 100);
    change->from = change->end;
    cat_db_release(change->db);
    return database;
}

static apr_status_t run(cat_field_change_t *change, cat_work_t *work)
{
    apr_status_t rv = cat_db_transact(change->db, work, change);

    cat_db_release(change->db);
    change->from = change->end;
    return rv;
}

static void test_moves_values(void **state)
{
    cat_field_change_t change;
    unit_database_t *database = begin(*state, &change);

    assert_string_equal(unit_database_sql(database, KEYS("color")), "50");
    assert_int_equal(run(&change, cat_field_change_next), APR_SUCCESS);
    assert_int_equal(change.changed, 50);
    assert_int_equal(run(&change, cat_field_change_next), APR_SUCCESS);
    assert_int_equal(change.rows, 0);
    assert_int_equal(run(&change, cat_field_change_end), APR_SUCCESS);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM products WHERE extra LIKE '{\"tint\":\"c%'"),
                        "150");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_keys"), "0");
    assert_string_equal(unit_database_sql(database, "SELECT group_concat(name) FROM catalog_fields"), "tint");
}

static void test_the_target_gets_the_keys_of_options_that_it_gets_meanwhile(void **state)
{
    cat_field_change_t change;
    unit_database_t *database = begin(*state, &change);

    unit_database_sql(database,
                      "UPDATE catalog_fields SET definition = 'string index', complete = 0 WHERE name = 'tint'");
    assert_int_equal(run(&change, cat_field_change_next), APR_SUCCESS);
    assert_string_equal(unit_database_sql(database, KEYS("tint")), "50"); /* the others get theirs from the job */
}

/* Another command has ended with the same field, and a new one has its number. */
static void test_the_keys_of_another_field_with_the_number_stay(void **state)
{
    cat_field_change_t change;
    unit_database_t *database = begin(*state, &change);

    unit_database_sql(database,
                      "UPDATE catalog_fields SET name = 'other', definition = 'string index' WHERE name = 'color'");
    assert_int_equal(run(&change, cat_field_change_next), CAT_ECHANGED);
    assert_int_equal(run(&change, cat_field_change_end), CAT_ECHANGED);
    assert_string_equal(unit_database_sql(database, KEYS("other")), "50");
}

static void test_stops_if_a_server_has_the_line_again(void **state)
{
    cat_field_change_t change;
    unit_database_t *database = begin(*state, &change);

    unit_database_sql(database, "UPDATE catalog_fields SET definition = 'string index' WHERE name = 'color'");
    assert_int_equal(run(&change, cat_field_change_next), CAT_ECHANGED);
    assert_int_equal(run(&change, cat_field_change_end), CAT_ECHANGED);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM products WHERE extra LIKE '%color%'"), "50");
}

static void test_stops_if_the_target_is_dropped(void **state)
{
    cat_field_change_t change;
    unit_database_t *database = begin(*state, &change);

    database->conf.fields = NULL; /* else the command would add it again */
    unit_database_sql(database, "DELETE FROM catalog_fields WHERE name = 'tint'");
    assert_int_equal(run(&change, cat_field_change_next), CAT_ECHANGED);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM products WHERE extra LIKE '%color%'"), "50");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_moves_values),
        UNIT_TEST(test_the_target_gets_the_keys_of_options_that_it_gets_meanwhile),
        UNIT_TEST(test_the_keys_of_another_field_with_the_number_stay),
        UNIT_TEST(test_stops_if_a_server_has_the_line_again),
        UNIT_TEST(test_stops_if_the_target_is_dropped),
    };
    return UNIT_RUN(tests);
}
