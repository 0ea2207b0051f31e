/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_database.h"

#include "catalogue/products.h"

#define ID "01a1fdf9-d28a-7c59-b8ec-c42b5a960857"

static const char *const lamp[CAT_PRODUCT_FIELDS] = {ID, "Lamp", "12.5", "Light", "1", NULL, "1763731170442"};

static void test_insert(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);

    assert_int_equal(cat_products_insert_one(db, lamp), APR_SUCCESS);
    assert_string_equal(unit_database_sql(database, "SELECT name FROM products"), "Lamp");
    assert_int_equal(cat_products_insert_one(db, lamp), APR_EEXIST);
    assert_string_equal(database->logged, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {UNIT_TEST(test_insert)};
    return UNIT_RUN(tests);
}
