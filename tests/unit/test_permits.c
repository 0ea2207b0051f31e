/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <pthread.h>

#include "db/pool/permits.c" /* whose queue is looked at */

enum { WAITERS = 20, LIMIT = 3, THREADS = 16, ROUNDS = 2000 };

#define PATIENCE apr_time_from_sec(60) /* enough on a busy machine */

static cat_permits_t *make_permits(apr_pool_t *pool)
{
    cat_permits_t *permits;

    assert_int_equal(cat_permits_create(&permits, pool), APR_SUCCESS);
    return permits;
}

static void test_permits_are_limited(void **state)
{
    cat_permits_t *permits = make_permits(*state);

    assert_int_equal(cat_permits_take(permits, 2, apr_time_now()), APR_SUCCESS);
    assert_int_equal(cat_permits_take(permits, 2, apr_time_now()), APR_SUCCESS);
    assert_int_equal(cat_permits_take(permits, 2, apr_time_now()), APR_TIMEUP);
    assert_int_equal(cat_permits_take(permits, 3, apr_time_now()), APR_SUCCESS);
    cat_permits_give_back(permits);
    cat_permits_give_back(permits);
    assert_int_equal(cat_permits_take(permits, 2, apr_time_now()), APR_SUCCESS);
}

/* ---- order ---- */

typedef struct queue_t {
    cat_permits_t *permits;
    pthread_mutex_t mutex;
    int served[WAITERS], count;
} queue_t;

typedef struct waiting_t {
    queue_t *queue;
    int number;
    pthread_t thread;
} waiting_t;

static void *wait_and_note(void *data)
{
    const waiting_t *w = data;
    queue_t *q = w->queue;

    if (cat_permits_take(q->permits, 1, apr_time_now() + PATIENCE) == APR_SUCCESS) {
        pthread_mutex_lock(&q->mutex);
        q->served[q->count++] = w->number;
        pthread_mutex_unlock(&q->mutex);
        cat_permits_give_back(q->permits);
    }
    return NULL;
}

static int count_waiting(cat_permits_t *permits)
{
    int count = 0;

    apr_thread_mutex_lock(permits->mutex);
    for (const waiter_t *waiter = permits->first; waiter; waiter = waiter->next) {
        count++;
    }
    apr_thread_mutex_unlock(permits->mutex);
    return count;
}

static void await_waiting(cat_permits_t *permits, int count)
{
    while (count_waiting(permits) < count) {
        apr_sleep(apr_time_from_msec(1));
    }
}

static void test_first_come_first_served(void **state)
{
    queue_t q = {.permits = make_permits(*state), .mutex = PTHREAD_MUTEX_INITIALIZER};
    waiting_t waiting[WAITERS];
    int inversions = 0;

    assert_int_equal(cat_permits_take(q.permits, 1, apr_time_now()), APR_SUCCESS);
    for (int i = 0; i < WAITERS; i++) {
        waiting[i] = (waiting_t){.queue = &q, .number = i};
        assert_int_equal(pthread_create(&waiting[i].thread, NULL, wait_and_note, &waiting[i]), 0);
        await_waiting(q.permits, i + 1);
    }
    cat_permits_give_back(q.permits);
    /* This thread is served after all of them, although the permit is free for a moment after each. */
    assert_int_equal(cat_permits_take(q.permits, 1, apr_time_now() + PATIENCE), APR_SUCCESS);
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(waiting[i].thread, NULL);
    }
    assert_int_equal(q.count, WAITERS);
    for (int i = 1; i < WAITERS; i++) {
        inversions += q.served[i] < q.served[i - 1];
    }
    assert_int_equal(inversions, 0);
}

static void *take_the_last(void *permits)
{
    return (void *)(intptr_t)(cat_permits_take(permits, 2, apr_time_now() + PATIENCE) == APR_SUCCESS);
}

/* A permit is kept for those who may have more, and they do not wait for the others. */
static void test_who_may_have_more_goes_first(void **state)
{
    queue_t q = {.permits = make_permits(*state), .mutex = PTHREAD_MUTEX_INITIALIZER};
    waiting_t waiting = {.queue = &q};
    pthread_t first;
    void *is_served;

    assert_int_equal(cat_permits_take(q.permits, 1, apr_time_now()), APR_SUCCESS);
    assert_int_equal(pthread_create(&waiting.thread, NULL, wait_and_note, &waiting), 0);
    await_waiting(q.permits, 1);
    assert_int_equal(cat_permits_take(q.permits, 2, apr_time_now()), APR_SUCCESS);
    assert_int_equal(pthread_create(&first, NULL, take_the_last, q.permits), 0);
    await_waiting(q.permits, 2);
    cat_permits_give_back(q.permits);
    pthread_join(first, &is_served);
    assert_true(is_served);
    assert_int_equal(count_waiting(q.permits), 1);
    cat_permits_give_back(q.permits);
    cat_permits_give_back(q.permits);
    pthread_join(waiting.thread, NULL);
    assert_int_equal(q.count, 1);
}

static void test_a_waiter_that_gives_up_delays_no_other(void **state)
{
    queue_t q = {.permits = make_permits(*state), .mutex = PTHREAD_MUTEX_INITIALIZER};
    waiting_t waiting = {.queue = &q};

    assert_int_equal(cat_permits_take(q.permits, 1, apr_time_now()), APR_SUCCESS);
    assert_int_equal(cat_permits_take(q.permits, 1, apr_time_now() + apr_time_from_msec(20)), APR_TIMEUP);
    assert_int_equal(pthread_create(&waiting.thread, NULL, wait_and_note, &waiting), 0);
    await_waiting(q.permits, 1);
    assert_int_equal(cat_permits_take(q.permits, 1, apr_time_now() + apr_time_from_msec(20)), APR_TIMEUP);
    cat_permits_give_back(q.permits);
    pthread_join(waiting.thread, NULL);
    assert_int_equal(q.count, 1);
    assert_int_equal(cat_permits_take(q.permits, 1, apr_time_now()), APR_SUCCESS);
}

static void test_try_takes_what_is_free(void **state)
{
    cat_permits_t *permits;

    assert_int_equal(cat_permits_create(&permits, *state), APR_SUCCESS);
    assert_true(cat_permits_try(permits, 2));
    assert_true(cat_permits_try(permits, 2));
    assert_false(cat_permits_try(permits, 2));
    assert_true(cat_permits_try(permits, 3));
    cat_permits_give_back(permits);
    assert_false(cat_permits_try(permits, 2));
    cat_permits_give_back(permits);
    assert_true(cat_permits_try(permits, 2));
    assert_int_equal(count_waiting(permits), 0);
}

/* ---- many threads ---- */

typedef struct crowd_t {
    cat_permits_t *permits;
    pthread_mutex_t mutex;
    int inside, most, passed;
} crowd_t;

static void *pass_often(void *data)
{
    crowd_t *c = data;

    for (int i = 0; i < ROUNDS; i++) {
        if (cat_permits_take(c->permits, LIMIT, apr_time_now() + PATIENCE) != APR_SUCCESS) {
            break;
        }
        pthread_mutex_lock(&c->mutex);
        c->passed++;
        c->inside++;
        c->most = c->inside > c->most ? c->inside : c->most;
        pthread_mutex_unlock(&c->mutex);
        pthread_mutex_lock(&c->mutex);
        c->inside--;
        pthread_mutex_unlock(&c->mutex);
        cat_permits_give_back(c->permits);
    }
    return NULL;
}

static void test_limit_holds_for_many_threads(void **state)
{
    crowd_t crowd = {.permits = make_permits(*state), .mutex = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, pass_often, &crowd), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(crowd.passed, THREADS * ROUNDS);
    assert_in_range(crowd.most, 1, LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_try_takes_what_is_free),       UNIT_TEST(test_permits_are_limited),
        UNIT_TEST(test_first_come_first_served),      UNIT_TEST(test_a_waiter_that_gives_up_delays_no_other),
        UNIT_TEST(test_limit_holds_for_many_threads), UNIT_TEST(test_who_may_have_more_goes_first),
    };
    return UNIT_RUN(tests);
}
