/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/transfer/cell_value.h"
#include "lib/json.h"
#include "lib/number.h"

static void assert_cell(apr_pool_t *pool, cat_kind_t kind, int has_comma, const char *text, const char *json)
{
    const cat_csv_cell_t cell = {text, strlen(text)};
    json_t *value = cat_json_own(pool, cat_cell_value_read(pool, kind, &cell, has_comma, '|'));

    assert_string_equal(json_is_real(value) ? cat_number_format(pool, value) : cat_json_text(pool, value), json);
}

static void test_numbers_are_read_as_people_write_them(void **state)
{
    static const struct {
        const char *text, *json;
    } either[] =
        {
            {"5", "5"},
            {"0012", "12"},
            {"+5", "5"},
            {"-5", "-5"},
            {"1 299", "1299"},
            {" 1 299 ", "1299"},
            {"1\u00a0299", "1299"},
            {"12\u202f345\u202f678", "12345678"},
            {"000", "0"},
            {"1e3", "1000"},
            {"9007199254740993", "9007199254740993"},
            {"100000000000000000000", "1e+20"},
            {"100 000 000 000 000 000 000", "1e+20"},
        },
      point[] =
          {
              {".5", "0.5"},           {"-.5", "-0.5"},
              {"1299.", "1299"},       {"0012.50", "12.5"},
              {"1 299.95", "1299.95"}, {"1.5E+2", "150"},
              {"19.99", "19.99"},      {"0.30000000000000004", "0.30000000000000004"},
          },
      comma[] = {
          {",5", "0.5"},          {"1299,", "1299"},      {"1.299", "1299"},
          {"1.299,50", "1299.5"}, {"1 299,50", "1299.5"}, {"12.345.678", "12345678"},
          {"1,5e2", "150"},       {"0,1", "0.1"},         {"1299,5", "1299.5"},
      };
    static const char *const neither[] = {"",       ".",      ",",       "+",     "1 29",     "12 34",   "1234 567",
                                          "1 2345", "1  299", "1.2.3",   "1,2,3", "1.299.5",  "5-",      "--5",
                                          "0 500",  "0 000",  "007 500", "+-5",   "0x10",     "1e",      "1e+",
                                          "e5",     "five",   "1_000",   "NaN",   "\u20ac 5", "5 \u20ac"};

    for (size_t i = 0; i < UNIT_COUNT(either); i++) {
        assert_cell(*state, CAT_NUMBER, 0, either[i].text, either[i].json);
        assert_cell(*state, CAT_NUMBER, 1, either[i].text, either[i].json);
    }
    for (size_t i = 0; i < UNIT_COUNT(point); i++) {
        assert_cell(*state, CAT_NUMBER, 0, point[i].text, point[i].json);
    }
    for (size_t i = 0; i < UNIT_COUNT(comma); i++) {
        assert_cell(*state, CAT_NUMBER, 1, comma[i].text, comma[i].json);
    }
    for (size_t i = 0; i < UNIT_COUNT(neither); i++) {
        assert_cell(*state, CAT_NUMBER, 1, neither[i], "\"\"");
        assert_cell(*state, CAT_NUMBER, 0, neither[i], apr_pstrcat(*state, "\"", neither[i], "\"", NULL));
    }
    assert_cell(*state, CAT_NUMBER, 0, "1,299", "\"1,299\"");
    assert_cell(*state, CAT_NUMBER, 0, "2,50", "\"2,50\"");
    assert_cell(*state, CAT_NUMBER, 1, "1.29", "\"\"");
    assert_cell(*state, CAT_NUMBER, 1, "0.500", "\"\"");
    assert_cell(*state, CAT_STRING, 0, " 0012 ", "\" 0012 \"");
}

/* The decimal of random digits is spelled in each way that a file may have it, and comes out as it is. */
static void test_random_numbers_are_exact(void **state)
{
    srand(2);
    for (int round = 0; round < 3000; round++) {
        int thousands = rand() % 900 + 100, units = rand() % 1000, cents = rand() % 9 + 1;
        const char *plain = apr_psprintf(*state, "%d%03d.%d", thousands, units, cents);
        assert_cell(*state, CAT_NUMBER, 0, plain, plain);
        assert_cell(*state, CAT_NUMBER, 0, apr_psprintf(*state, "+00%d%03d.%d0", thousands, units, cents), plain);
        assert_cell(*state, CAT_NUMBER, 0, apr_psprintf(*state, "%d %03d.%d", thousands, units, cents), plain);
        assert_cell(*state, CAT_NUMBER, 1, apr_psprintf(*state, "%d.%03d,%d", thousands, units, cents), plain);
        if (round % 300 == 0) {
            apr_pool_clear(*state);
        }
    }
}

static void test_booleans_are_words_of_people(void **state)
{
    static const char *const no[] = {"false", "0", "no", "nein", "falsch", "FALSE", " No "},
                             *const yes[] = {"true", "1", "yes", "ja", "wahr", "Ja", "WAHR"},
                             *const neither[] = {"2", "y", "maybe", "true false", "00"};

    for (size_t i = 0; i < UNIT_COUNT(no); i++) {
        assert_cell(*state, CAT_BOOLEAN, 0, no[i], "false");
        assert_cell(*state, CAT_BOOLEAN, 0, yes[i], "true");
    }
    for (size_t i = 0; i < UNIT_COUNT(neither); i++) {
        assert_cell(*state, CAT_BOOLEAN, 0, neither[i], apr_pstrcat(*state, "\"", neither[i], "\"", NULL));
    }
}

static void test_numbers_that_would_be_others_are_none(void **state)
{
    assert_cell(*state, CAT_NUMBER, 0, "99999999999999.99", "{\"\":\"99999999999999.99\"}");
    assert_cell(*state, CAT_NUMBER, 1, "+99.999.999.999.999,99", "{\"\":\"99999999999999.99\"}");
    assert_cell(*state, CAT_NUMBER, 0, "99 999 999 999 999.98", "99999999999999.98");
    assert_cell(*state, CAT_NUMBER, 0, "99999999999999999999", "{\"\":\"99999999999999999999.0\"}");
}

static void assert_list(apr_pool_t *pool, const char *text, char mark, const char *json)
{
    const cat_csv_cell_t cell = {text, strlen(text)};

    assert_string_equal(cat_json_text(pool, cat_json_own(pool, cat_cell_value_read(pool, CAT_LIST, &cell, 0, mark))),
                        json);
}

static void test_lists_have_marks_between_their_texts(void **state)
{
    assert_cell(*state, CAT_LIST, 0, "red| dark blue |a\\|b", "[\"red\",\"dark blue\",\"a|b\"]");
    assert_cell(*state, CAT_LIST, 0, "red", "[\"red\"]");
    assert_cell(*state, CAT_LIST, 0, "|", "[]");
    assert_list(*state, "red, dark blue|green,a\\,b", ',', "[\"red\",\"dark blue|green\",\"a,b\"]");
}

static void test_times_are_texts_without_blanks(void **state)
{
    assert_cell(*state, CAT_TIME, 0, " 2026-11-21T16:17:07Z ", "\"2026-11-21T16:17:07Z\"");
}

static void test_any_json_is_json(void **state)
{
    static const char *const others[] = {"red", "{\"a\":1", "1,2", "1],[2", "\xff", "'a'"};

    assert_cell(*state, CAT_VALUE, 1, " {\"a\": [1, \"x\", null]} ", "{\"a\":[1,\"x\",null]}");
    assert_cell(*state, CAT_VALUE, 0, "\"red\"", "\"red\"");
    assert_cell(*state, CAT_VALUE, 0, "19.99", "19.99");
    assert_cell(*state, CAT_VALUE, 0, "99999999999999.99", "{\"\":\"99999999999999.99\"}");
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        const cat_csv_cell_t cell = {others[i], strlen(others[i])};
        assert_null(cat_cell_value_read(*state, CAT_VALUE, &cell, 0, '|'));
    }
}

static void test_what_is_no_utf_8_has_no_value(void **state)
{
    const cat_csv_cell_t cell = {"\xff", 1};

    assert_null(cat_cell_value_read(*state, CAT_STRING, &cell, 0, '|'));
    assert_null(cat_cell_value_read(*state, CAT_NUMBER, &cell, 0, '|'));
    assert_null(cat_cell_value_read(*state, CAT_LIST, &cell, 0, '|'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_numbers_are_read_as_people_write_them),
        UNIT_TEST(test_random_numbers_are_exact),
        UNIT_TEST(test_booleans_are_words_of_people),
        UNIT_TEST(test_numbers_that_would_be_others_are_none),
        UNIT_TEST(test_lists_have_marks_between_their_texts),
        UNIT_TEST(test_times_are_texts_without_blanks),
        UNIT_TEST(test_any_json_is_json),
        UNIT_TEST(test_what_is_no_utf_8_has_no_value),
    };
    return UNIT_RUN(tests);
}
