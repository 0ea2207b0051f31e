/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <pthread.h>

#include "db/pool/write_lock.h"

static cat_write_locks_t *create_locks(apr_pool_t *pool, apr_pool_t *process)
{
    cat_write_locks_t *locks;

    assert_int_equal(cat_write_lock_create(&locks, pool, process), APR_SUCCESS);
    return locks;
}

static void *try_lock(void *lock)
{
    int slot;
    apr_status_t rv = cat_semaphore_enter(lock, NULL, apr_time_from_msec(20), &slot);

    if (rv == APR_SUCCESS) {
        cat_semaphore_leave(lock, slot);
    }
    return rv == APR_SUCCESS ? lock : NULL;
}

static int is_free(cat_semaphore_t *lock)
{
    pthread_t thread;
    void *taken;

    assert_int_equal(pthread_create(&thread, NULL, try_lock, lock), 0);
    pthread_join(thread, &taken);
    return taken != NULL;
}

static void test_one_writer_at_a_time(void **state)
{
    cat_semaphore_t *lock = cat_write_lock_find(create_locks(*state, *state), "/a.db");
    int slot;

    assert_true(is_free(lock));
    assert_int_equal(cat_semaphore_enter(lock, NULL, 0, &slot), APR_SUCCESS);
    assert_false(is_free(lock));
    cat_semaphore_leave(lock, slot);
    assert_true(is_free(lock));
}

/* Children from before and after a graceful restart must exclude each other. */
static void test_locks_survive_a_restart(void **state)
{
    apr_pool_t *before, *after;
    cat_semaphore_t *lock;
    int slot;

    apr_pool_create(&before, *state);
    lock = cat_write_lock_find(create_locks(before, *state), "/a.db");
    assert_int_equal(cat_semaphore_enter(lock, NULL, 0, &slot), APR_SUCCESS);
    apr_pool_destroy(before);
    apr_pool_create(&after, *state);
    assert_false(is_free(cat_write_lock_find(create_locks(after, *state), "/a.db")));
    cat_semaphore_leave(lock, slot);
}

static void test_files_do_not_all_share_a_lock(void **state)
{
    cat_write_locks_t *locks = create_locks(*state, *state);
    const char *const files[] = {"/a.db", "/b.db", "/c.db", "/d.db", "/e.db", "/f.db", "/g.db", "/h.db"};
    int others = 0;

    for (size_t i = 1; i < UNIT_COUNT(files); i++) {
        others += cat_write_lock_find(locks, files[i]) != cat_write_lock_find(locks, files[0]);
    }
    assert_true(others > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_one_writer_at_a_time),
        UNIT_TEST(test_locks_survive_a_restart),
        UNIT_TEST(test_files_do_not_all_share_a_lock),
    };
    return UNIT_RUN(tests);
}
