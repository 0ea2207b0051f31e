/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "lib/json.h"
#include "lib/number.h"

static const char *format(apr_pool_t *pool, const char *text)
{
    json_t *number;
    const char *why = NULL;

    number = cat_json_parse(pool, text, strlen(text), &why);
    if (!number) {
        fail_msg("%s: %s", text, why);
    }
    return cat_number_format(pool, number);
}

static const char *format_double(apr_pool_t *pool, double value)
{
    return cat_number_format(pool, cat_json_own(pool, json_real(value)));
}

static void test_numbers_come_back_as_sent(void **state)
{
    static const char *const same[] = {
        "0",
        "1",
        "-1",
        "19.99",
        "0.1",
        "0.01",
        "4.5",
        "1234567.89",
        "0.30000000000000004",
        "1234567.8912345679",
        "3.141592653589793",
        "-0.5",
        "9007199254740993", /* no double has this value */
        "9223372036854775807",
        "-9223372036854775808",
        "1e-07",
        "1e+21",
        "1.7976931348623157e+308",
        "2.2250738585072014e-308",
    };

    for (size_t i = 0; i < UNIT_COUNT(same); i++) {
        assert_string_equal(format(*state, same[i]), same[i]);
    }
}

static void test_numbers_in_the_fewest_digits(void **state)
{
    static const struct {
        const char *sent, *written;
    } cases[] = {
        {"-0", "0"},
        {"-0.0", "0"},
        {"0.0", "0"},
        {"0e99", "0"},
        {"1e-400", "0"},
        {"-1e-400", "0"},
        {"5.0", "5"},
        {"19.990", "19.99"},
        {"1e2", "100"},
        {"1E+2", "100"},
        {"123456789012345.0", "123456789012345"},
        {"999999999999999.0", "999999999999999"},
        {"1e15", "1000000000000000"},
        {"-1e15", "-1000000000000000"},
        {"1000000000000000", "1000000000000000"},
        {"1.5e17", "150000000000000000"},
        {"1234567890123456.7", "1234567890123456.8"},
        {"1.2345678901234568e18", "1234567890123456800"}, /* as it was sent, not 1234567890123456768 */
        {"-9.223372036854774e18", "-9223372036854774000"},
        {"9223372036854775807", "9223372036854775807"},
        {"9223372036854775808.0", "9.223372036854776e+18"}, /* too large for an integer */
        {"1e21", "1e+21"},
        {"19.989999999999998", "19.99"}, /* the same double */
        {"1234567.8912345678", "1234567.8912345679"},
        {"0.1000000000000000055511151231257827", "0.1"},
        {"5e-324", "5e-324"}, /* the least double */
        {"4.94065645841247e-324", "5e-324"},
        {"-5e-324", "-5e-324"},
        {"1e-323", "1e-323"},
        {"3e-310", "3e-310"},
        {"1.2345e-315", "1.2345e-315"},
        {"5.6843418860808015e-14",
         "5.684341886080802e-14"}, /* 2^-44: the nearest decimal of 16 digits is another double */
        {"-5.6843418860808015e-14", "-5.684341886080802e-14"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(format(*state, cases[i].sent), cases[i].written);
    }
}

/* The text must be JSON and must read back as the same double. */
static void check_round_trip(apr_pool_t *pool, double value)
{
    const char *text = format_double(pool, value);
    json_t *back;
    const char *why;

    back = cat_json_parse(pool, text, strlen(text), &why);
    if (!back) {
        fail_msg("%.17g is written %s: %s", value, text, why);
    }
    if (json_number_value(back) != value) {
        fail_msg("%.17g is written %s", value, text);
    }
}

static void check_round_trips(apr_pool_t *pool)
{
    static const double ends[] = {DBL_MAX, -DBL_MAX, DBL_MIN, DBL_EPSILON, 4.9406564584124654e-324, 9007199254740992.0};
    apr_uint64_t random = 88172645463325252u; /* xorshift64: the same numbers each time */
    apr_pool_t *round;

    apr_pool_create(&round, pool);
    for (size_t i = 0; i < UNIT_COUNT(ends); i++) {
        check_round_trip(round, ends[i]);
    }
    for (int i = 0; i < 20000; i++) {
        double value;
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        memcpy(&value, &random, sizeof(value));
        if (isfinite(value)) {
            check_round_trip(round, value);
        }
        apr_pool_clear(round);
    }
    apr_pool_destroy(round);
}

static void test_every_real_reads_back(void **state)
{
    check_round_trips(*state);
}

static void test_every_price_keeps_its_cents(void **state)
{
    apr_pool_t *round;

    apr_pool_create(&round, *state);
    for (int cents = 0; cents < 100000; cents += 7) {
        char sent[16];
        int digits = cents % 100 == 0 ? 0 : cents % 10 == 0 ? 1 : 2;
        snprintf(sent, sizeof(sent), "%.*f", digits, cents / 100.0);
        assert_string_equal(format(round, sent), sent);
        apr_pool_clear(round);
    }
    apr_pool_destroy(round);
}

/* A minimal Debian has no locale with a decimal comma, so this writes LC_NUMERIC of one in localedef's format. */
static void set_decimal_comma(apr_pool_t *pool)
{
    static const struct {
        uint32_t magic, count, offsets[6];
        char decimal_point[2], thousands_separator[1], grouping[1];
        uint32_t wide_decimal_point, wide_thousands_separator;
        char codeset[8];
    } compiled = {0x20031115 ^ LC_NUMERIC, 6, {32, 34, 35, 36, 40, 44}, ",", "", "", ',', 0, "UTF-8"};
    char directory[] = "/tmp/test_number.XXXXXX";
    const char *locale, *path;
    FILE *file;

    assert_non_null(mkdtemp(directory));
    locale = apr_pstrcat(pool, directory, "/comma", NULL);
    path = apr_pstrcat(pool, locale, "/LC_NUMERIC", NULL);
    assert_int_equal(mkdir(locale, 0700), 0);
    assert_non_null(file = fopen(path, "w"));
    assert_int_equal(fwrite(&compiled, sizeof(compiled), 1, file), 1);
    assert_int_equal(fclose(file), 0);
    setenv("LOCPATH", directory, 1);
    assert_non_null(setlocale(LC_NUMERIC, "comma"));
    unlink(path);
    rmdir(locale);
    rmdir(directory);
}

static void test_locale_makes_no_difference(void **state)
{
    char text[8];

    set_decimal_comma(*state);
    snprintf(text, sizeof(text), "%g", 1.5);
    assert_string_equal(text, "1,5");
    assert_string_equal(format_double(*state, 19.99), "19.99");
    assert_string_equal(format(*state, "0.30000000000000004"), "0.30000000000000004");
    check_round_trips(*state);
    assert_true(cat_number_read("2.5", NULL) == 2.5);
    snprintf(text, sizeof(text), "%g", 1.5);
    assert_string_equal(text, "1,5"); /* the locale is unchanged */
    setlocale(LC_NUMERIC, "C");
}

static void test_reads_integers(void **)
{
    static const struct {
        const char *text;
        apr_int64_t value;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"7", 7},
        {"-7", -7},
        {"007", 7},
        {"2147483648", 2147483648},
        {"9007199254740990", CAT_NUMBER_SAFE_MAX - 1},
        {"9007199254740991", CAT_NUMBER_SAFE_MAX},
        {"9007199254740992", CAT_NUMBER_SAFE_MAX},
        {"9223372036854775808", CAT_NUMBER_SAFE_MAX},
        {"99999999999999999999", CAT_NUMBER_SAFE_MAX},
        {"18446744073709551617", CAT_NUMBER_SAFE_MAX}, /* would be 1 if it wrapped around */
        {"-9007199254740992", -CAT_NUMBER_SAFE_MAX},
        {"-99999999999999999999999999999999999999999", -CAT_NUMBER_SAFE_MAX},
        {"00000000000000000000000000000000000000000000000012", 12},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        apr_int64_t value = 4711;
        assert_int_equal(cat_number_parse_integer(cases[i].text, &value), 1);
        if (value != cases[i].value) {
            fail_msg("%s is read as %" APR_INT64_T_FMT, cases[i].text, value);
        }
    }
}

static void test_refuses_other_texts(void **)
{
    static const char *const texts[] = {NULL,  "",    "-",   "--1", "+1",       " 1",
                                        "1 ",  "abc", "1a",  "1.5", "1.",       "1,",
                                        "1e3", "0x1", "NaN", "1\n", "\xd9\xa1", "99999999999999999999x"};

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        apr_int64_t value;
        assert_int_equal(cat_number_parse_integer(texts[i], &value), 0);
    }
}

static void test_integers_are_written(void **state)
{
    static const apr_int64_t numbers[] = {0,
                                          1,
                                          -1,
                                          9,
                                          10,
                                          -10,
                                          99,
                                          100,
                                          101,
                                          -909,
                                          1000,
                                          12345,
                                          99999,
                                          100000,
                                          1763000000001,
                                          APR_INT64_MAX,
                                          APR_INT64_MIN};

    for (size_t i = 0; i < UNIT_COUNT(numbers); i++) {
        char room[CAT_NUMBER_DIGITS + 2] = {[CAT_NUMBER_DIGITS + 1] = '#'};
        assert_string_equal(cat_number_write_integer(room, numbers[i]),
                            apr_psprintf(*state, "%" APR_INT64_T_FMT, numbers[i]));
        assert_int_equal(room[CAT_NUMBER_DIGITS + 1], '#');
    }
}

static void test_order_keys_follow_the_values(void **)
{
    static const char *const rising[] = {
        "0", "5e-324", "1e-07", "0.01", "0.1", "1", "1.01", "9.99", "10", "1e+21", "1.7976931348623157e+308"};

    assert_int_equal(cat_number_order_key("0"), 0);
    assert_int_equal(cat_number_order_key("-0"), 0);
    for (size_t i = 1; i < UNIT_COUNT(rising); i++) {
        assert_true(cat_number_order_key(rising[i - 1]) < cat_number_order_key(rising[i]));
    }
    assert_true(cat_number_order_key("1") == cat_number_order_key("1.0"));
    assert_true(cat_number_order_key("100") == cat_number_order_key("1e2"));
}

static void test_order_keys_of_what_is_no_price(void **)
{
    assert_int_equal(cat_number_order_key(NULL), -1);
    assert_int_equal(cat_number_order_key(""), -1);
    assert_int_equal(cat_number_order_key("x"), -1);
    assert_int_equal(cat_number_order_key("1x"), -1);
    assert_int_equal(cat_number_order_key("nan"), -1);
    assert_int_equal(cat_number_order_key("-3"), 0);
}

static void test_reads_reals(void **)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0", 0},
                 {"-0", 0},
                 {"-0.0", 0},
                 {"5", 5},
                 {"5.25", 5.25},
                 {"-5e0", -5},
                 {"1E2", 100},
                 {"1e+2", 100},
                 {"1e-400", 0},
                 {"19.99", 19.99},
                 {"1e308", 1e308},
                 {"9007199254740993", 9007199254740992.0},
                 {"99999999999999999999", 1e20}};
    static const char *const others[] = {"",      "-",   "+5",   " 5",    "5 ",     "05",  "-05", ".5",
                                         "5.",    "5e",  "0x5",  "1e999", "-1e999", "NaN", "1,5", "1 5",
                                         "\"5\"", "[5]", "true", "5\n",   "5/5",    "--5"};

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        double value = 1;
        assert_true(cat_number_parse_real(cases[i].text, &value));
        assert_memory_equal(&value, &cases[i].value, sizeof(value));
    }
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        double value;
        assert_false(cat_number_parse_real(others[i], &value));
    }
}

static void test_numbers_that_a_double_keeps_are_known(void **state)
{
    static const char *const exact[] = {"0",
                                        "-0.0",
                                        "19.99",
                                        "19.9900000000000000000",
                                        "0.30000000000000004",
                                        "1e21",
                                        "1E+2",
                                        "100000000000000000000000",
                                        "99999999999999.98",
                                        "5e-324",
                                        "1.7976931348623157e308",
                                        "0e-999999999999999999999",
                                        "0.1e1",
                                        "9007199254740992",
                                        "2.2250738585072014e-308",
                                        "19.989999999999998", /* by "%.17g", like the next */
                                        "0.10000000000000001"};
    static const char *const others[] = {"99999999999999.99",
                                         "9007199254740993",
                                         "19.989999999999999",
                                         "1e-400",
                                         "4e-324",
                                         "1.00000000000000000001",
                                         "0.1000000000000000055511151231257827",
                                         "1e-999999999999999999999",
                                         "0.01e-9223372036854775807"};

    for (size_t i = 0; i < UNIT_COUNT(exact); i++) {
        assert_true(cat_number_is_exact(*state, exact[i], strlen(exact[i])));
    }
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        assert_false(cat_number_is_exact(*state, others[i], strlen(others[i])));
    }
    assert_string_equal(cat_number_explain(*state, "99999999999999.99"),
                        "must have fewer digits: the nearest number that can be stored is 99999999999999.98");
}

/* Fifteen digits are always kept, wherever the point is; of seventeen it is kept what is written of a double. */
static void test_random_decimals_of_few_digits_are_exact(void **state)
{
    srand(3);
    for (int round = 0; round < 5000; round++) {
        int whole = rand() % 1000000, fraction = rand() % 1000000000;
        const char *text = apr_psprintf(*state, "%d.%09de%d", whole, fraction, rand() % 500 - 250);
        assert_true(cat_number_is_exact(*state, text, strlen(text)));
        text = apr_psprintf(*state, "%d.%09d", whole, fraction);
        assert_true(cat_number_is_exact(*state, text, strlen(text)));
        if (round % 500 == 0) {
            apr_pool_clear(*state);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_numbers_come_back_as_sent),
        UNIT_TEST(test_numbers_in_the_fewest_digits),
        UNIT_TEST(test_every_real_reads_back),
        UNIT_TEST(test_every_price_keeps_its_cents),
        UNIT_TEST(test_locale_makes_no_difference),
        UNIT_TEST(test_reads_integers),
        UNIT_TEST(test_refuses_other_texts),
        UNIT_TEST(test_integers_are_written),
        UNIT_TEST(test_order_keys_follow_the_values),
        UNIT_TEST(test_order_keys_of_what_is_no_price),
        UNIT_TEST(test_reads_reals),
        UNIT_TEST(test_numbers_that_a_double_keeps_are_known),
        UNIT_TEST(test_random_decimals_of_few_digits_are_exact),
    };
    return UNIT_RUN(tests);
}
