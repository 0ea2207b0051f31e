/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"
#include "unit_select_text.h"

static void test_pieces_stand_in_order(void **state)
{
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    cat_select_text_add(&s, "SELECT ", "a", " FROM ", NULL);
    cat_select_text_add_products(&s, "by_a");
    cat_select_text_begin_where(&s);
    cat_select_text_add_condition(&s);
    cat_select_text_add(&s, "a = ", NULL);
    cat_select_text_add_value(&s, "x");
    cat_select_text_add_condition(&s);
    cat_select_text_add_word(&s, "red");
    cat_select_text_add(&s, " LIMIT ", NULL);
    cat_select_text_add_number(&s, 7);
    assert_string_equal(cat_buffer_text(&s.text),
                        "SELECT a FROM products p INDEXED BY by_a WHERE a = %s AND INSTR(p.words, %s) > 0 LIMIT 7");
    assert_string_equal(unit_values_of(&s), "x| red");
}

static void test_each_dialect_has_its_words(void **state)
{
    static const struct {
        const char *driver, *text;
    } cases[] = {
        {"sqlite3", "products p INDEXED BY by_a INSTR(p.words, %s) > 0 CAST(%s AS INTEGER)"},
        {"mysql", "products p FORCE INDEX (by_a) INSTR(p.words, %s) > 0 CAST(%s AS SIGNED)"},
        {"pgsql", "products p STRPOS(p.words, %s) > 0 %s"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_select_text_t s = unit_begin_text(*state, cases[i].driver);
        cat_select_text_add_products(&s, "by_a");
        cat_select_text_add(&s, " ", NULL);
        cat_select_text_add_word(&s, "red");
        cat_select_text_add(&s, " ", NULL);
        cat_select_text_add_key(&s, -1);
        assert_string_equal(cat_buffer_text(&s.text), cases[i].text);
        assert_string_equal(unit_values_of(&s), " red|-1");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_pieces_stand_in_order),
        UNIT_TEST(test_each_dialect_has_its_words),
    };
    return UNIT_RUN(tests);
}
