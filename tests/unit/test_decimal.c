/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "lib/decimal.h"

static void test_adds(void **state)
{
    static const char *const sums[][3] = {
        {"1", "2", "3"},
        {"19.99", "0.01", "20"},
        {"19.99", "-1.5", "18.49"},
        {"1", "-1.5", "-0.5"},
        {"-0.1", "-0.2", "-0.3"},
        {"0.1", "0.2", "0.3"},
        {"0", "0", "0"},
        {"0", "-0.5", "-0.5"},
        {"5", "-5.0", "0"},
        {"999.99", "0.01", "1000"},
        {"1000", "-0.01", "999.99"},
        {"1e3", "1e-3", "1000.001"},
        {"2.5E+2", "0.50", "250.5"},
        {"9007199254740993", "1", "9007199254740994"},
        {"9223372036854775807", "1", "9223372036854775808"},
    };

    for (size_t i = 0; i < UNIT_COUNT(sums); i++) {
        assert_string_equal(cat_decimal_add(*state, sums[i][0], sums[i][1]), sums[i][2]);
        assert_string_equal(cat_decimal_add(*state, sums[i][1], sums[i][0]), sums[i][2]);
    }
}

static void test_multiplies(void **state)
{
    static const char *const products[][3] = {
        {"19.99", "1.1", "21.989"},
        {"0.1", "3", "0.3"},
        {"-2.5", "4", "-10"},
        {"-2", "-3", "6"},
        {"0", "-7", "0"},
        {"0.0", "12", "0"},
        {"99", "99", "9801"},
        {"1e200", "1e-200", "1"},
        {"1e-7", "0.01", "0.000000001"},
        {"0.30000000000000004", "2", "0.60000000000000008"},
        {"100", "0.01", "1"},
        {"999999999999", "999999999999", "999999999998000000000001"},
    };

    for (size_t i = 0; i < UNIT_COUNT(products); i++) {
        assert_string_equal(cat_decimal_multiply(*state, products[i][0], products[i][1]), products[i][2]);
        assert_string_equal(cat_decimal_multiply(*state, products[i][1], products[i][0]), products[i][2]);
    }
}

static void test_rounds_half_away_from_zero(void **state)
{
    static const struct {
        const char *number;
        int places;
        const char *rounded;
    } cases[] = {
        {"21.989", 2, "21.99"},
        {"2.344", 2, "2.34"},
        {"2.345", 2, "2.35"},
        {"-2.345", 2, "-2.35"},
        {"2.3449999", 2, "2.34"},
        {"0.5", 0, "1"},
        {"-0.5", 0, "-1"},
        {"0.49", 0, "0"},
        {"-0.49", 0, "0"},
        {"9.995", 2, "10"},
        {"999.5", 0, "1000"},
        {"1.5", 3, "1.5"},
        {"12", 2, "12"},
        {"0.005", 2, "0.01"},
        {"0.004", 2, "0"},
        {"0.0004", 2, "0"},
        {"1.005", 2, "1.01"},
        {"1e-300", 2, "0"},
        {"1e21", 0, "1000000000000000000000"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(cat_decimal_round(*state, cases[i].number, cases[i].places), cases[i].rounded);
    }
}

static void test_refuses_what_is_no_number(void **state)
{
    static const char *const texts[] = {"", "x", "1.", ".5", "1e999", "1e-999999", "--1", "+1", "1 ", "NaN"};

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        assert_null(cat_decimal_add(*state, texts[i], "1"));
        assert_null(cat_decimal_multiply(*state, "1", texts[i]));
        assert_null(cat_decimal_round(*state, texts[i], 0));
    }
}

/* Whole numbers, of which the machine knows the result. */
static void test_agrees_with_integers(void **state)
{
    for (int round = 0; round < 5000; round++) {
        int one = rand() % 2000001 - 1000000, other = rand() % 20001 - 10000;
        apr_int64_t hundredths = (apr_int64_t)one * other;
        const char *a = apr_psprintf(*state, "%d", one), *b = apr_psprintf(*state, "%d", other);
        const char *product = apr_psprintf(*state, "%" APR_INT64_T_FMT, hundredths);
        apr_int64_t half = hundredths < 0 ? -50 : 50;

        assert_string_equal(cat_decimal_add(*state, a, b), apr_psprintf(*state, "%d", one + other));
        assert_string_equal(cat_decimal_multiply(*state, a, b), product);
        assert_string_equal(cat_decimal_round(*state, cat_decimal_multiply(*state, product, "0.01"), 0),
                            apr_psprintf(*state, "%" APR_INT64_T_FMT, (hundredths + half) / 100));
        if (round % 500 == 0) {
            apr_pool_clear(*state);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_adds),
        UNIT_TEST(test_multiplies),
        UNIT_TEST(test_rounds_half_away_from_zero),
        UNIT_TEST(test_refuses_what_is_no_number),
        UNIT_TEST(test_agrees_with_integers),
    };
    return UNIT_RUN(tests);
}
