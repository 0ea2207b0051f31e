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
        {"ŁÓDŹ Łódź", "lodz lodz"},
        {"Rødgrød med fløde", "rodgrod med flode"},
        {"\xc7\xbd", "ae"}, /* ae with an acute accent */
        {"Œuvre", "oeuvre"},
        {"Þór Ðe", "thor de"},
        {"diyarbakır IĞDIR", "diyarbakir igdir"},
        {"Đặng Ħal Ŋa ĸ Ŧ", "dang hal na q t"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(cat_fold_text(*state, cases[i].text), cases[i].folded);
    }
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

/* No letter of these blocks is left as it is that people type otherwise; those of the phonetic alphabet that look like no other are. */
static void test_latin_letters_become_ascii(void **state)
{
    static const struct {
        unsigned first, last;
    } blocks[] = {{0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x188}, {0x1E00, 0x1EFF}};

    for (size_t block = 0; block < UNIT_COUNT(blocks); block++) {
        for (unsigned c = blocks[block].first; c <= blocks[block].last; c++) {
            const char *folded = cat_fold_text(*state, write_character(*state, c));
            if ((c < 0x184 || c > 0x185) && c != 0x186 && c != 0x1E9F && *folded & 0x80) { /* tone six, open o, delta */
                fail_msg("U+%04X becomes %s", c, folded);
            }
        }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_case_and_marks_are_dropped),
        UNIT_TEST(test_latin_letters_become_ascii),
        UNIT_TEST(test_longest_character),
        UNIT_TEST(test_octets_that_are_not_utf8_are_replaced),
        UNIT_TEST(test_folding_each_character_again_changes_nothing),
        UNIT_TEST(test_a_cut_leaves_whole_characters),
    };
    return UNIT_RUN(tests);
}
