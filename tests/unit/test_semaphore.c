/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm/semaphore.h"

#define SECOND APR_USEC_PER_SEC
#define MSEC(n) apr_time_from_msec(n)

enum { SLOTS = 3, PROCESSES = 4, THREADS = 8, ROUNDS = 50, QUEUE = PROCESSES * THREADS };

/* What the forked processes count together. */
typedef struct counts_t {
    atomic_int inside, most, at[SLOTS + QUEUE], passed, wrong;
} counts_t;

static cat_semaphore_t *make(void **state, int slots, int queue)
{
    cat_semaphore_t *semaphore;
    assert_int_equal(cat_semaphore_create(&semaphore, *state, &(cat_semaphore_size_t){slots, queue, 0}), APR_SUCCESS);
    return semaphore;
}

/* A thread that enters, holds its slot until it is told to go, and leaves. */
typedef struct visitor_t {
    cat_semaphore_t *semaphore;
    const char *party;
    apr_interval_time_t patience;
    _Atomic apr_interval_time_t waited; /* 0: is still waiting */
    apr_status_t rv;
    atomic_int began, inside, told_to_go;
    atomic_int *clock;
    int entered; /* the clock's count on entry, if there is a clock */
    pthread_t thread;
} visitor_t;

static void set(atomic_int *flag)
{
    atomic_store_explicit(flag, 1, memory_order_seq_cst);
}

static void await(const atomic_int *flag)
{
    while (!atomic_load_explicit(flag, memory_order_seq_cst)) {
        apr_sleep(MSEC(1));
    }
}

static void *visit(void *data)
{
    visitor_t *v = data;
    apr_time_t start = apr_time_now();
    int slot;

    set(&v->began);
    v->rv = cat_semaphore_enter(v->semaphore, v->party, v->patience, &slot);
    v->waited = apr_time_now() - start;
    if (v->rv == APR_SUCCESS) {
        if (v->clock) {
            v->entered = atomic_fetch_add_explicit(v->clock, 1, memory_order_seq_cst) + 1;
            apr_sleep(MSEC(100)); /* meanwhile the party's next visitor moves up to the slot */
        }
        set(&v->inside);
        await(&v->told_to_go);
        cat_semaphore_leave(v->semaphore, slot);
    }
    return NULL;
}

static void start(visitor_t *v, cat_semaphore_t *semaphore, apr_interval_time_t patience, int told_to_go)
{
    *v = (visitor_t){.semaphore = semaphore, .patience = patience, .told_to_go = told_to_go};
    pthread_create(&v->thread, NULL, visit, v);
}

static void start_holder(visitor_t *v, cat_semaphore_t *semaphore)
{
    start(v, semaphore, 0, 0);
    await(&v->inside);
}

/* Starts a visitor that leaves as soon as it has entered, and gives it time to begin waiting. */
static void start_waiter(visitor_t *v, cat_semaphore_t *semaphore, apr_interval_time_t patience)
{
    start(v, semaphore, patience, 1);
    apr_sleep(MSEC(200));
}

static void end(visitor_t *v)
{
    set(&v->told_to_go);
    pthread_join(v->thread, NULL);
}

static void test_each_holder_has_its_own_slot(void **state)
{
    cat_semaphore_t *semaphore = make(state, 2, 0);
    int first, second, third;

    assert_int_equal(cat_semaphore_enter(semaphore, NULL, 0, &first), APR_SUCCESS);
    assert_int_equal(cat_semaphore_enter(semaphore, NULL, 0, &second), APR_SUCCESS);
    assert_int_not_equal(first, second);
    assert_int_equal(cat_semaphore_enter(semaphore, NULL, SECOND, &third), APR_EAGAIN);
    cat_semaphore_leave(semaphore, first);
    assert_int_equal(cat_semaphore_enter(semaphore, NULL, 0, &third), APR_SUCCESS);
    assert_int_equal(third, first);
    cat_semaphore_leave(semaphore, second);
    cat_semaphore_leave(semaphore, third);
}

static void test_full_queue_refuses_at_once(void **state)
{
    cat_semaphore_t *semaphore = make(state, 1, 1);
    visitor_t holder, waiter, late;

    start_holder(&holder, semaphore);
    start_waiter(&waiter, semaphore, 60 * SECOND);
    start_waiter(&late, semaphore, 10 * SECOND);
    end(&late);
    assert_int_equal(late.rv, APR_EAGAIN);
    assert_true(late.waited < 5 * SECOND);
    end(&holder);
    end(&waiter);
    assert_int_equal(waiter.rv, APR_SUCCESS);
}

static void test_waiting_has_a_timeout(void **state)
{
    cat_semaphore_t *semaphore = make(state, 1, 1);
    visitor_t holder, waiter;

    start_holder(&holder, semaphore);
    for (int i = 0; i < 3; i++) { /* each frees its position in the queue */
        start_waiter(&waiter, semaphore, MSEC(50));
        end(&waiter);
        assert_int_equal(waiter.rv, APR_EAGAIN);
        assert_true(waiter.waited >= MSEC(50));
        start_waiter(&waiter, semaphore, 0);
        end(&waiter);
        assert_int_equal(waiter.rv, APR_EAGAIN);
    }
    end(&holder);
    start_waiter(&waiter, semaphore, 0);
    end(&waiter);
    assert_int_equal(waiter.rv, APR_SUCCESS);
}

/* Starts a visitor of a party; returns whether it was admitted to the queue. */
static int start_party(visitor_t *v, cat_semaphore_t *semaphore, const char *party)
{
    *v = (visitor_t){.semaphore = semaphore, .party = party, .patience = 60 * SECOND, .told_to_go = 1};
    pthread_create(&v->thread, NULL, visit, v);
    await(&v->began); /* may take a while on a busy machine */
    apr_sleep(MSEC(200));
    return atomic_load_explicit(&v->waited, memory_order_seq_cst) == 0; /* a refusal comes at once */
}

static void test_a_process_that_must_stop_does_not_wait(void **state)
{
    cat_semaphore_t *semaphore = make(state, 1, 1);
    visitor_t holder, waiter;
    sigset_t term, before;
    int signal;

    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, &before);
    start_holder(&holder, semaphore);
    start_waiter(&waiter, semaphore, 60 * SECOND);
    kill(getpid(), SIGTERM);
    pthread_join(waiter.thread, NULL);
    sigwait(&term, &signal);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(waiter.rv, APR_EAGAIN);
    assert_true(waiter.waited < 30 * SECOND);
    end(&holder);
}

static void test_a_party_leaves_room_for_others(void **state)
{
    enum { LENGTH = 8, VISITORS = LENGTH + 6 };
    static const struct {
        const char *party;
        int many, admitted;
    } arrivals[] = {{"flood", 7, 4}, {"second", 3, 2}, {"third", 2, 1}, {"owner", 1, 1}, {"late", 1, 0}};
    cat_semaphore_t *semaphore = make(state, 1, LENGTH);
    visitor_t holder, visitors[VISITORS];
    int count = 0;

    start_holder(&holder, semaphore);
    for (size_t i = 0; i < UNIT_COUNT(arrivals); i++) {
        for (int j = 0; j < arrivals[i].many; j++) {
            start_party(&visitors[count++], semaphore, arrivals[i].party);
        }
    }
    assert_int_equal(count, VISITORS);
    end(&holder);
    for (int i = 0; i < count; i++) {
        end(&visitors[i]);
    }
    for (size_t i = 0, next = 0; i < UNIT_COUNT(arrivals); i++) { /* who was admitted has entered since */
        int admitted = 0;
        for (int j = 0; j < arrivals[i].many; j++) {
            admitted += visitors[next++].rv == APR_SUCCESS;
        }
        assert_int_equal(admitted, arrivals[i].admitted);
    }
}

/* The first visitor of each party enters, then the second of each, and so on. */
static void test_parties_take_turns(void **state)
{
    static const char *const parties[] = {"flood", "flood", "flood", "owner", "flood", "second", "owner"};
    static const int turns[] = {1, 4, 6, 2, 7, 3, 5};
    cat_semaphore_t *semaphore = make(state, 1, 16);
    visitor_t holder, visitors[UNIT_COUNT(parties)];
    atomic_int clock = 0;

    start_holder(&holder, semaphore);
    for (size_t i = 0; i < UNIT_COUNT(parties); i++) {
        assert_true(start_party(&visitors[i], semaphore, parties[i]));
        visitors[i].clock = &clock;
    }
    end(&holder);
    for (size_t i = 0; i < UNIT_COUNT(parties); i++) {
        end(&visitors[i]);
    }
    for (size_t i = 0; i < UNIT_COUNT(parties); i++) {
        assert_int_equal(visitors[i].entered, turns[i]);
    }
}

/* One slot of two is left to parties that have none. */
static void test_last_slots_are_for_parties_that_have_none(void **state)
{
    cat_semaphore_t *semaphore;
    visitor_t flood, owner;
    int first, second;

    assert_int_equal(cat_semaphore_create(&semaphore, *state, &(cat_semaphore_size_t){2, 8, 1}), APR_SUCCESS);
    assert_int_equal(cat_semaphore_enter(semaphore, "flood", 0, &first), APR_SUCCESS);
    assert_true(start_party(&flood, semaphore, "flood"));
    start_party(&owner, semaphore, "owner"); /* does not wait: the other slot is still taken */
    end(&owner);
    assert_int_equal(owner.rv, APR_SUCCESS);
    assert_true(owner.waited < 10 * SECOND);
    assert_int_equal(cat_semaphore_enter(semaphore, "owner", 0, &second), APR_SUCCESS);
    cat_semaphore_leave(semaphore, first);
    end(&flood);
    assert_int_equal(flood.rv, APR_SUCCESS);
    cat_semaphore_leave(semaphore, second);
}

static void *storm(void *data)
{
    void **both = data;
    counts_t *counts = both[1];

    for (int i = 0; i < ROUNDS; i++) {
        int slot, inside, most;
        if (cat_semaphore_enter(both[0], NULL, 60 * SECOND, &slot) != APR_SUCCESS) {
            atomic_fetch_add_explicit(&counts->wrong, 1, memory_order_seq_cst);
            continue;
        }
        inside = atomic_fetch_add_explicit(&counts->inside, 1, memory_order_seq_cst) + 1;
        most = atomic_load_explicit(&counts->most, memory_order_seq_cst);
        while (inside > most && !atomic_compare_exchange_strong_explicit(&counts->most, &most, inside,
                                                                         memory_order_seq_cst, memory_order_seq_cst)) {
        }
        if (atomic_exchange_explicit(&counts->at[slot], 1, memory_order_seq_cst)) {
            atomic_fetch_add_explicit(&counts->wrong, 1, memory_order_seq_cst);
        }
        apr_sleep(100);
        atomic_store_explicit(&counts->at[slot], 0, memory_order_seq_cst);
        atomic_fetch_sub_explicit(&counts->inside, 1, memory_order_seq_cst);
        atomic_fetch_add_explicit(&counts->passed, 1, memory_order_seq_cst);
        cat_semaphore_leave(both[0], slot);
    }
    return NULL;
}

static void storm_in_a_child(cat_semaphore_t *semaphore, counts_t *counts)
{
    pthread_t threads[THREADS];
    void *both[] = {semaphore, counts};

    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, storm, both);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    _exit(0);
}

static void test_limit_holds_for_many_threads_in_many_processes(void **state)
{
    counts_t *counts = unit_memory(*state, sizeof(*counts));
    pid_t children[PROCESSES];
    cat_semaphore_t *semaphore;

    assert_int_equal(cat_semaphore_create(&semaphore, *state, &(cat_semaphore_size_t){SLOTS, QUEUE, 0}), APR_SUCCESS);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            storm_in_a_child(semaphore, counts);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(counts->passed, PROCESSES * THREADS * ROUNDS);
    assert_int_equal(counts->wrong, 0);
    assert_int_equal(counts->most, SLOTS);
}

/* Forks. Returns 0 in the child, and in the parent the child's id, once the child has written to ready. */
static pid_t fork_child(int ready[2])
{
    pid_t child;
    char said;

    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        return 0;
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &said, 1), 1);
    close(ready[0]);
    return child;
}

static pid_t fork_holder(cat_semaphore_t *semaphore)
{
    int ready[2], slot;
    pid_t child = fork_child(ready);

    if (child == 0) {
        if (cat_semaphore_enter(semaphore, NULL, 60 * SECOND, &slot) == APR_SUCCESS && write(ready[1], "x", 1) == 1) {
            pause();
        }
        _exit(1);
    }
    return child;
}

static pid_t fork_waiter(cat_semaphore_t *semaphore, const char *party)
{
    int ready[2], slot;
    pid_t child = fork_child(ready);

    if (child == 0) {
        _exit(write(ready[1], "x", 1) != 1 || cat_semaphore_enter(semaphore, party, 60 * SECOND, &slot) != APR_SUCCESS);
    }
    apr_sleep(MSEC(200));
    return child;
}

static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void test_killed_holder_frees_its_slot(void **state)
{
    cat_semaphore_t *semaphore = make(state, 1, 0);

    for (int i = 0; i < 20; i++) {
        pid_t child = fork_holder(semaphore);
        int slot;

        assert_int_equal(cat_semaphore_enter(semaphore, NULL, 0, &slot), APR_EAGAIN);
        end_child(child);
        assert_int_equal(cat_semaphore_enter(semaphore, NULL, 0, &slot), APR_SUCCESS);
        cat_semaphore_leave(semaphore, slot);
    }
}

static void test_killed_holder_lets_the_next_in(void **state)
{
    cat_semaphore_t *semaphore = make(state, 1, 1);
    pid_t child = fork_holder(semaphore);
    visitor_t waiter;

    start_waiter(&waiter, semaphore, 60 * SECOND);
    end_child(child);
    end(&waiter);
    assert_int_equal(waiter.rv, APR_SUCCESS);
    assert_true(waiter.waited >= MSEC(100) && waiter.waited < 30 * SECOND);
}

static void test_killed_waiter_keeps_no_slot(void **state)
{
    cat_semaphore_t *semaphore = make(state, 1, 1);
    int slot;

    assert_int_equal(cat_semaphore_enter(semaphore, NULL, 0, &slot), APR_SUCCESS);
    end_child(fork_waiter(semaphore, NULL));
    cat_semaphore_leave(semaphore, slot);
    assert_int_equal(cat_semaphore_enter(semaphore, NULL, 0, &slot), APR_SUCCESS);
    cat_semaphore_leave(semaphore, slot);
}

/* The next waiters take other positions of the queue than the killed ones had, so they do not reuse those. */
static void test_killed_waiters_use_up_no_share(void **state)
{
    enum { LENGTH = 8, OTHERS = 2, KILLED = 3, SHARE = LENGTH / 2 };
    cat_semaphore_t *semaphore = make(state, 1, LENGTH);
    visitor_t holder, others[OTHERS], waiters[SHARE];
    pid_t children[KILLED];

    start_holder(&holder, semaphore);
    for (int i = 0; i < OTHERS; i++) {
        assert_true(start_party(&others[i], semaphore, "another"));
    }
    for (int i = 0; i < KILLED; i++) {
        children[i] = fork_waiter(semaphore, "party");
    }
    for (int i = 0; i < KILLED; i++) {
        end_child(children[i]);
    }
    end(&holder);
    for (int i = 0; i < OTHERS; i++) {
        end(&others[i]);
    }
    start_holder(&holder, semaphore);
    for (int i = 0; i < SHARE; i++) {
        assert_true(start_party(&waiters[i], semaphore, "party"));
    }
    end(&holder);
    for (int i = 0; i < SHARE; i++) {
        end(&waiters[i]);
    }
}

/* At a graceful restart, the parent destroys its pool while a child of the old generation still uses the semaphore. */
static void test_semaphore_outlives_the_parents_pool(void **state)
{
    apr_pool_t *generation;
    cat_semaphore_t *semaphore;
    int ready[2], gone[2], status;
    pid_t child;

    apr_pool_create(&generation, *state);
    assert_int_equal(cat_semaphore_create(&semaphore, generation, &(cat_semaphore_size_t){1, 0, 0}), APR_SUCCESS);
    assert_int_equal(pipe(gone), 0);
    child = fork_child(ready);
    if (child == 0) {
        int slot, other;
        char none;
        close(gone[1]);
        _exit(write(ready[1], "x", 1) != 1 || read(gone[0], &none, 1) != 0 ||
              cat_semaphore_enter(semaphore, NULL, 0, &slot) != APR_SUCCESS ||
              cat_semaphore_enter(semaphore, NULL, 0, &other) != APR_EAGAIN);
    }
    close(gone[0]);
    apr_pool_destroy(generation);
    close(gone[1]);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_holder_has_its_own_slot),
        UNIT_TEST(test_full_queue_refuses_at_once),
        UNIT_TEST(test_waiting_has_a_timeout),
        UNIT_TEST(test_a_process_that_must_stop_does_not_wait),
        UNIT_TEST(test_a_party_leaves_room_for_others),
        UNIT_TEST(test_parties_take_turns),
        UNIT_TEST(test_last_slots_are_for_parties_that_have_none),
        UNIT_TEST(test_limit_holds_for_many_threads_in_many_processes),
        UNIT_TEST(test_killed_holder_frees_its_slot),
        UNIT_TEST(test_killed_holder_lets_the_next_in),
        UNIT_TEST(test_killed_waiter_keeps_no_slot),
        UNIT_TEST(test_killed_waiters_use_up_no_share),
        UNIT_TEST(test_semaphore_outlives_the_parents_pool),
    };
    return UNIT_RUN(tests);
}
