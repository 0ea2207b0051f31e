/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "lib/timing.h"

static void test_intervals_add_up_by_kind(void **)
{
    cat_timing_t timing = {{0}};
    apr_time_t begun = cat_timing_begin(&timing);

    assert_true(begun > 0);
    apr_sleep(2000);
    cat_timing_end(&timing, CAT_TIMING_QUEUE, begun);
    assert_true(timing.spent[CAT_TIMING_QUEUE] >= 2000);
    cat_timing_end(&timing, CAT_TIMING_QUEUE, begun);
    assert_true(timing.spent[CAT_TIMING_QUEUE] >= 4000);
    assert_int_equal(timing.spent[CAT_TIMING_DATABASE] + timing.spent[CAT_TIMING_HASHING], 0);
}

static void test_nothing_is_measured_without_one(void **)
{
    assert_int_equal(cat_timing_begin(NULL), 0);
    cat_timing_end(NULL, CAT_TIMING_DATABASE, 0);
}

static void test_the_header_has_milliseconds(void **state)
{
    const cat_timing_t timing = {{[CAT_TIMING_DATABASE] = 1234, [CAT_TIMING_HASHING] = 50000, [CAT_TIMING_QUEUE] = 5}};

    assert_string_equal(cat_timing_format(*state, &timing, 60001),
                        "db;dur=1.234, hash;dur=50.000, queue;dur=0.005, total;dur=60.001");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_intervals_add_up_by_kind),
        UNIT_TEST(test_nothing_is_measured_without_one),
        UNIT_TEST(test_the_header_has_milliseconds),
    };
    return UNIT_RUN(tests);
}
