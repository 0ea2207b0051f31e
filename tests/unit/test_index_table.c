/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_database.h"

#include "catalogue/search/conditions.h"
#include "catalogue/search/index_table.h"
#include "catalogue/product/product.h"
#include "catalogue/product/product_keys.h"

static const cat_index_t *find_index(const char *name)
{
    for (int i = 0; i < CAT_INDEX_COUNT; i++) {
        if (!strcmp(cat_index_table[i].name, name)) {
            return &cat_index_table[i];
        }
    }
    fail_msg("%s: no such index", name);
    return NULL;
}

static void test_each_database_has_its_statements(void **state)
{
    static const struct {
        const char *driver, *index, *create, *drop;
    } cases[] = {
        {"sqlite3", "products_by_price",
         "CREATE INDEX products_by_price ON products (price_key, n, category) WHERE price_key IS NOT NULL",
         "DROP INDEX products_by_price"},
        {"pgsql", "products_by_category",
         "CREATE INDEX CONCURRENTLY products_by_category ON products (category COLLATE \"C\", n, "
         "category_key)"
         " WHERE category_key IS NOT NULL",
         "DROP INDEX CONCURRENTLY products_by_category"},
        {"mysql", "products_by_name",
         "ALTER TABLE products ADD INDEX products_by_name (name_key, n, category), ALGORITHM = INPLACE, "
         "LOCK = NONE",
         "ALTER TABLE products DROP INDEX products_by_name, ALGORITHM = INPLACE, LOCK = NONE"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        const cat_dialect_t *dialect = cat_dialect_find(cases[i].driver);
        const cat_index_t *index = find_index(cases[i].index);
        assert_string_equal(cat_index_table_create(*state, dialect, index), cases[i].create);
        assert_string_equal(cat_index_table_drop(*state, dialect, index), cases[i].drop);
    }
}

/* The steps of the schema create each index with the same text. */
static void test_table_agrees_with_the_schema(void **state)
{
    unit_database_t *database = unit_database(*state);

    for (int i = 0; i < CAT_INDEX_COUNT; i++) {
        const char *ask = apr_psprintf(*state, "SELECT sql FROM sqlite_master WHERE type = 'index' AND name = '%s'",
                                       cat_index_table[i].name);
        const char *text = unit_database_sql(database, ask);
        assert_non_null(text);
        assert_string_equal(text, cat_index_table_create(*state, cat_dialect_find("sqlite3"), &cat_index_table[i]));
    }
    assert_int_equal(atoi(unit_database_sql(database, "SELECT COUNT(*) FROM sqlite_master WHERE type = 'index'"
                                                      " AND tbl_name = 'products' AND sql LIKE '% WHERE %'")),
                     CAT_INDEX_COUNT);
}

static void test_index_is_wanted_if_all_its_parts_are_kept(void **)
{
    static const cat_index_t both = {.parts = CAT_INDEX_CATEGORY | CAT_INDEX_PRICE};

    assert_true(cat_index_table_is_wanted(&both, CAT_INDEX_ALL));
    assert_false(cat_index_table_is_wanted(&both, CAT_INDEX_PRICE));
    assert_false(cat_index_table_is_wanted(find_index("products_by_name"), CAT_INDEX_ALL & ~CAT_INDEX_NAME));
    assert_int_equal(cat_index_table_parts(), CAT_INDEX_ALL & ~CAT_INDEX_SEARCH);
}

/* Conditions on a field that is part of CatalogIndex, and orders by it, are looked up in an index that begins with its key. */
static void test_each_key_has_an_index(void **)
{
    for (int field = 0; field < CAT_PRODUCT_FIELDS; field++) {
        int part = cat_product_keys_part(field), found = 0;
        for (int i = 0; i < CAT_INDEX_COUNT; i++) {
            found |= cat_index_table[i].parts == part &&
                     !strcmp(cat_index_table[i].columns[0], cat_conditions_column(field));
        }
        assert_true(found || !(part & CAT_INDEX_ALL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_database_has_its_statements),
        UNIT_TEST(test_table_agrees_with_the_schema),
        UNIT_TEST(test_index_is_wanted_if_all_its_parts_are_kept),
        UNIT_TEST(test_each_key_has_an_index),
    };
    return UNIT_RUN(tests);
}
