/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/time.h"

static void check(apr_int64_t milliseconds, const char *expected)
{
    char text[CAT_TIME_LENGTH + 2];

    memset(text, '#', sizeof(text));
    cat_time_format(text, milliseconds);
    assert_string_equal(text, expected);
    assert_int_equal(text[CAT_TIME_LENGTH + 1], '#');
}

static void test_formats_known_times(void **)
{
    check(0, "1970-01-01T00:00:00.000Z");
    check(1, "1970-01-01T00:00:00.001Z");
    check(APR_INT64_C(1795253400123), "2026-11-21T09:30:00.123Z");
    check(APR_INT64_C(951782400000), "2000-02-29T00:00:00.000Z");
    check(APR_INT64_C(4107542399999), "2100-02-28T23:59:59.999Z");
    check(APR_INT64_C(4107542400000), "2100-03-01T00:00:00.000Z"); /* 2100 is not a leap year */
    check(APR_INT64_C(2147483648000), "2038-01-19T03:14:08.000Z");
}

static void test_formats_times_before_1970(void **)
{
    check(-1, "1969-12-31T23:59:59.999Z");
    check(-1000, "1969-12-31T23:59:59.000Z");
    check(-1001, "1969-12-31T23:59:58.999Z");
}

static void test_formats_each_day_of_ten_thousand_years(void **)
{
    char text[CAT_TIME_LENGTH + 1], expected[CAT_TIME_LENGTH + 1];
    apr_int64_t again;

    for (time_t day = -62167219200 / 86400; day <= 253402300799 / 86400; day++) {
        time_t seconds = day * 86400 + (day & 0xffff);
        struct tm tm;
        gmtime_r(&seconds, &tm);
        strftime(expected, sizeof(expected), "T%H:%M:%S.000Z", &tm);
        cat_time_format(text, (apr_int64_t)seconds * 1000);
        assert_string_equal(text + 10, expected);
        assert_int_equal(atoi(text), tm.tm_year + 1900);
        assert_int_equal(atoi(text + 5), tm.tm_mon + 1);
        assert_int_equal(atoi(text + 8), tm.tm_mday);
        assert_true(cat_time_parse(text, &again));
        assert_true(again == (apr_int64_t)seconds * 1000);
    }
}

static void test_times_are_clamped_to_four_digit_years(void **)
{
    check(APR_INT64_C(-62167219200000), "0000-01-01T00:00:00.000Z");
    check(APR_INT64_C(-62167219200001), "0000-01-01T00:00:00.000Z");
    check(INT64_MIN, "0000-01-01T00:00:00.000Z");
    check(APR_INT64_C(253402300799999), "9999-12-31T23:59:59.999Z");
    check(APR_INT64_C(253402300800000), "9999-12-31T23:59:59.999Z");
    check(INT64_MAX, "9999-12-31T23:59:59.999Z");
}

static void test_order_of_text_is_order_of_time(void **)
{
    char before[CAT_TIME_LENGTH + 1], text[CAT_TIME_LENGTH + 1];

    cat_time_format(before, APR_INT64_C(-62167219200000));
    for (apr_int64_t t = APR_INT64_C(-62000000000000); t < APR_INT64_C(253402300799999);
         t += APR_INT64_C(12345678901)) {
        cat_time_format(text, t);
        assert_true(strcmp(before, text) < 0);
        memcpy(before, text, sizeof(before));
    }
}

static void test_time_zone_makes_no_difference(void **)
{
    setenv("TZ", "Pacific/Kiritimati", 1);
    tzset();
    check(0, "1970-01-01T00:00:00.000Z");
    unsetenv("TZ");
    tzset();
}

static void test_stores_milliseconds(void **state)
{
    assert_string_equal(cat_time_store(*state, 0), "0");
    assert_string_equal(cat_time_store(*state, 1999), "1");
    assert_string_equal(cat_time_store(*state, APR_INT64_C(1795253400123456)), "1795253400123");
}

static void test_reads_what_was_stored(void **state)
{
    static const char *const others[] = {"", "x", "1x", "1.5", "99999999999999999999", "9223372036854775807"};

    assert_int_equal(cat_time_read("0"), 0);
    assert_int_equal(cat_time_read("-1"), -1000);
    assert_int_equal(cat_time_read(cat_time_store(*state, APR_INT64_C(1795253400123456))),
                     APR_INT64_C(1795253400123000));
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        assert_int_equal(cat_time_read(others[i]), 0);
    }
}

static void test_monotonic_time_never_goes_back(void **)
{
    apr_time_t start = cat_time_monotonic(), before = start;

    for (int i = 0; i < 100000; i++) {
        apr_time_t now = cat_time_monotonic();
        assert_true(now >= before);
        before = now;
    }
    apr_sleep(20000);
    assert_true(cat_time_monotonic() - start >= 20000);
}

static void test_parses_other_spellings(void **)
{
    static const struct {
        const char *text, *same;
    } cases[] = {
        {"2026-11-21T09:30:00Z", "2026-11-21T09:30:00.000Z"},
        {"2026-11-21t09:30:00.1z", "2026-11-21T09:30:00.100Z"},
        {"2026-11-21T09:30:00.12-00:00", "2026-11-21T09:30:00.120Z"},
        {"2026-01-01T01:29:59.999+01:30", "2025-12-31T23:59:59.999Z"},
        {"2026-12-31T23:59:59-23:59", "2027-01-01T23:58:59.000Z"},
        {"2026-11-21T09:30:00.1239Z", "2026-11-21T09:30:00.123Z"},
        {"2026-11-21T10:30:00.999999999999999999999+01:00", "2026-11-21T09:30:00.999Z"},
        {"1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"},
        {"2026-11-21T09:30:00.000000Z", "2026-11-21T09:30:00.000Z"},
        {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"},
        {"0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        apr_int64_t milliseconds;
        assert_true(cat_time_parse(cases[i].text, &milliseconds));
        check(milliseconds, cases[i].same);
    }
}

static void test_parses_nothing_else(void **)
{
    static const char *const texts[] = {"",
                                        "2026",
                                        "2026-11-21",
                                        "2026-11-21T09:30Z",
                                        "2026-11-21T09:30:00",
                                        "2026-11-21 09:30:00Z",
                                        "2026-11-21T09:30:00.Z",
                                        "2026-11-21T09:30:00.1234",
                                        "2026-11-21T09:30:00.1234.5Z",
                                        "2026-11-21T09:30:00,5Z",
                                        "2026-11-21T09:30:00+01",
                                        "2026-11-21T09:30:00+0100",
                                        "2026-11-21T09:30:00 01:00",
                                        "2026-11-21T09:30:00+24:00",
                                        "2026-11-21T09:30:00+01:60",
                                        "2026-11-21T09:30:00ZZ",
                                        "2026-11-21T09:30:00Z ",
                                        " 2026-11-21T09:30:00Z",
                                        "+2026-11-21T09:30:00Z",
                                        "2026-11-21T24:00:00Z",
                                        "2026-11-21T09:60:00Z",
                                        "2026-11-21T09:30:60Z",
                                        "2026-13-01T09:30:00Z",
                                        "2026-00-01T09:30:00Z",
                                        "2026-04-31T09:30:00Z",
                                        "2026-04-00T09:30:00Z",
                                        "2026-02-29T09:30:00Z",
                                        "2100-02-29T09:30:00Z",
                                        "0000-01-01T00:00:00+00:01",
                                        "9999-12-31T23:59:59-00:01",
                                        "2026-1-21T09:30:00Z",
                                        "\xd9\xa2"
                                        "026-11-21T09:30:00Z"};
    apr_int64_t milliseconds;

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        assert_false(cat_time_parse(texts[i], &milliseconds));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_formats_known_times),
        UNIT_TEST(test_formats_times_before_1970),
        UNIT_TEST(test_formats_each_day_of_ten_thousand_years),
        UNIT_TEST(test_times_are_clamped_to_four_digit_years),
        UNIT_TEST(test_order_of_text_is_order_of_time),
        UNIT_TEST(test_time_zone_makes_no_difference),
        UNIT_TEST(test_stores_milliseconds),
        UNIT_TEST(test_reads_what_was_stored),
        UNIT_TEST(test_monotonic_time_never_goes_back),
        UNIT_TEST(test_parses_other_spellings),
        UNIT_TEST(test_parses_nothing_else),
    };
    return UNIT_RUN(tests);
}
