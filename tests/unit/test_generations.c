/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>

#include <apr_strings.h>

#include "shm/generations.h"

static const char one[] = "01a1fd8d-47a8-77ac-9778-38d2c78c295b";

static cat_generations_t *make_generations(apr_pool_t *pool)
{
    return cat_generations_find(apr_pcalloc(pool, cat_generations_size()), "sqlite3 /x.db");
}

static int is_good(const cat_generations_t *generations, const char *id, cat_stamp_t stamp)
{
    cat_stamp_t now = cat_generations_read(generations, id);

    return now.epoch == stamp.epoch && now.generation == stamp.generation;
}

static void test_each_database_has_its_own_generations(void **state)
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

static void test_invalidates_what_changed(void **state)
{
    cat_generations_t *generations = make_generations(*state);
    cat_stamp_t product = cat_generations_read(generations, one), list = cat_generations_read(generations, NULL);

    assert_true(is_good(generations, one, product) && is_good(generations, NULL, list));
    cat_generations_invalidate(generations, NULL);
    assert_true(is_good(generations, one, product) && !is_good(generations, NULL, list));
    list = cat_generations_read(generations, NULL);
    cat_generations_invalidate(generations, one);
    assert_false(is_good(generations, one, product) || is_good(generations, NULL, list));
    list = cat_generations_read(generations, NULL);
    product = cat_generations_read(generations, one);
    cat_generations_invalidate_all(generations);
    assert_false(is_good(generations, one, product) || is_good(generations, NULL, list));
}

/* Products share counters, so a change may invalidate a few others of a thousand. */
static void test_leaves_others_valid(void **state)
{
    cat_generations_t *generations = make_generations(*state);
    cat_stamp_t stamp = cat_generations_read(generations, one);
    int good = 0;

    cat_generations_invalidate(generations, one);
    for (int i = 0; i < 1000; i++) {
        good += is_good(generations, apr_psprintf(*state, "01a1fd8d-47a8-77ac-9778-38d2c78c%04x", i), stamp);
    }
    assert_in_range(good, 995, 1000);
}

static void test_own_commits_leave_the_epoch(void **state)
{
    cat_generations_t *generations = make_generations(*state);
    cat_stamp_t stamp = cat_generations_read(generations, one);

    for (apr_uint64_t i = 0; i < 3; i++) {
        cat_generations_begin(generations, i);
        cat_generations_commit(generations);
        assert_false(cat_generations_adopt(generations, i, i + 1)); /* its writer is about to end */
        cat_generations_end(generations, i, i + 1);
        assert_int_equal(cat_generations_seen(generations), i + 1);
    }
    assert_false(cat_generations_adopt(generations, 2, 3)); /* a reader loaded `seen` before the writer ended */
    assert_true(is_good(generations, one, stamp));
}

static void test_foreign_commits_start_an_epoch(void **state)
{
    cat_generations_t *generations = make_generations(*state);
    cat_stamp_t stamp = cat_generations_read(generations, one);

    assert_true(cat_generations_adopt(generations, 0, 1)); /* found by a reader */
    assert_int_equal(cat_generations_seen(generations), 1);
    assert_false(is_good(generations, one, stamp));

    stamp = cat_generations_read(generations, one);
    assert_true(cat_generations_begin(generations, 2)); /* found by a writer */
    assert_int_equal(cat_generations_seen(generations), 2);
    assert_false(is_good(generations, one, stamp));

    stamp = cat_generations_read(generations, one);
    cat_generations_commit(generations); /* together with one of ours */
    cat_generations_end(generations, 2, 2);
    assert_int_equal(cat_generations_seen(generations), 2);
    assert_true(cat_generations_adopt(generations, 2, 4));
    assert_false(is_good(generations, one, stamp));
}

/* Two writers without a common write lock: the second starts an epoch, and the end of the first changes nothing. */
static void test_second_writer_starts_an_epoch(void **state)
{
    cat_generations_t *generations = make_generations(*state);
    cat_stamp_t stamp = cat_generations_read(generations, one);

    cat_generations_begin(generations, 0);
    cat_generations_commit(generations);
    cat_generations_begin(generations, 1);
    assert_false(is_good(generations, one, stamp));
    cat_generations_commit(generations);
    cat_generations_end(generations, 1, 2);
    cat_generations_end(generations, 0, 1);
    assert_int_equal(cat_generations_seen(generations), 2);
}

/* A writer died between commit and end: readers wait for it for a while, then treat its commit as foreign. */
static void test_commit_of_a_dead_writer_becomes_foreign(void **state)
{
    cat_generations_t *generations = make_generations(*state);
    cat_stamp_t stamp = cat_generations_read(generations, one);
    apr_time_t start = apr_time_now();

    cat_generations_begin(generations, 0);
    cat_generations_commit(generations);
    while (!cat_generations_adopt(generations, 0, 1)) {
        apr_sleep(apr_time_from_msec(10));
    }
    assert_in_range(apr_time_now() - start, apr_time_from_msec(900), apr_time_from_sec(20));
    assert_false(is_good(generations, one, stamp));
}

/* ---- many threads ---- */

#define COMMITS 20000

typedef struct base_t {
    cat_generations_t *generations;
    _Atomic apr_uint64_t state; /* the database's counter of commits */
    _Atomic apr_uint64_t value; /* the data */
    atomic_int wrong, found;
    atomic_int done;
} base_t;

/* Commits as this server does, except that every hundredth commit is foreign. */
static void *write_all(void *baton)
{
    base_t *b = baton;

    for (apr_uint64_t i = 0; i < COMMITS || atomic_load_explicit(&b->found, memory_order_relaxed) < COMMITS; i++) {
        int is_foreign = i % 100 == 0;
        if (!is_foreign) {
            cat_generations_begin(b->generations, i);
            cat_generations_commit(b->generations);
        }
        atomic_store_explicit(&b->value, i + 1, memory_order_release);
        atomic_store_explicit(&b->state, i + 1, memory_order_release);
        if (!is_foreign) {
            cat_generations_invalidate(b->generations, one);
            cat_generations_end(b->generations, i, i + 1);
        }
    }
    atomic_store_explicit(&b->done, 1, memory_order_release);
    return NULL;
}

/* Caches a value and checks that it is never older than the commits seen before the lookup. */
static void *read_all(void *baton)
{
    base_t *b = baton;
    cat_stamp_t kept = {0, 0};
    apr_uint64_t value = 0;

    while (!atomic_load_explicit(&b->done, memory_order_acquire)) {
        apr_uint64_t least = cat_generations_seen(b->generations);
        apr_uint64_t seen = cat_generations_seen(b->generations),
                     state = atomic_load_explicit(&b->state, memory_order_acquire);
        cat_stamp_t stamp;

        if (state != seen && !cat_generations_adopt(b->generations, seen, state)) {
            continue;
        }
        stamp = cat_generations_read(b->generations, one);
        if (stamp.epoch == kept.epoch && stamp.generation == kept.generation) {
            atomic_fetch_add_explicit(&b->found, 1, memory_order_relaxed);
            atomic_fetch_add_explicit(&b->wrong, value < least, memory_order_relaxed);
        } else {
            kept = stamp;
            value = atomic_load_explicit(&b->value, memory_order_acquire);
        }
    }
    return NULL;
}

static void test_cached_value_is_never_older_than_the_commits_seen(void **state)
{
    base_t base = {.generations = make_generations(*state)};
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
        UNIT_TEST(test_each_database_has_its_own_generations),
        UNIT_TEST(test_invalidates_what_changed),
        UNIT_TEST(test_leaves_others_valid),
        UNIT_TEST(test_own_commits_leave_the_epoch),
        UNIT_TEST(test_foreign_commits_start_an_epoch),
        UNIT_TEST(test_second_writer_starts_an_epoch),
        UNIT_TEST(test_commit_of_a_dead_writer_becomes_foreign),
        UNIT_TEST(test_cached_value_is_never_older_than_the_commits_seen),
    };
    return UNIT_RUN(tests);
}
