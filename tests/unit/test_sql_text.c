/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "db/connection/sql_text.h"

static void test_values_are_counted(void **)
{
    assert_int_equal(cat_sql_text_count("SELECT 1"), 0);
    assert_int_equal(cat_sql_text_count("%s"), 1);
    assert_int_equal(cat_sql_text_count("SELECT %s, '%%s', '100 %%', %s"), 2);
}

static void test_values_are_numbered(void **state)
{
    const struct {
        const char *text, *numbered;
    } cases[] = {
        {"", ""},
        {"SELECT 1", "SELECT 1"},
        {"%s", "$1"},
        {"LIKE '%%s%%' AND id = %s", "LIKE '%s%' AND id = $1"},
        {"VALUES (%s, %s) RETURNING $1", "VALUES ($1, $2) RETURNING $1"},
        {"%s%s%s%s%s%s%s%s%s%s", "$1$2$3$4$5$6$7$8$9$10"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(cat_sql_text_number(*state, cases[i].text), cases[i].numbered);
    }
}

/* Servers of different versions share server sessions through a pooler: so the names must not change. */
static void test_name_stands_for_the_text(void **)
{
    char name[CAT_SQL_TEXT_NAME], other[CAT_SQL_TEXT_NAME];

    cat_sql_text_name("SELECT 1", name);
    assert_string_equal(name, "catalog_75148b6cf87d2aa1");
    cat_sql_text_name("SELECT 2", other);
    assert_string_not_equal(name, other);
    assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789"), strlen(name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_values_are_counted),
        UNIT_TEST(test_values_are_numbered),
        UNIT_TEST(test_name_stands_for_the_text),
    };
    return UNIT_RUN(tests);
}
