/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "lib/id.h"
#include "shm/revoked.h"

#define SECOND APR_USEC_PER_SEC
#define NOW (1800000000 * SECOND)
#define MINUTES(n) ((n) * 60 * SECOND)
#define LONGER (64 * SECOND) /* the set may keep a session for this much longer */

static cat_revoked_t *make_set(apr_pool_t *pool)
{
    return unit_memory(pool, cat_revoked_size());
}

static const char *make_id(apr_pool_t *pool)
{
    return cat_id_make(pool, NOW);
}

static void test_an_empty_set_has_no_session(void **state)
{
    cat_revoked_t *set = make_set(*state);

    for (int i = 0; i < 100; i++) {
        assert_int_equal(cat_revoked_find(set, make_id(*state), NOW), CAT_REVOKED_NO);
        assert_int_equal(cat_revoked_find(set, make_id(*state), 0), CAT_REVOKED_NO);
    }
}

static void test_has_a_session_until_its_time_is_over(void **state)
{
    cat_revoked_t *set = make_set(*state);

    for (int i = 0; i < 1000; i++) {
        const char *id = make_id(*state);
        apr_time_t until = NOW + MINUTES(15) + i * 999983;
        cat_revoked_add(set, id, until, NOW);
        assert_int_equal(cat_revoked_find(set, id, NOW), CAT_REVOKED_YES);
        assert_int_equal(cat_revoked_find(set, id, until - 1), CAT_REVOKED_YES);
        assert_int_equal(cat_revoked_find(set, id, until + LONGER), CAT_REVOKED_NO);
        assert_int_equal(cat_revoked_find(set, make_id(*state), NOW), CAT_REVOKED_NO);
    }
}

static void test_the_longest_time_counts(void **state)
{
    cat_revoked_t *set = make_set(*state);
    const char *id = make_id(*state);

    cat_revoked_add(set, id, NOW + MINUTES(10), NOW);
    cat_revoked_add(set, id, NOW + MINUTES(20), NOW);
    cat_revoked_add(set, id, NOW + MINUTES(5), NOW);
    assert_int_equal(cat_revoked_find(set, id, NOW + MINUTES(20) - 1), CAT_REVOKED_YES);
    assert_int_equal(cat_revoked_find(set, id, NOW + MINUTES(20) + LONGER), CAT_REVOKED_NO);
}

/* A time that does not fit into 32 bits must not wrap around. */
static void test_holds_far_times(void **state)
{
    cat_revoked_t *set = make_set(*state);
    const char *id = make_id(*state);

    cat_revoked_add(set, id, (APR_INT64_C(1) << 32) * SECOND + LONGER, NOW);
    assert_int_equal(cat_revoked_find(set, id, NOW + MINUTES(60 * 24 * 365)), CAT_REVOKED_YES);
}

/* Adds more sessions than fit. The set must find each of them or report that it may have lost some. */
static void test_a_full_set_says_that_it_is_incomplete(void **state)
{
    enum { COUNT = 300000 };
    cat_revoked_t *set = make_set(*state);
    const char **ids = apr_palloc(*state, COUNT * sizeof(*ids));
    int found[3] = {0}, others[3] = {0};

    for (int i = 0; i < COUNT; i++) {
        ids[i] = make_id(*state);
        cat_revoked_add(set, ids[i], NOW + MINUTES(15), NOW);
    }
    for (int i = 0; i < COUNT; i++) {
        found[cat_revoked_find(set, ids[i], NOW)]++;
        others[cat_revoked_find(set, make_id(*state), NOW)]++;
    }
    assert_int_equal(found[CAT_REVOKED_NO], 0);
    assert_true(found[CAT_REVOKED_YES] > 100000);
    assert_int_equal(others[CAT_REVOKED_YES], 0);

    for (int i = 0; i < COUNT; i++) { /* all sessions have expired, so there is room again */
        apr_time_t later = NOW + MINUTES(15) + LONGER;
        assert_int_equal(cat_revoked_find(set, ids[i], later), CAT_REVOKED_NO);
        if (i % 100 == 0) {
            cat_revoked_add(set, ids[i], later + MINUTES(15), later);
            assert_int_equal(cat_revoked_find(set, ids[i], later), CAT_REVOKED_YES);
        }
    }
}

/* Sessions whose time is over make room for new ones. */
static void test_never_fills_when_sessions_end_at_a_steady_rate(void **state)
{
    enum { PER_SECOND = 20, SECONDS = 3 * 900 };
    cat_revoked_t *set = make_set(*state);
    apr_pool_t *pool;
    int unknown = 0;

    apr_pool_create(&pool, *state);
    for (int i = 0; i < PER_SECOND * SECONDS; i++) {
        apr_time_t now = NOW + (apr_time_t)i * SECOND / PER_SECOND;
        const char *id = make_id(pool);
        cat_revoked_add(set, id, now + MINUTES(15), now);
        unknown += cat_revoked_find(set, id, now) != CAT_REVOKED_YES;
        apr_pool_clear(pool);
    }
    assert_true(unknown < PER_SECOND * SECONDS / 1000);
}

static void test_is_current_for_as_long_as_the_delay(void **)
{
    apr_interval_time_t delay = 2 * SECOND;

    assert_true(cat_revoked_is_current(NOW, delay, NOW));
    assert_true(cat_revoked_is_current(NOW, delay, NOW + delay));
    assert_false(cat_revoked_is_current(NOW, delay, NOW + delay + 1));
    assert_true(cat_revoked_is_current(NOW + 1, delay, NOW)); /* read after the request arrived */
}

static void test_is_not_current_before_the_first_reading(void **)
{
    assert_false(cat_revoked_is_current(0, MINUTES(1), NOW));
}

static void test_is_not_current_when_the_clock_was_set(void **)
{
    apr_interval_time_t delay = 2 * SECOND;

    assert_false(cat_revoked_is_current(NOW, delay, NOW - MINUTES(60)));
    assert_false(cat_revoked_is_current(NOW, delay, NOW + MINUTES(60)));
}

/* A thread or process that adds sessions; *done: how many of them are in the set. */
typedef struct writer_t {
    cat_revoked_t *set;
    int number;
    atomic_int *done;
    pthread_t thread;
} writer_t;

enum { WRITERS = 4, EACH = 5000 };

static const char *id_of(char *id, int writer, int i)
{
    apr_snprintf(id, CAT_ID_LENGTH + 1, "01936f4e-7a00-7000-8000-%04x%08x", writer, i);
    return id;
}

static void *write_all(void *data)
{
    writer_t *w = data;
    char id[CAT_ID_LENGTH + 1];

    for (int i = 0; i < EACH; i++) {
        cat_revoked_add(w->set, id_of(id, w->number, i), NOW + MINUTES(15), NOW);
        atomic_store_explicit(w->done, i + 1, memory_order_release);
    }
    return NULL;
}

static void check_all_there(const cat_revoked_t *set, int writer, int done)
{
    char id[CAT_ID_LENGTH + 1];

    for (int i = 0; i < done; i++) {
        assert_int_not_equal(cat_revoked_find(set, id_of(id, writer, i), NOW), CAT_REVOKED_NO);
    }
}

static void test_threads_add_concurrently(void **state)
{
    cat_revoked_t *set = make_set(*state);
    writer_t writers[WRITERS];
    atomic_int done[WRITERS] = {0};

    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (writer_t){.set = set, .number = i / 2, .done = &done[i]}; /* two threads add each session */
        pthread_create(&writers[i].thread, NULL, write_all, &writers[i]);
    }
    for (int i = 0; i < WRITERS; i++) {
        check_all_there(set, i / 2, atomic_load_explicit(&done[i], memory_order_acquire));
        pthread_join(writers[i].thread, NULL);
        check_all_there(set, i / 2, EACH);
    }
}

typedef struct racer_t {
    cat_revoked_t *set;
    const char *id;
    _Atomic apr_time_t *next;    /* the latest time that a thread has begun to add */
    _Atomic apr_time_t *longest; /* the latest time that a thread has added */
    int lost;
    pthread_t thread;
} racer_t;

/* A thread must not shorten the time that another one has added, even if it read the entry before. */
static void *prolong(void *data)
{
    racer_t *r = data;

    for (int i = 0; i < 100000; i++) {
        apr_time_t until = atomic_fetch_add_explicit(r->next, LONGER, memory_order_acq_rel) + LONGER;
        apr_time_t longest = atomic_load_explicit(r->longest, memory_order_acquire);
        cat_revoked_add(r->set, r->id, until, NOW);
        while (longest < until && !atomic_compare_exchange_strong_explicit(
                                      r->longest, &longest, until, memory_order_acq_rel, memory_order_acquire)) {
        }
        longest = atomic_load_explicit(r->longest, memory_order_acquire);
        r->lost += cat_revoked_find(r->set, r->id, longest - 1) != CAT_REVOKED_YES;
    }
    return NULL;
}

static void test_racing_threads_keep_the_longest_time(void **state)
{
    cat_revoked_t *set = make_set(*state);
    const char *id = make_id(*state);
    _Atomic apr_time_t next = NOW, longest = NOW;
    racer_t racers[WRITERS];

    for (int i = 0; i < WRITERS; i++) {
        racers[i] = (racer_t){.set = set, .id = id, .next = &next, .longest = &longest};
        pthread_create(&racers[i].thread, NULL, prolong, &racers[i]);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(racers[i].thread, NULL);
        assert_int_equal(racers[i].lost, 0);
    }
}

static void test_sessions_of_killed_children_stay(void **state)
{
    enum { CHILDREN = 50 };
    cat_revoked_t *set = make_set(*state);
    atomic_int *done = unit_memory(*state, CHILDREN * sizeof(*done));
    char id[CAT_ID_LENGTH + 1];

    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0) {
            write_all(&(writer_t){.set = set, .number = i, .done = &done[i]});
            apr_sleep(60 * SECOND); /* until it is killed */
            _exit(0);
        }
        while (atomic_load_explicit(&done[i], memory_order_acquire) < 20 * i) {
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        check_all_there(set, i, done[i]);
    }
    cat_revoked_add(set, id_of(id, CHILDREN, 0), NOW + MINUTES(15), NOW);
    assert_int_not_equal(cat_revoked_find(set, id, NOW), CAT_REVOKED_NO);
    munmap(done, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_an_empty_set_has_no_session),
        UNIT_TEST(test_has_a_session_until_its_time_is_over),
        UNIT_TEST(test_the_longest_time_counts),
        UNIT_TEST(test_holds_far_times),
        UNIT_TEST(test_a_full_set_says_that_it_is_incomplete),
        UNIT_TEST(test_never_fills_when_sessions_end_at_a_steady_rate),
        UNIT_TEST(test_is_current_for_as_long_as_the_delay),
        UNIT_TEST(test_is_not_current_before_the_first_reading),
        UNIT_TEST(test_is_not_current_when_the_clock_was_set),
        UNIT_TEST(test_threads_add_concurrently),
        UNIT_TEST(test_racing_threads_keep_the_longest_time),
        UNIT_TEST(test_sessions_of_killed_children_stay),
    };
    return UNIT_RUN(tests);
}
