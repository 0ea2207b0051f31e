/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <pthread.h>

#include <apr_strings.h>

#include "shm/generations.h"

static const char one[] = "01a1fd8d-47a8-77ac-9778-38d2c78c295b";

static cat_generations_t *make_fresh(apr_pool_t *pool)
{
    return cat_generations_find(apr_pcalloc(pool, cat_generations_size()), "sqlite3 /x.db");
}

static int is_good(const cat_generations_t *fresh, const char *id, cat_ticket_t ticket)
{
    cat_ticket_t now = cat_generations_draw(fresh, id);

    return now.epoch == ticket.epoch && now.generation == ticket.generation;
}

static void test_each_database_has_its_own(void **state)
{
    void *memory = apr_pcalloc(*state, cat_generations_size());
    cat_generations_t *a = cat_generations_find(memory, "a"), *b = cat_generations_find(memory, "b");

    assert_ptr_not_equal(a, b);
    assert_ptr_equal(cat_generations_find(memory, "a"), a);
    for (int i = 0; i < 62; i++) {
        assert_non_null(cat_generations_find(memory, apr_itoa(*state, i)));
    }
    assert_null(cat_generations_find(memory, "one too many"));
    assert_ptr_equal(cat_generations_find(memory, "b"), b);
}

static void test_a_mark_voids_what_changed(void **state)
{
    cat_generations_t *fresh = make_fresh(*state);
    cat_ticket_t product = cat_generations_draw(fresh, one), list = cat_generations_draw(fresh, NULL);

    assert_true(is_good(fresh, one, product) && is_good(fresh, NULL, list));
    cat_generations_mark(fresh, NULL);
    assert_true(is_good(fresh, one, product) && !is_good(fresh, NULL, list));
    list = cat_generations_draw(fresh, NULL);
    cat_generations_mark(fresh, one);
    assert_false(is_good(fresh, one, product) || is_good(fresh, NULL, list));
    list = cat_generations_draw(fresh, NULL);
    product = cat_generations_draw(fresh, one);
    cat_generations_forget(fresh);
    assert_false(is_good(fresh, one, product) || is_good(fresh, NULL, list));
}

/* Of a thousand products, few go with the one that changed. */
static void test_a_mark_leaves_others(void **state)
{
    cat_generations_t *fresh = make_fresh(*state);
    cat_ticket_t ticket = cat_generations_draw(fresh, one);
    int good = 0;

    cat_generations_mark(fresh, one);
    for (int i = 0; i < 1000; i++) {
        good += is_good(fresh, apr_psprintf(*state, "01a1fd8d-47a8-77ac-9778-38d2c78c%04x", i), ticket);
    }
    assert_in_range(good, 995, 1000);
}

static void test_own_commits_leave_the_epoch(void **state)
{
    cat_generations_t *fresh = make_fresh(*state);
    cat_ticket_t ticket = cat_generations_draw(fresh, one);

    for (apr_uint64_t i = 0; i < 3; i++) {
        cat_generations_begin(fresh, i);
        cat_generations_commit(fresh);
        assert_false(cat_generations_settle(fresh, i, i + 1)); /* it is about to be told whose it is */
        cat_generations_end(fresh, i, i + 1);
        assert_int_equal(cat_generations_seen(fresh), i + 1);
    }
    assert_false(cat_generations_settle(fresh, 2, 3)); /* looked at before it was told */
    assert_true(is_good(fresh, one, ticket));
}

static void test_strangers_commits_start_an_epoch(void **state)
{
    cat_generations_t *fresh = make_fresh(*state);
    cat_ticket_t ticket = cat_generations_draw(fresh, one);

    assert_true(cat_generations_settle(fresh, 0, 1)); /* found by a reader */
    assert_int_equal(cat_generations_seen(fresh), 1);
    assert_false(is_good(fresh, one, ticket));

    ticket = cat_generations_draw(fresh, one);
    cat_generations_begin(fresh, 2); /* found by a writer */
    assert_int_equal(cat_generations_seen(fresh), 2);
    assert_false(is_good(fresh, one, ticket));

    ticket = cat_generations_draw(fresh, one);
    cat_generations_commit(fresh); /* together with one of ours */
    cat_generations_end(fresh, 2, 2);
    assert_int_equal(cat_generations_seen(fresh), 2);
    assert_true(cat_generations_settle(fresh, 2, 4));
    assert_false(is_good(fresh, one, ticket));
}

/* Two that do not take turns, as in a graceful restart: who comes second has started an epoch, and the first one is too late. */
static void test_two_writers_at_once(void **state)
{
    cat_generations_t *fresh = make_fresh(*state);
    cat_ticket_t ticket = cat_generations_draw(fresh, one);

    cat_generations_begin(fresh, 0);
    cat_generations_commit(fresh);
    cat_generations_begin(fresh, 1);
    assert_false(is_good(fresh, one, ticket));
    cat_generations_commit(fresh);
    cat_generations_end(fresh, 1, 2);
    cat_generations_end(fresh, 0, 1);
    assert_int_equal(cat_generations_seen(fresh), 2);
}

/* Who dies between its commit and the end is taken for a stranger, in a while. */
static void test_a_dead_writer(void **state)
{
    cat_generations_t *fresh = make_fresh(*state);
    cat_ticket_t ticket = cat_generations_draw(fresh, one);
    apr_time_t start = apr_time_now();

    cat_generations_begin(fresh, 0);
    cat_generations_commit(fresh);
    while (!cat_generations_settle(fresh, 0, 1)) {
        apr_sleep(apr_time_from_msec(10));
    }
    assert_in_range(apr_time_now() - start, apr_time_from_msec(900), apr_time_from_sec(20));
    assert_false(is_good(fresh, one, ticket));
}

/* ---- at once ---- */

#define COMMITS 20000

typedef struct base_t {
    cat_generations_t *fresh;
    apr_uint64_t state; /* what a database would tell */
    apr_uint64_t value; /* what it holds */
    int wrong, found;
    int done;
} base_t;

/* Ours, but for each hundredth, of which nobody hears. */
static void *write_all(void *baton)
{
    base_t *b = baton;

    for (apr_uint64_t i = 0; i < COMMITS || __atomic_load_n(&b->found, __ATOMIC_RELAXED) < COMMITS; i++) {
        int is_strange = i % 100 == 0;
        if (!is_strange) {
            cat_generations_begin(b->fresh, i);
            cat_generations_commit(b->fresh);
        }
        __atomic_store_n(&b->value, i + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&b->state, i + 1, __ATOMIC_RELEASE);
        if (!is_strange) {
            cat_generations_mark(b->fresh, one);
            cat_generations_end(b->fresh, i, i + 1);
        }
    }
    __atomic_store_n(&b->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Keeps a value, and compares what is kept with what was acknowledged before it was asked for. */
static void *read_all(void *baton)
{
    base_t *b = baton;
    cat_ticket_t kept = {0, 0};
    apr_uint64_t value = 0;

    while (!__atomic_load_n(&b->done, __ATOMIC_ACQUIRE)) {
        apr_uint64_t least = cat_generations_seen(b->fresh);
        apr_uint64_t seen = cat_generations_seen(b->fresh), state = __atomic_load_n(&b->state, __ATOMIC_ACQUIRE);
        cat_ticket_t ticket;

        if (state != seen && !cat_generations_settle(b->fresh, seen, state)) {
            continue;
        }
        ticket = cat_generations_draw(b->fresh, one);
        if (ticket.epoch == kept.epoch && ticket.generation == kept.generation) {
            __atomic_fetch_add(&b->found, 1, __ATOMIC_RELAXED);
            __atomic_fetch_add(&b->wrong, value < least, __ATOMIC_RELAXED);
        } else {
            kept = ticket;
            value = __atomic_load_n(&b->value, __ATOMIC_ACQUIRE);
        }
    }
    return NULL;
}

static void test_what_is_kept_is_never_older_than_what_is_seen(void **state)
{
    base_t base = {.fresh = make_fresh(*state)};
    pthread_t writer, readers[3];

    for (size_t i = 0; i < UNIT_COUNT(readers); i++) {
        assert_int_equal(pthread_create(&readers[i], NULL, read_all, &base), 0);
    }
    assert_int_equal(pthread_create(&writer, NULL, write_all, &base), 0);
    pthread_join(writer, NULL);
    for (size_t i = 0; i < UNIT_COUNT(readers); i++) {
        pthread_join(readers[i], NULL);
    }
    assert_int_equal(base.wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_database_has_its_own),
        UNIT_TEST(test_a_mark_voids_what_changed),
        UNIT_TEST(test_a_mark_leaves_others),
        UNIT_TEST(test_own_commits_leave_the_epoch),
        UNIT_TEST(test_strangers_commits_start_an_epoch),
        UNIT_TEST(test_two_writers_at_once),
        UNIT_TEST(test_a_dead_writer),
        UNIT_TEST(test_what_is_kept_is_never_older_than_what_is_seen),
    };
    return UNIT_RUN(tests);
}
