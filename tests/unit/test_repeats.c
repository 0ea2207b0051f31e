/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "shm/repeats.h"

#define SECOND APR_USEC_PER_SEC

static void test_repeats_are_summed_up(void **)
{
    cat_repeats_t repeats = {0};
    char text[CAT_REPEATS_TEXT];

    assert_true(cat_repeats_note(&repeats, 100 * SECOND, text));
    assert_string_equal(text, "");
    for (int i = 0; i < 500; i++) {
        assert_false(cat_repeats_note(&repeats, 100 * SECOND + apr_time_from_msec(19 * i), text));
    }
    assert_true(cat_repeats_note(&repeats, 112 * SECOND, text));
    assert_string_equal(text, ", and 500 more in the last 12 s");
    assert_false(cat_repeats_note(&repeats, 113 * SECOND, text));
    assert_true(cat_repeats_note(&repeats, 3600 * SECOND, text));
    assert_string_equal(text, ", and 1 more in the last 3488 s");
}

static void test_a_process_that_must_stop_logs_none(void **)
{
    cat_repeats_t repeats = {0};
    char text[CAT_REPEATS_TEXT];
    sigset_t term, before;
    int signal, is_noted;

    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, &before);
    kill(getpid(), SIGTERM);
    is_noted = cat_repeats_note(&repeats, 100 * SECOND, text);
    sigwait(&term, &signal);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert_false(is_noted);
    assert_true(cat_repeats_note(&repeats, 100 * SECOND, text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_repeats_are_summed_up),
        UNIT_TEST(test_a_process_that_must_stop_logs_none),
    };
    return UNIT_RUN(tests);
}
