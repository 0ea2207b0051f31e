/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "db/connection/database.h"

static void test_losses_are_remembered(void **)
{
    cat_database_t database = {0};
    apr_time_t before = apr_time_now();

    assert_false(cat_database_lost_one_since(&database, before));
    cat_database_note_loss(&database);
    assert_true(cat_database_lost_one_since(&database, before));
    assert_false(cat_database_lost_one_since(&database, apr_time_now() + 1));
}

/* One thread's statement was refused; before it asks whether to retry, another thread's statement is executed. */
static void test_retries_after_another_thread_was_served(void **)
{
    cat_database_t database = {0};

    cat_database_note_refusal(&database);
    assert_true(cat_database_may_get_ready(&database));
    cat_database_note_taken(&database);
    assert_true(cat_database_may_get_ready(&database));
}

static void test_patience_counts_from_the_first_refusal(void **)
{
    cat_database_t database = {.refused_since = apr_time_now() - CAT_DATABASE_READY_PATIENCE};

    cat_database_note_refusal(&database);
    assert_false(cat_database_may_get_ready(&database));
    cat_database_note_taken(&database);
    cat_database_note_refusal(&database);
    assert_true(cat_database_may_get_ready(&database));
}

/* When the clock has been set back, the refusal is in the future. */
static void test_clock_set_back_ends_the_wait(void **)
{
    cat_database_t database = {.refused_since = apr_time_now() + apr_time_from_sec(3600)};

    assert_false(cat_database_may_get_ready(&database));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_losses_are_remembered),
        UNIT_TEST(test_retries_after_another_thread_was_served),
        UNIT_TEST(test_patience_counts_from_the_first_refusal),
        UNIT_TEST(test_clock_set_back_ends_the_wait),
    };
    return UNIT_RUN(tests);
}
