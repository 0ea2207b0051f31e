/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "db/source.h"

/* A thread whose statement was refused asks whether to try again after another thread's was executed. */
static void test_another_thread_was_served(void **state)
{
    cat_source_t *source = cat_source_create(*state, "test", NULL, NULL);

    cat_source_note_refusal(source);
    assert_true(cat_source_may_get_ready(source));
    cat_source_note_taken(source);
    assert_true(cat_source_may_get_ready(source));
}

static void test_patience_counts_from_the_first_refusal(void **state)
{
    cat_source_t *source = cat_source_create(*state, "test", NULL, NULL);

    source->refused_since = apr_time_now() - CAT_SOURCE_READY_PATIENCE;
    cat_source_note_refusal(source);
    assert_false(cat_source_may_get_ready(source));
    cat_source_note_taken(source);
    cat_source_note_refusal(source);
    assert_true(cat_source_may_get_ready(source));
}

/* A refusal in the future, as the clock was set back, ends the wait. */
static void test_clock_set_back(void **state)
{
    cat_source_t *source = cat_source_create(*state, "test", NULL, NULL);

    source->refused_since = apr_time_now() + apr_time_from_sec(3600);
    assert_false(cat_source_may_get_ready(source));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_another_thread_was_served),
        UNIT_TEST(test_patience_counts_from_the_first_refusal),
        UNIT_TEST(test_clock_set_back),
    };
    return UNIT_RUN(tests);
}
