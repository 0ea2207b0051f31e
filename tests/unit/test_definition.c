/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_database.h"

#include "db/schema/definition.h"

static void test_statement_is_a_transaction(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    cat_definition_t *definition;

    assert_int_equal(cat_definition_begin(db, &definition), APR_SUCCESS);
    assert_int_equal(cat_definition_run(definition, "CREATE INDEX own ON products (name)"), APR_SUCCESS);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'own'"), "1");
    assert_int_equal(cat_definition_run(definition, "DROP INDEX none"), CAT_EDOWN);
    assert_non_null(strstr(database->logged, "CAT003: "));
    unit_database_sql(database, "CREATE TABLE other (id TEXT)"); /* no transaction is open */
    assert_int_equal(cat_definition_run(definition, "DROP INDEX own"), APR_SUCCESS);
    cat_definition_end(definition);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'own'"), "0");
}

static void test_one_at_a_time_defines(void **state)
{
    unit_database_t *database = unit_database(*state), *other = unit_database_make(*state, database->path);
    cat_db_t *db = unit_database_use(*state, database), *late = unit_database_use(*state, other);
    cat_definition_t *definition, *second;

    assert_int_equal(cat_definition_begin(db, &definition), APR_SUCCESS);
    assert_int_equal(cat_definition_begin(late, &second), CAT_EBUSY);
    assert_string_equal(other->logged, "");
    cat_definition_end(definition);
    assert_int_equal(cat_definition_begin(late, &second), APR_SUCCESS);
    cat_definition_end(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_statement_is_a_transaction),
        UNIT_TEST(test_one_at_a_time_defines),
    };
    return UNIT_RUN(tests);
}
