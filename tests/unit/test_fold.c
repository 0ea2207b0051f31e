/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/fold.h"

static void test_case_and_marks_are_dropped(void **state)
{
    static const struct {
        const char *text, *folded;
    } cases[] = {
        {"", ""},
        {"Red KETTLE 2", "red kettle 2"},
        {"Café", "cafe"},
        {"Cafe\xcc\x81", "cafe"}, /* e, combining acute accent */
        {"Straße STRASSE", "strasse strasse"},
        {"\xe1\xba\x9e", "ss"},         /* capital sharp s */
        {"ΛΌΓΟΣ λόγος", "λογοσ λογοσ"}, /* both sigmas */
        {"İstanbul", "istanbul"},
        {"\xef\xac\x81ne", "fine"},         /* the ligature fi */
        {"\xe2\x84\xab", "a"},              /* the angstrom sign */
        {"x\xc2\xb2", "x2"},                /* superscript two */
        {"\xef\xbc\xa1\xef\xbc\x91", "a1"}, /* fullwidth A and 1 */
        {"ЁЛКА", "елка"},
        {"テレビ", "テレヒ"},                           /* the voicing mark is a combining mark */
        {"각", "\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8"}, /* a syllable as its three letters */
        {"😀", "😀"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(cat_fold_text(*state, cases[i].text), cases[i].folded);
    }
}

static void test_longest_character(void **state)
{
    assert_int_equal(strlen(cat_fold_text(*state, "\xef\xb7\xba")), 33); /* U+FDFA */
}

static void test_octets_that_are_not_utf8_are_replaced(void **state)
{
    assert_string_equal(cat_fold_text(*state, "A\xff\xc3"), "a\xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(cat_fold_text(*state, "\xed\xa0\x80"),
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
}

static const char *write_character(apr_pool_t *pool, unsigned c)
{
    char text[5] = "";

    if (c < 0x80) {
        text[0] = (char)c;
    } else if (c < 0x800) {
        text[0] = (char)(0xC0 | c >> 6);
        text[1] = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        text[0] = (char)(0xE0 | c >> 12);
        text[1] = (char)(0x80 | (c >> 6 & 0x3F));
        text[2] = (char)(0x80 | (c & 0x3F));
    } else {
        text[0] = (char)(0xF0 | c >> 18);
        text[1] = (char)(0x80 | (c >> 12 & 0x3F));
        text[2] = (char)(0x80 | (c >> 6 & 0x3F));
        text[3] = (char)(0x80 | (c & 0x3F));
    }
    return apr_pstrdup(pool, text);
}

/* And none becomes more than 33 octets: columns are sized for that. */
static void test_folding_each_character_again_changes_nothing(void **state)
{
    apr_pool_t *round;

    apr_pool_create(&round, *state);
    for (unsigned c = 1; c < 0x110000; c++) {
        const char *folded = cat_fold_text(round, write_character(round, c)), *again = cat_fold_text(round, folded);
        if (strcmp(folded, again) != 0 || strlen(folded) > 33) {
            fail_msg("U+%04X becomes %s, and %s when it is folded again", c, folded, again);
        }
        if (c % 1024 == 0) {
            apr_pool_clear(round);
        }
    }
    apr_pool_destroy(round);
}

static void test_a_cut_leaves_whole_characters(void **state)
{
    assert_string_equal(cat_fold_cut(*state, "tea", 3), "tea");
    assert_string_equal(cat_fold_cut(*state, "tea", 2), "te");
    assert_string_equal(cat_fold_cut(*state, "tea", 0), "");
    assert_string_equal(cat_fold_cut(*state, "aλб", 5), "aλб");
    assert_string_equal(cat_fold_cut(*state, "aλб", 4), "aλ");
    assert_string_equal(cat_fold_cut(*state, "aλб", 3), "aλ");
    assert_string_equal(cat_fold_cut(*state, "aλб", 2), "a");
    assert_string_equal(cat_fold_cut(*state, "😀", 3), "");
}

static const char *join_words(apr_pool_t *pool, const char *text)
{
    return apr_array_pstrcat(pool, cat_fold_words(pool, cat_fold_text(pool, text)), '|');
}

static void test_words_are_runs_of_letters_and_digits(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", ""},
        {" -- !", ""},
        {"tea", "tea"},
        {"Red kettle, red TEA!", "kettle|red|tea"},
        {"a-b_c'd", "a|b|c|d"},
        {"USB3.0", "0|usb3"},
        {"½ pint", "1|2|pint"},
        {"Ⅷ", "viii"},
        {"٣ b", "b|٣"}, /* a digit of another script */
        {"テレビ 茶", "テレヒ|茶"},
        {"b\xff"
         "a",
         "a|b"}, /* an octet that is not UTF-8 ends a word */
        {"10 9 1", "1|10|9"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        const char *words = join_words(*state, cases[i].text);
        assert_string_equal(words ? words : "", cases[i].words);
    }
}

static void test_words_of_a_long_text(void **state)
{
    char text[6001];

    for (int i = 0; i < 6000; i++) {
        text[i] = i % 3 == 2 ? ' ' : (char)('a' + i % 25);
    }
    text[6000] = '\0';
    assert_int_equal(cat_fold_words(*state, text)->nelts, 25);
}

static void test_words_in_their_order(void **state)
{
    assert_string_equal(apr_array_pstrcat(*state, cat_fold_split(*state, "blue kettle, 2 l blue"), '-'),
                        "blue-kettle-2-l-blue");
    assert_string_equal(apr_array_pstrcat(*state, cat_fold_split(*state, " -a- "), '-'), "a");
    assert_int_equal(cat_fold_split(*state, "?!")->nelts, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_case_and_marks_are_dropped),
        UNIT_TEST(test_longest_character),
        UNIT_TEST(test_octets_that_are_not_utf8_are_replaced),
        UNIT_TEST(test_folding_each_character_again_changes_nothing),
        UNIT_TEST(test_a_cut_leaves_whole_characters),
        UNIT_TEST(test_words_are_runs_of_letters_and_digits),
        UNIT_TEST(test_words_of_a_long_text),
        UNIT_TEST(test_words_in_their_order),
    };
    return UNIT_RUN(tests);
}
