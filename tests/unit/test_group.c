/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>

#include "db/pool/group.h"

#define MSEC(n) apr_time_from_msec(n)
#define LONG apr_time_from_sec(60)

enum { THREADS = 16, ROUNDS = 300, MOST = 5 };

static cat_group_t *make(void **state)
{
    cat_group_t *group;
    assert_int_equal(cat_group_create(&group, *state), APR_SUCCESS);
    return group;
}

static cat_group_state_t join(cat_group_t *group, cat_group_item_t *item, apr_interval_time_t patience)
{
    return cat_group_join(group, item, apr_time_now() + patience);
}

/* A thread that joins the group. If it becomes the leader, it leaves at once. */
typedef struct member_t {
    cat_group_item_t item;
    cat_group_t *group;
    apr_interval_time_t patience;
    cat_group_state_t state;
    atomic_int is_back;
    pthread_t thread;
} member_t;

static void *be_member(void *data)
{
    member_t *m = data;

    m->state = join(m->group, &m->item, m->patience);
    atomic_store_explicit(&m->is_back, 1, memory_order_seq_cst);
    if (m->state == CAT_GROUP_LEADER) {
        cat_group_leave(m->group, &m->item);
    }
    return NULL;
}

static int is_back(const member_t *m)
{
    return atomic_load_explicit(&m->is_back, memory_order_seq_cst);
}

/* Starts a member that waits for a leader, or whose patience has ended meanwhile. */
static void start_of(member_t *m, cat_group_t *group, apr_interval_time_t patience, int more)
{
    int waiting = cat_group_count_waiting(group);

    *m = (member_t){.item.more = more, .group = group, .patience = patience};
    pthread_create(&m->thread, NULL, be_member, m);
    while (cat_group_count_waiting(group) == waiting && !is_back(m)) {
        apr_sleep(MSEC(1));
    }
}

static void start(member_t *m, cat_group_t *group, apr_interval_time_t patience)
{
    start_of(m, group, patience, 0);
}

static cat_group_state_t end(member_t *m)
{
    pthread_join(m->thread, NULL);
    return m->state;
}

static void test_single_thread_is_leader(void **state)
{
    cat_group_t *group = make(state);
    cat_group_item_t item = {0};

    for (int i = 0; i < 3; i++) {
        assert_int_equal(join(group, &item, 0), CAT_GROUP_LEADER);
        cat_group_collect(group, &item, MOST);
        assert_null(item.next);
        cat_group_leave(group, &item);
    }
}

/* A leader, and three threads that join after it. */
static void lead_three(cat_group_t *group, cat_group_item_t *own, member_t members[3])
{
    assert_int_equal(join(group, own, 0), CAT_GROUP_LEADER);
    for (int i = 0; i < 3; i++) {
        start(&members[i], group, LONG);
    }
}

static void test_others_sleep_until_the_leader_leaves(void **state)
{
    cat_group_t *group = make(state);
    cat_group_item_t own = {0};
    member_t members[3];

    lead_three(group, &own, members);
    cat_group_collect(group, &own, MOST);
    assert_ptr_equal(own.next, &members[0].item);
    assert_ptr_equal(own.next->next, &members[1].item);
    assert_ptr_equal(own.next->next->next, &members[2].item);
    assert_null(own.next->next->next->next);
    apr_sleep(MSEC(100));
    for (int i = 0; i < 3; i++) {
        assert_false(is_back(&members[i]));
    }
    cat_group_leave(group, &own);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(end(&members[i]), CAT_GROUP_DONE);
    }
    assert_int_equal(join(group, &own, 0), CAT_GROUP_LEADER);
}

static void test_next_in_line_becomes_leader(void **state)
{
    cat_group_t *group = make(state);
    cat_group_item_t own = {0};
    member_t members[3];

    lead_three(group, &own, members);
    cat_group_collect(group, &own, 1);
    cat_group_leave(group, &own);
    assert_int_equal(end(&members[0]), CAT_GROUP_DONE);
    assert_int_equal(end(&members[1]), CAT_GROUP_LEADER);
    assert_int_equal(end(&members[2]), CAT_GROUP_LEADER); /* the leader before it collected nothing */
}

static void test_large_writes_are_counted(void **state)
{
    cat_group_t *group = make(state);
    cat_group_item_t own = {0};
    member_t members[3];

    assert_int_equal(join(group, &own, 0), CAT_GROUP_LEADER);
    for (int i = 0; i < 3; i++) {
        start_of(&members[i], group, LONG, i == 1 ? 3 : 0); /* the second counts as four */
    }
    cat_group_collect(group, &own, 4);
    assert_ptr_equal(own.next, &members[0].item);
    assert_null(members[0].item.next);
    cat_group_leave(group, &own);
    assert_int_equal(end(&members[0]), CAT_GROUP_DONE);
    assert_int_equal(end(&members[1]), CAT_GROUP_LEADER);
    assert_int_equal(end(&members[2]), CAT_GROUP_LEADER);

    assert_int_equal(join(group, &own, 0), CAT_GROUP_LEADER);
    start_of(&members[0], group, LONG, 0);
    cat_group_collect(group, &own, -3);
    assert_null(own.next);
    cat_group_collect(group, &own, 1);
    assert_ptr_equal(own.next, &members[0].item);
    cat_group_leave(group, &own);
    assert_int_equal(end(&members[0]), CAT_GROUP_DONE);
}

static void test_waiting_has_a_timeout(void **state)
{
    cat_group_t *group = make(state);
    cat_group_item_t own = {0};
    member_t first, hasty, last;

    assert_int_equal(join(group, &own, 0), CAT_GROUP_LEADER);
    start(&first, group, LONG);
    start(&hasty, group, MSEC(50));
    assert_int_equal(end(&hasty), CAT_GROUP_WAITING);
    start(&last, group, LONG);
    start(&hasty, group, 0);
    assert_int_equal(end(&hasty), CAT_GROUP_WAITING);
    cat_group_collect(group, &own, MOST);
    assert_ptr_equal(own.next, &first.item);
    assert_ptr_equal(first.item.next, &last.item);
    assert_null(last.item.next);
    cat_group_leave(group, &own);
    assert_int_equal(end(&first), CAT_GROUP_DONE);
    assert_int_equal(end(&last), CAT_GROUP_DONE);
}

/* Returns 0 if the member gave up first, as it may on a busy machine. */
static int take_member(cat_group_t *group, cat_group_item_t *own, member_t *m)
{
    own->next = NULL;
    do {
        cat_group_collect(group, own, MOST);
        apr_sleep(MSEC(1));
    } while (!own->next && !is_back(m));
    return own->next != NULL;
}

static void test_collected_item_waits_for_its_leader(void **state)
{
    cat_group_t *group = make(state);
    cat_group_item_t own = {0};
    member_t hasty;
    apr_interval_time_t patience = MSEC(200);

    assert_int_equal(join(group, &own, 0), CAT_GROUP_LEADER);
    for (start(&hasty, group, patience); !take_member(group, &own, &hasty); start(&hasty, group, patience)) {
        end(&hasty);
        patience *= 2;
    }
    apr_sleep(patience); /* the member joined earlier, so its patience has ended */
    apr_sleep(MSEC(50));
    assert_false(is_back(&hasty));
    cat_group_leave(group, &own);
    assert_int_equal(end(&hasty), CAT_GROUP_DONE);
}

/* ---- many threads ---- */

typedef struct job_t {
    cat_group_item_t item;
    int runs;
} job_t;

typedef struct counts_t {
    cat_group_t *group;
    atomic_int leaders, led, done, gave_up, wrong;
} counts_t;

static void count(atomic_int *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_seq_cst);
}

static void lead(counts_t *counts, job_t *own)
{
    int jobs = 0;

    if (atomic_exchange_explicit(&counts->leaders, 1, memory_order_seq_cst)) {
        count(&counts->wrong);
    }
    cat_group_collect(counts->group, &own->item, MOST);
    for (job_t *job = own; job; job = (job_t *)job->item.next) {
        job->runs++;
        jobs++;
    }
    if (jobs > MOST + 1) {
        count(&counts->wrong);
    }
    apr_sleep(20); /* other threads join meanwhile */
    count(&counts->led);
    atomic_store_explicit(&counts->leaders, 0, memory_order_seq_cst);
    cat_group_leave(counts->group, &own->item);
}

/* In every eighth round, the thread waits for 50 microseconds only. */
static void *storm(void *data)
{
    counts_t *counts = data;

    for (int i = 0; i < ROUNDS; i++) {
        job_t job = {.runs = 0};
        cat_group_state_t state = join(counts->group, &job.item, i % 8 ? LONG : 50);
        if (state == CAT_GROUP_LEADER) {
            lead(counts, &job);
        }
        if (job.runs != (state != CAT_GROUP_WAITING)) {
            count(&counts->wrong);
        }
        count(state == CAT_GROUP_WAITING ? &counts->gave_up : &counts->done);
    }
    return NULL;
}

static void test_each_job_of_many_threads_runs_once(void **state)
{
    counts_t counts = {.group = make(state)};
    pthread_t threads[THREADS];
    cat_group_item_t last = {0};

    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, storm, &counts);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(counts.wrong, 0);
    assert_int_equal(counts.done + counts.gave_up, THREADS * ROUNDS);
    assert_true(counts.led < counts.done && counts.gave_up > 0);
    assert_int_equal(join(counts.group, &last, 0), CAT_GROUP_LEADER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_single_thread_is_leader),
        UNIT_TEST(test_others_sleep_until_the_leader_leaves),
        UNIT_TEST(test_next_in_line_becomes_leader),
        UNIT_TEST(test_large_writes_are_counted),
        UNIT_TEST(test_waiting_has_a_timeout),
        UNIT_TEST(test_collected_item_waits_for_its_leader),
        UNIT_TEST(test_each_job_of_many_threads_runs_once),
    };
    return UNIT_RUN(tests);
}
