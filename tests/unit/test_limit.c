/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "shm/limit.h"

#define SECOND APR_USEC_PER_SEC
#define NOW (1800000000 * SECOND)

static const cat_rate_t rate = {30, 60}; /* one every two seconds */

static cat_limit_t *make_limit(apr_pool_t *pool)
{
    cat_limit_t *limit = unit_memory(pool, cat_limit_size());

    cat_limit_start(limit, APR_UINT64_C(0x0123456789abcdef));
    return limit;
}

static cat_verdict_t take(cat_limit_t *limit, apr_time_t now)
{
    return cat_limit_take(limit, "login", "192.0.2.1", rate, now);
}

/* Takes `count` times; returns how many takes were allowed. */
static int take_many(cat_limit_t *limit, int count, apr_time_t now)
{
    int allowed = 0;

    for (int i = 0; i < count; i++) {
        allowed += take(limit, now).allowed;
    }
    return allowed;
}

static void test_allows_a_burst_and_then_one_by_one(void **state)
{
    cat_limit_t *limit = make_limit(*state);

    assert_int_equal(take_many(limit, 100, NOW), 30);
    assert_int_equal(take_many(limit, 100, NOW + 2 * SECOND - 1000), 0);
    assert_int_equal(take_many(limit, 100, NOW + 2 * SECOND), 1);
    assert_int_equal(take_many(limit, 100, NOW + 10 * SECOND), 4);
    assert_int_equal(take_many(limit, 100, NOW + 70 * SECOND), 30);
    assert_int_equal(take_many(limit, 100, NOW + 100000 * SECOND), 30);
}

static void check_verdict(cat_verdict_t verdict, int allowed, int remaining, int reset, int retry_after)
{
    assert_int_equal(verdict.allowed, allowed);
    assert_int_equal(verdict.remaining, remaining);
    assert_int_equal(verdict.reset, reset);
    assert_int_equal(verdict.retry_after, retry_after);
}

static void test_a_verdict_has_the_quota_and_the_times(void **state)
{
    cat_limit_t *limit = make_limit(*state);

    check_verdict(take(limit, NOW), 1, 29, 2, 0);
    check_verdict(take(limit, NOW), 1, 28, 4, 0);
    check_verdict(take(limit, NOW + SECOND), 1, 27, 5, 0); /* half a take has been recovered */
    assert_int_equal(take_many(limit, 26, NOW + SECOND), 26);
    check_verdict(take(limit, NOW + SECOND), 1, 0, 59, 0);
    check_verdict(take(limit, NOW + SECOND), 0, 0, 59, 1);
    check_verdict(take(limit, NOW + SECOND + 1000), 0, 0, 59, 1);
    check_verdict(take(limit, NOW), 0, 0, 60, 2);
    check_verdict(take(limit, NOW + 2 * SECOND), 1, 0, 60, 0);
    check_verdict(take(limit, NOW + 2 * SECOND), 0, 0, 60, 2);
}

/* A client that waits for Retry-After seconds is allowed; one that waits a second less is not. */
static void test_retry_after_is_exact(void **state)
{
    static const cat_rate_t rates[] = {{1, 1}, {3, 3600}, {7, 60}, {1, 86400}, {1000, 1}, {60, 60}};
    cat_limit_t *limit = make_limit(*state);

    for (size_t i = 0; i < UNIT_COUNT(rates); i++) {
        const char *who = apr_psprintf(*state, "%d", (int)i);
        cat_verdict_t verdict;
        for (int j = 0; j < rates[i].count; j++) {
            verdict = cat_limit_take(limit, "mail", who, rates[i], NOW);
            assert_int_equal(verdict.allowed, 1);
            assert_int_equal(verdict.remaining, rates[i].count - 1 - j);
        }
        assert_true(verdict.reset <= rates[i].seconds);
        verdict = cat_limit_take(limit, "mail", who, rates[i], NOW);
        assert_int_equal(verdict.allowed, 0);
        assert_int_equal(verdict.retry_after, (rates[i].seconds + rates[i].count - 1) / rates[i].count);
        if (verdict.retry_after > 1) {
            assert_false(
                cat_limit_take(limit, "mail", who, rates[i], NOW + (verdict.retry_after - 1) * SECOND).allowed);
        }
        assert_true(cat_limit_take(limit, "mail", who, rates[i], NOW + verdict.retry_after * SECOND).allowed);
    }
}

static void test_counts_each_client_and_rate_separately(void **state)
{
    static const struct {
        const char *what, *who;
        cat_rate_t rate;
    } others[] = {
        {"login", "192.0.2.2", {30, 60}}, {"mail", "192.0.2.1", {30, 60}}, {"login1", "92.0.2.1", {30, 60}},
        {"login", "", {30, 60}},          {"", "192.0.2.1", {30, 60}},     {"login", "192.0.2.1", {15, 30}},
        {"login", "192.0.2.1", {31, 62}},
    };
    cat_limit_t *limit = make_limit(*state);

    assert_int_equal(take_many(limit, 100, NOW), 30);
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        cat_verdict_t verdict = cat_limit_take(limit, others[i].what, others[i].who, others[i].rate, NOW);
        check_verdict(verdict, 1, others[i].rate.count - 1, 2, 0);
    }
    assert_int_equal(take_many(limit, 1, NOW), 0);
}

static void test_no_limit_allows_all(void **state)
{
    cat_limit_t *limit = make_limit(*state);

    for (int i = 0; i < 1000; i++) {
        check_verdict(cat_limit_take(limit, "login", "192.0.2.1", (cat_rate_t){5, 0}, NOW), 1, 5, 0, 0);
        check_verdict(cat_limit_take(limit, "login", "192.0.2.1", (cat_rate_t){0, 0}, NOW), 1, 0, 0, 0);
    }
}

static void test_a_high_rate_is_held_at_one_a_millisecond(void **state)
{
    cat_limit_t *limit = make_limit(*state);
    int allowed = 0;

    for (int i = 0; i < 20000; i++) {
        allowed += cat_limit_take(limit, "login", "192.0.2.1", (cat_rate_t){10000, 1}, NOW).allowed;
    }
    assert_int_equal(allowed, 10000);
    assert_true(cat_limit_take(limit, "login", "192.0.2.1", (cat_rate_t){10000, 1}, NOW + 1000).allowed);
}

/* A client waits longer by the time that the clock was set back, but if that is more than a minute, not at all. */
static void test_a_clock_set_back_adds_a_minute_at_most(void **state)
{
    static const int back[] = {1, 30, 59, 61, 3600, 86400 * 365};

    for (size_t i = 0; i < UNIT_COUNT(back); i++) {
        cat_limit_t *limit = make_limit(*state);
        apr_time_t now = NOW - back[i] * SECOND;
        int waited = 0;

        assert_int_equal(take_many(limit, 100, NOW), 30);
        while (!take(limit, now + waited * SECOND).allowed) {
            waited++;
        }
        assert_int_equal(waited, back[i] <= 60 ? back[i] + 2 : 0);
    }
}

/* Even at a rate of one every 20 minutes. */
static void test_a_clock_set_far_back_ends_the_wait(void **state)
{
    cat_limit_t *limit = make_limit(*state);

    for (int i = 0; i < 3; i++) {
        assert_true(cat_limit_take(limit, "mail", "192.0.2.1", (cat_rate_t){3, 3600}, NOW).allowed);
    }
    assert_true(cat_limit_take(limit, "mail", "192.0.2.1", (cat_rate_t){3, 3600}, NOW - 3600 * SECOND).allowed);
}

static void test_takes_can_be_given_back(void **state)
{
    cat_limit_t *limit = make_limit(*state);

    cat_limit_give_back(limit, "login", "192.0.2.1", rate, NOW); /* nothing was taken */
    assert_int_equal(take_many(limit, 100, NOW), 30);
    cat_limit_give_back(limit, "login", "192.0.2.1", rate, NOW);
    cat_limit_give_back(limit, "login", "192.0.2.2", rate, NOW);
    cat_limit_give_back(limit, "mail", "192.0.2.1", rate, NOW);
    assert_int_equal(take_many(limit, 100, NOW), 1);
    for (int i = 0; i < 40; i++) { /* giving back more than was taken gives no credit */
        cat_limit_give_back(limit, "login", "192.0.2.1", rate, NOW);
    }
    assert_int_equal(take_many(limit, 100, NOW), 30);
}

/* Callers whose time is up to 40 seconds old are allowed no more than the others. */
static void test_a_late_caller_gains_nothing(void **state)
{
    cat_limit_t *limit = make_limit(*state);
    int allowed = 0;

    for (int i = 0; i < 1000; i++) {
        allowed += take(limit, NOW - (i * 7919 % 40) * SECOND).allowed;
    }
    assert_int_equal(allowed, 30);
    assert_int_equal(take_many(limit, 100, NOW + SECOND), 0);
}

/* There are far more clients than cells, but no newcomer is refused because of another client. */
static void test_a_full_table_refuses_nobody(void **state)
{
    cat_limit_t *limit = make_limit(*state);
    int refused = 0;
    char who[16];

    for (int i = 0; i < 300000; i++) {
        apr_snprintf(who, sizeof(who), "%d", i);
        refused += !cat_limit_take(limit, "login", who, (cat_rate_t){1, 60}, NOW).allowed;
    }
    assert_true(refused <= 2); /* one client in a million may have the hash of another one */
}

/* A table that is not full remembers nearly all clients. */
static void test_forgets_few(void **state)
{
    cat_limit_t *limit = make_limit(*state);
    int forgotten = 0;
    char who[16];

    for (int i = 0; i < 2 * 20000; i++) {
        apr_snprintf(who, sizeof(who), "%d", i % 20000);
        forgotten += i >= 20000 && cat_limit_take(limit, "login", who, (cat_rate_t){1, 60}, NOW).allowed;
        cat_limit_take(limit, "login", who, (cat_rate_t){1, 60}, NOW);
    }
    assert_true(forgotten < 20);
}

enum { EXHAUSTED = 1000, NEWCOMERS = 65536 };

/* How many of the clients that have exhausted `rate` are allowed again after each newcomer has taken `takes` times at another rate. */
static int count_forgotten(cat_limit_t *limit, cat_rate_t newcomers, int takes)
{
    int forgotten = 0;
    char who[16];

    for (int i = 0; i < EXHAUSTED * rate.count; i++) {
        apr_snprintf(who, sizeof(who), "old %d", i % EXHAUSTED);
        assert_true(cat_limit_take(limit, "login", who, rate, NOW).allowed);
    }
    for (int i = 0; i < NEWCOMERS * takes; i++) {
        apr_snprintf(who, sizeof(who), "%d", i / takes);
        cat_limit_take(limit, "mail", who, newcomers, NOW + SECOND);
    }
    for (int i = 0; i < EXHAUSTED; i++) {
        apr_snprintf(who, sizeof(who), "old %d", i);
        forgotten += cat_limit_take(limit, "login", who, rate, NOW + SECOND).allowed;
    }
    return forgotten;
}

/* However long the newcomers need until they have recovered all of their takes. */
static void test_newcomers_with_something_left_evict_nobody_exhausted(void **state)
{
    assert_true(count_forgotten(make_limit(*state), rate, 3) <= 1); /* two may have the same hash */
    assert_true(count_forgotten(make_limit(*state), (cat_rate_t){4, 3600}, 3) <= 1);
}

static void test_exhausted_newcomers_evict_few(void **state)
{
    assert_true(count_forgotten(make_limit(*state), (cat_rate_t){3, 3600}, 3) < EXHAUSTED / 100);
}

/* Of two exhausted clients, the table evicts the one that recovers earlier. */
static void test_evicts_the_client_that_recovers_first(void **state)
{
    cat_limit_t *limit = make_limit(*state);
    char who[16];

    assert_int_equal(take_many(limit, 100, NOW), 30);
    for (int i = 0; i < 300000; i++) {
        apr_snprintf(who, sizeof(who), "%d", i);
        cat_limit_take(limit, "login", who, (cat_rate_t){1, 30}, NOW);
    }
    assert_int_equal(take_many(limit, 100, NOW), 0);
}

enum { THREADS = 4, PROCESSES = 4, TAKES = 50000, ALLOWED = 120000 };

typedef struct taker_t {
    cat_limit_t *limit;
    atomic_int *allowed;
    const char *who;
    pthread_t thread;
} taker_t;

static void *take_all(void *data)
{
    taker_t *t = data;

    for (int i = 0; i < TAKES; i++) {
        if (cat_limit_take(t->limit, "login", t->who, (cat_rate_t){ALLOWED, 86400}, NOW).allowed) {
            atomic_fetch_add_explicit(t->allowed, 1, memory_order_acq_rel);
        }
    }
    return NULL;
}

static void race(cat_limit_t *limit, atomic_int *allowed, const char *who)
{
    taker_t takers[THREADS];

    for (int i = 0; i < THREADS; i++) {
        takers[i] = (taker_t){.limit = limit, .allowed = allowed, .who = who};
        pthread_create(&takers[i].thread, NULL, take_all, &takers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(takers[i].thread, NULL);
    }
}

static void test_racing_threads_take_exactly_what_there_is(void **state)
{
    cat_limit_t *limit = make_limit(*state);

    for (int i = 0; i < 10; i++) {
        atomic_int allowed = 0;
        race(limit, &allowed, apr_psprintf(*state, "%d", i));
        assert_int_equal(allowed, ALLOWED);
    }
}

static void test_racing_processes_take_exactly_what_there_is(void **state)
{
    cat_limit_t *limit = make_limit(*state);
    atomic_int *allowed = unit_memory(*state, sizeof(*allowed));
    pid_t children[PROCESSES];

    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            race(limit, allowed, "192.0.2.1");
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        waitpid(children[i], NULL, 0);
    }
    assert_int_equal(*allowed, ALLOWED);
}

/* All allowed takes stay counted. Each killed process may have counted one more, of which it did not learn. */
static void test_killed_processes_cost_one_take_each_at_most(void **state)
{
    enum { KILLED = 50 };
    cat_limit_t *limit = make_limit(*state);
    atomic_int *allowed = unit_memory(*state, sizeof(*allowed));

    for (int i = 0; i < KILLED; i++) {
        pid_t child = fork();
        if (child == 0) {
            take_all(&(taker_t){.limit = limit, .allowed = allowed, .who = "192.0.2.1"});
            apr_sleep(60 * SECOND); /* until it is killed */
            _exit(0);
        }
        while (atomic_load_explicit(allowed, memory_order_acquire) < 500 * (i + 1)) {
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    race(limit, allowed, "192.0.2.1");
    assert_true(*allowed <= ALLOWED && *allowed >= ALLOWED - KILLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_allows_a_burst_and_then_one_by_one),
        UNIT_TEST(test_a_verdict_has_the_quota_and_the_times),
        UNIT_TEST(test_retry_after_is_exact),
        UNIT_TEST(test_counts_each_client_and_rate_separately),
        UNIT_TEST(test_no_limit_allows_all),
        UNIT_TEST(test_a_high_rate_is_held_at_one_a_millisecond),
        UNIT_TEST(test_a_clock_set_back_adds_a_minute_at_most),
        UNIT_TEST(test_a_clock_set_far_back_ends_the_wait),
        UNIT_TEST(test_takes_can_be_given_back),
        UNIT_TEST(test_a_late_caller_gains_nothing),
        UNIT_TEST(test_a_full_table_refuses_nobody),
        UNIT_TEST(test_forgets_few),
        UNIT_TEST(test_newcomers_with_something_left_evict_nobody_exhausted),
        UNIT_TEST(test_exhausted_newcomers_evict_few),
        UNIT_TEST(test_evicts_the_client_that_recovers_first),
        UNIT_TEST(test_racing_threads_take_exactly_what_there_is),
        UNIT_TEST(test_racing_processes_take_exactly_what_there_is),
        UNIT_TEST(test_killed_processes_cost_one_take_each_at_most),
    };
    return UNIT_RUN(tests);
}
