/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "lib/text.h"

static void test_a_short_text_stays_as_it_is(void **state)
{
    assert_string_equal(cat_text_shorten(*state, "", 3), "");
    assert_string_equal(cat_text_shorten(*state, "Größe", 5), "Größe");
    assert_string_equal(cat_text_shorten(*state, "😀😀", 255), "😀😀");
}

static void test_characters_are_counted_and_never_cut(void **state)
{
    assert_string_equal(cat_text_shorten(*state, "Größe", 3), "Grö");
    assert_string_equal(cat_text_shorten(*state, "a😀😀b", 2), "a😀");
    assert_string_equal(cat_text_shorten(*state, "abc", 0), "");
}

static void test_what_is_no_text_is_replaced(void **state)
{
    static const struct {
        const char *octets, *text;
    } cases[] = {
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b"},
        {"Gr\xf6\xdf"
         "e",
         "Gr\xef\xbf\xbd\xef\xbf\xbd"
         "e"},                                                    /* ISO 8859-1 */
        {"\xc3", "\xef\xbf\xbd"},                                 /* the end of the text within a character */
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* half of a surrogate pair */
        {"one\r\ntwo\tthree\x1b[0m\x7f", "one  two three [0m "},
        {"\xc2\x85", " "}, /* NEXT LINE */
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(cat_text_shorten(*state, cases[i].octets, 255), cases[i].text);
    }
}

static void test_characters_are_read_one_by_one(void **)
{
    apr_int32_t character;

    assert_int_equal(cat_text_read("a\n", 2, &character), 1);
    assert_int_equal(character, 'a');
    assert_int_equal(cat_text_read("😀", 4, &character), 4);
    assert_int_equal(character, 0x1F600);
    assert_int_equal(cat_text_read("😀", 3, &character), 1);
    assert_int_equal(character, 0xFFFD);
}

static void test_words_are_found_and_listed(void **state)
{
    static const char *const words[] = {"comma", "semicolon", "tab", NULL}, *const one[] = {"point", NULL};

    assert_int_equal(cat_text_find(words, "comma"), 0);
    assert_int_equal(cat_text_find(words, "tab"), 2);
    assert_int_equal(cat_text_find(words, "ta"), 3);
    assert_string_equal(cat_text_join(*state, words), "comma, semicolon or tab");
    assert_string_equal(cat_text_join(*state, one), "point");
}

static void test_host_of_a_url(void **)
{
    assert_string_equal(cat_text_host("https://shop.example.com:8443/a"), "shop.example.com:8443/a");
    assert_string_equal(cat_text_host("null://"), "");
    assert_null(cat_text_host("mailto:ada@example.com"));
}

static void test_compare_sorts(void **)
{
    const char *texts[] = {"b", "c", "a", "b"};

    qsort(texts, 4, sizeof(*texts), cat_text_compare);
    assert_string_equal(texts[0], "a");
    assert_string_equal(texts[1], "b");
    assert_string_equal(texts[2], "b");
    assert_string_equal(texts[3], "c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_short_text_stays_as_it_is),
        UNIT_TEST(test_characters_are_counted_and_never_cut),
        UNIT_TEST(test_what_is_no_text_is_replaced),
        UNIT_TEST(test_characters_are_read_one_by_one),
        UNIT_TEST(test_words_are_found_and_listed),
        UNIT_TEST(test_host_of_a_url),
        UNIT_TEST(test_compare_sorts),
    };
    return UNIT_RUN(tests);
}
