/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "db/pool/warm.h"

#define NOW apr_time_from_sec(1000)

static cat_warm_t *make(void **state)
{
    cat_warm_t *warm;
    assert_int_equal(cat_warm_create(&warm, *state, apr_pcalloc(*state, sizeof(cat_database_t))), APR_SUCCESS);
    return warm;
}

/* A connection that its pool checked at a time; number: what tells it from others. */
static cat_db_handle_t handle_of(int *number, apr_time_t checked)
{
    return (cat_db_handle_t){.owner = number, .checked = checked};
}

static void test_connection_that_was_used_last_is_taken_first(void **state)
{
    cat_warm_t *warm = make(state);
    int numbers[2];
    cat_db_handle_t first = handle_of(&numbers[0], NOW), second = handle_of(&numbers[1], NOW), taken;

    assert_false(cat_warm_take(warm, &taken, NOW));
    assert_true(cat_warm_keep(warm, &first, 8, NOW));
    assert_true(cat_warm_keep(warm, &second, 8, NOW));
    assert_true(cat_warm_take(warm, &taken, NOW));
    assert_ptr_equal(taken.owner, &numbers[1]);
    assert_true(cat_warm_take(warm, &taken, NOW));
    assert_ptr_equal(taken.owner, &numbers[0]);
    assert_false(cat_warm_take(warm, &taken, NOW));
}

static void test_number_is_limited(void **state)
{
    cat_warm_t *warm = make(state);
    int number;
    cat_db_handle_t handle = handle_of(&number, NOW);

    assert_false(cat_warm_keep(warm, &handle, 0, NOW));
    assert_true(cat_warm_keep(warm, &handle, 1, NOW));
    assert_false(cat_warm_keep(warm, &handle, 1, NOW));
    for (int i = 1; i < 32; i++) {
        assert_true(cat_warm_keep(warm, &handle, 1000, NOW));
    }
    assert_false(cat_warm_keep(warm, &handle, 1000, NOW));
}

static void test_connection_is_fresh_for_a_moment(void **state)
{
    cat_warm_t *warm = make(state);
    int numbers[2];
    cat_db_handle_t old = handle_of(&numbers[0], NOW), young = handle_of(&numbers[1], NOW + 1), taken;
    apr_time_t end = NOW + CAT_WARM_TIME;

    assert_false(cat_warm_keep(warm, &old, 8, end));
    assert_true(cat_warm_keep(warm, &young, 8, end));
    assert_true(cat_warm_keep(warm, &old, 8, end - 1));
    assert_false(cat_warm_expel(warm, &taken, end - 1));
    assert_true(cat_warm_take(warm, &taken, end)); /* passes over the old one */
    assert_ptr_equal(taken.owner, &numbers[1]);
    assert_false(cat_warm_take(warm, &taken, end));
    assert_true(cat_warm_expel(warm, &taken, end));
    assert_ptr_equal(taken.owner, &numbers[0]);
    assert_false(cat_warm_expel(warm, &taken, end));
}

static void test_clock_that_was_set_back_ends_it(void **state)
{
    cat_warm_t *warm = make(state);
    int number;
    cat_db_handle_t handle = handle_of(&number, NOW), taken;

    assert_true(cat_warm_keep(warm, &handle, 8, NOW));
    assert_false(cat_warm_take(warm, &taken, NOW - 1));
    assert_true(cat_warm_expel(warm, &taken, NOW - 1));
}

static void test_distrust_ends_it(void **state)
{
    cat_warm_t *warm = make(state);
    int numbers[2];
    cat_db_handle_t before = handle_of(&numbers[0], NOW), after = handle_of(&numbers[1], NOW + 1), taken;

    assert_true(cat_warm_keep(warm, &before, 8, NOW));
    cat_warm_distrust(warm, NOW);
    assert_false(cat_warm_take(warm, &taken, NOW + 1));
    assert_false(cat_warm_keep(warm, &before, 8, NOW + 1)); /* one that was in use meanwhile */
    assert_true(cat_warm_keep(warm, &after, 8, NOW + 1));
    assert_true(cat_warm_expel(warm, &taken, NOW + 1));
    assert_ptr_equal(taken.owner, &numbers[0]);
}

static void test_nothing_is_kept_after_the_end(void **state)
{
    cat_warm_t *warm = make(state);
    int number;
    cat_db_handle_t handle = handle_of(&number, NOW), taken;

    assert_true(cat_warm_keep(warm, &handle, 8, NOW));
    cat_warm_close(warm);
    assert_true(cat_warm_expel(warm, &taken, NOW));
    assert_false(cat_warm_keep(warm, &handle, 8, NOW));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_connection_that_was_used_last_is_taken_first),
        UNIT_TEST(test_number_is_limited),
        UNIT_TEST(test_connection_is_fresh_for_a_moment),
        UNIT_TEST(test_clock_that_was_set_back_ends_it),
        UNIT_TEST(test_distrust_ends_it),
        UNIT_TEST(test_nothing_is_kept_after_the_end),
    };
    return UNIT_RUN(tests);
}
