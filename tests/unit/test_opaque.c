/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "lib/opaque.h"

static void test_texts_of_ascii_stay(void **state)
{
    const char *text = "Correct  horse\t~";

    assert_ptr_equal(cat_opaque_prepare(*state, text), text);
    assert_string_equal(cat_opaque_prepare(*state, ""), "");
}

static void test_the_same_characters_become_the_same_octets(void **state)
{
    static const char *const pairs[][2] = {
        {"pa\xcc\x88sswort", "p\xc3\xa4sswort"},                  /* a and a diaeresis; a with diaeresis */
        {"p\xc3\xa4sswort", "p\xc3\xa4sswort"},                   /* normalized already */
        {"\xe2\x84\xab", "\xc3\x85"},                             /* the sign of the angstrom */
        {"\xe1\x84\x80\xe1\x85\xa1", "\xea\xb0\x80"},             /* Hangul */
        {"x\xc2\xa0y\xe3\x80\x80z\xe2\x80\x81", "x y z "},        /* spaces */
        {"\xef\xbc\xa1\xef\xac\x81", "\xef\xbc\xa1\xef\xac\x81"}, /* a wide letter and a ligature are others */
        {"\xc3\x84\xe2\x80\x8d\xf0\x9f\x98\x80", "\xc3\x84\xe2\x80\x8d\xf0\x9f\x98\x80"}, /* case and joiners stay */
    };

    for (size_t i = 0; i < UNIT_COUNT(pairs); i++) {
        assert_string_equal(cat_opaque_prepare(*state, pairs[i][0]), pairs[i][1]);
    }
}

static void test_what_is_not_utf_8_stays(void **state)
{
    static const char *const texts[] = {"\xff", "caf\xe9", "\xc3", "\xed\xa0\x80x"};

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        assert_string_equal(cat_opaque_prepare(*state, texts[i]), texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_texts_of_ascii_stay),
        UNIT_TEST(test_the_same_characters_become_the_same_octets),
        UNIT_TEST(test_what_is_not_utf_8_stays),
    };
    return UNIT_RUN(tests);
}
