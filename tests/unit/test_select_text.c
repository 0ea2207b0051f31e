/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"
#include "unit_select_text.h"

#include "catalogue/product/own_fields.h"
#include "catalogue/product/product.h"

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
    cat_select_text_add_word(&s, "red", NULL);
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
        cat_select_text_add_word(&s, "red", NULL);
        cat_select_text_add(&s, " ", NULL);
        cat_select_text_add_key(&s, -1);
        assert_string_equal(cat_buffer_text(&s.text), cases[i].text);
        assert_string_equal(unit_values_of(&s), " red|-1");
    }
}

static const cat_fields_t *make_fields(apr_pool_t *pool, const char *const *lines)
{
    const cat_fields_t *fields = NULL;

    for (; *lines; lines++) {
        assert_null(cat_own_fields_add(pool, fields, *lines, &fields));
    }
    return fields;
}

/* q looks into the fields of the request's mount that are searched there, by the numbers that the database has for them. */
static void test_words_are_those_of_fields_that_are_seen(void **state)
{
    static const char *numbers[CAT_PRODUCT_FIELDS + 4] = {[CAT_PRODUCT_FIELDS] = "3", "4", "5", "6"};
    const cat_registry_t registry = {
        .fields = make_fields(
            *state, (const char *const[]){"a string search", "b string", "c string search", "d string search", NULL}),
        .numbers = numbers,
        .has_words = 1,
    };
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    s.registry = &registry;
    s.fields = registry.fields;
    assert_false(cat_select_text_hides_words(&s));
    s.fields = make_fields(*state, (const char *const[]){"d string search", "a string index", "b string search", NULL});
    assert_true(cat_select_text_hides_words(&s));
    cat_select_text_add_word(&s, "red", NULL);
    assert_string_equal(cat_buffer_text(&s.text), "(INSTR(p.words, %s) > 0 OR INSTR(p.words, %s) > 0)");
    assert_string_equal(unit_values_of(&s), " red| :6:red");
}

static const char *look_for_part(apr_pool_t *pool, const char *const *others)
{
    cat_select_text_t s = unit_begin_text(pool, "sqlite3");

    cat_select_text_begin_where(&s);
    cat_select_text_add_part(&s, "lamp", others);
    return apr_pstrcat(pool, cat_buffer_text(&s.text), unit_values_of(&s), NULL);
}

static void test_part_of_all_words_is_looked_for_first(void **state)
{
    static const char *const few[] = {"lampion", NULL}, *const slip[] = {"a lamp", "lampe ", "oellamp",
                                                                         "lump",   "lamps",  NULL},
                             *const insides[] = {"oellampe ", "tischlampe ", "lampe ", "nachtlampe ", NULL};

    assert_string_equal(look_for_part(*state, NULL), "");
    assert_string_equal(look_for_part(*state, few), "");
    assert_string_equal(look_for_part(*state, slip), "");
    assert_string_equal(look_for_part(*state, insides), " WHERE INSTR(p.words, %s) > 0lamp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_pieces_stand_in_order),
        UNIT_TEST(test_each_dialect_has_its_words),
        UNIT_TEST(test_words_are_those_of_fields_that_are_seen),
        UNIT_TEST(test_part_of_all_words_is_looked_for_first),
    };
    return UNIT_RUN(tests);
}
