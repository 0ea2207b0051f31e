/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_database.h"

#include "catalogue/search/index_builder.h"
#include "catalogue/product/product_keys.h"

/* The states of all indexes, in the order of the table. */
static const char *look(unit_database_t *database, int kept)
{
    static const char *const names[] = {"present", "absent", "missing", "invalid", "unused"};
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_index_status_t status[CAT_INDEX_COUNT];
    const char *text = "";

    assert_int_equal(cat_index_builder_look(db, kept, status), APR_SUCCESS);
    for (int i = 0; i < CAT_INDEX_COUNT; i++) {
        assert_ptr_equal(status[i].index, &cat_index_table[i]);
        text = apr_pstrcat(database->pool, text, i ? " " : "", names[status[i].state], NULL);
    }
    cat_db_release(db);
    return text;
}

static void run_all(unit_database_t *database, int kept)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_definition_t *definition;

    assert_int_equal(cat_definition_begin(db, &definition), APR_SUCCESS);
    for (int i = 0; i < CAT_INDEX_COUNT; i++) {
        assert_int_equal(cat_index_builder_run(definition, db, kept, &cat_index_table[i]), APR_SUCCESS);
    }
    cat_definition_end(definition);
}

static void test_indexes_are_created_and_dropped(void **state)
{
    unit_database_t *database = unit_database(*state);

    assert_string_equal(look(database, CAT_INDEX_ALL), "present present present present present present");
    assert_string_equal(look(database, CAT_INDEX_PRICE), "unused unused unused present unused unused");
    run_all(database, CAT_INDEX_PRICE);
    assert_string_equal(look(database, CAT_INDEX_PRICE), "absent absent absent present absent absent");
    assert_string_equal(look(database, CAT_INDEX_CATEGORY), "missing missing absent unused absent absent");
    run_all(database, CAT_INDEX_CATEGORY);
    assert_string_equal(look(database, CAT_INDEX_CATEGORY), "present present absent absent absent absent");
    run_all(database, CAT_INDEX_ALL);
    run_all(database, CAT_INDEX_ALL); /* nothing is left to do */
    assert_string_equal(look(database, CAT_INDEX_ALL), "present present present present present present");
}

static void test_other_indexes_stay(void **state)
{
    unit_database_t *database = unit_database(*state);
    static const char count[] = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'products'";
    int before;

    unit_database_sql(database, "CREATE INDEX own ON products (name)");
    before = atoi(unit_database_sql(database, count));
    run_all(database, 0);
    assert_int_equal(atoi(unit_database_sql(database, count)), before - CAT_INDEX_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_indexes_are_created_and_dropped),
        UNIT_TEST(test_other_indexes_stay),
    };
    return UNIT_RUN(tests);
}
