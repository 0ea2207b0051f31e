/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_strings.h>

#include "db/connection/text_slots.h"

static const char *nth_text(apr_pool_t *pool, int n)
{
    return apr_psprintf(pool, "SELECT %d", n);
}

static int take(cat_text_slots_t *slots, const char *text)
{
    int slot = cat_text_slots_choose(slots);

    cat_text_slots_take(slots, slot, text);
    return slot;
}

static void test_text_is_found_in_its_slot(void **state)
{
    cat_text_slots_t *slots = cat_text_slots_make(*state);
    int one = take(slots, "SELECT 1"), two = take(slots, "SELECT 2");

    assert_int_not_equal(one, two);
    assert_int_equal(cat_text_slots_find(slots, "SELECT 1"), one);
    assert_int_equal(cat_text_slots_find(slots, "SELECT 2"), two);
    assert_int_equal(cat_text_slots_find(slots, "SELECT 3"), -1);
}

static void test_new_text_takes_the_slot_used_least_recently(void **state)
{
    cat_text_slots_t *slots = cat_text_slots_make(*state);
    int first, second;

    for (int i = 0; i < CAT_TEXT_SLOTS; i++) {
        take(slots, nth_text(*state, i));
    }
    first = cat_text_slots_find(slots, nth_text(*state, 0)); /* the second is older now */
    second = take(slots, "SELECT 'another'");
    assert_int_not_equal(first, second);
    assert_int_equal(cat_text_slots_find(slots, nth_text(*state, 0)), first);
    assert_int_equal(cat_text_slots_find(slots, nth_text(*state, 1)), -1);
    assert_int_equal(cat_text_slots_find(slots, "SELECT 'another'"), second);
    for (int i = 2; i < CAT_TEXT_SLOTS; i++) {
        assert_true(cat_text_slots_find(slots, nth_text(*state, i)) >= 0);
    }
}

static apr_status_t note_end(void *ended)
{
    *(int *)ended = 1;
    return APR_SUCCESS;
}

static void test_pool_of_a_slot_ends_with_its_text(void **state)
{
    cat_text_slots_t *slots = cat_text_slots_make(*state);
    int slot = cat_text_slots_choose(slots), ended = 0;

    apr_pool_cleanup_register(cat_text_slots_take(slots, slot, "SELECT 1"), &ended, note_end, apr_pool_cleanup_null);
    cat_text_slots_take(slots, slot, "SELECT 2");
    assert_int_equal(ended, 1);
    assert_int_equal(cat_text_slots_find(slots, "SELECT 1"), -1);
}

static void test_freed_slot_is_taken_first(void **state)
{
    cat_text_slots_t *slots = cat_text_slots_make(*state);

    for (int i = 0; i < CAT_TEXT_SLOTS; i++) {
        take(slots, nth_text(*state, i));
    }
    cat_text_slots_free(slots, 7);
    assert_int_equal(cat_text_slots_find(slots, nth_text(*state, 7)), -1);
    assert_int_equal(cat_text_slots_choose(slots), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_text_is_found_in_its_slot),
        UNIT_TEST(test_new_text_takes_the_slot_used_least_recently),
        UNIT_TEST(test_pool_of_a_slot_ends_with_its_text),
        UNIT_TEST(test_freed_slot_is_taken_first),
    };
    return UNIT_RUN(tests);
}
