/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "lib/list_text.h"

/* The texts, each with "." behind it. */
static const char *split_text(apr_pool_t *pool, const char *text, char mark)
{
    apr_array_header_t *texts = cat_list_text_split(pool, text, mark);
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 16);
    for (int i = 0; i < texts->nelts; i++) {
        cat_buffer_add_text(&b, APR_ARRAY_IDX(texts, i, const char *));
        cat_buffer_add_text(&b, ".");
    }
    return cat_buffer_text(&b);
}

static void test_texts_are_between_marks(void **state)
{
    assert_string_equal(split_text(*state, "red|dark blue|green", '|'), "red.dark blue.green.");
    assert_string_equal(split_text(*state, "red", '|'), "red.");
    assert_string_equal(split_text(*state, "red,a|b", ','), "red.a|b.");
}

static void test_blanks_around_texts_are_passed_over(void **state)
{
    assert_string_equal(split_text(*state, " red | dark  blue\t|\u00a0green\u202f", '|'), "red.dark  blue.green.");
    assert_string_equal(split_text(*state, "", '|'), "");
    assert_string_equal(split_text(*state, " | ||red|", '|'), "red.");
}

static void test_backslash_makes_a_character_part_of_a_text(void **state)
{
    assert_string_equal(split_text(*state, "a\\|b|c\\\\|d\\e", '|'), "a|b.c\\.de.");
    assert_string_equal(split_text(*state, "\\ a\\ | \\\u00a0", '|'), " a .\u00a0.");
    assert_string_equal(split_text(*state, "a\\", '|'), "a\\.");
}

static void test_texts_that_were_added_are_split_again(void **state)
{
    static const char *const texts[] = {"red",    "a|b", "a\\b", "\\", "|",   "\\|", " a",
                                        "a ",     "  ",  "a  b", "\t", "a,b", "\"x", "\u00a0a\u202f",
                                        "\u00e9", "\n",  "a\\ ", " \\"};
    cat_buffer_t b;

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        apr_array_header_t *again;
        cat_buffer_init(&b, *state, 16);
        cat_list_text_add(&b, texts[i], '|');
        CAT_BUFFER_LITERAL(&b, "|");
        cat_list_text_add(&b, texts[i], '|');
        again = cat_list_text_split(*state, cat_buffer_text(&b), '|');
        assert_int_equal(again->nelts, 2);
        assert_string_equal(APR_ARRAY_IDX(again, 0, const char *), texts[i]);
        assert_string_equal(APR_ARRAY_IDX(again, 1, const char *), texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_texts_are_between_marks),
        UNIT_TEST(test_blanks_around_texts_are_passed_over),
        UNIT_TEST(test_backslash_makes_a_character_part_of_a_text),
        UNIT_TEST(test_texts_that_were_added_are_split_again),
    };
    return UNIT_RUN(tests);
}
