/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include <pthread.h>
#include <stdatomic.h>

#include "db/work/batch.h"

enum { WRITERS = 4 };

#define REFUSED "refused" /* an id that the work does not take */

static atomic_int calls, most; /* of the work: how often it was called, and with how many items at most */

typedef struct writer_t {
    const char *id;
    cat_batch_kind_t kind;
    apr_pool_t *pool;
    cat_db_t *db;
    apr_status_t rv;
    pthread_t thread;
} writer_t;

static apr_status_t insert_items(cat_db_t *db, const void *const *items, int count)
{
    apr_status_t rv = APR_SUCCESS;

    atomic_fetch_add(&calls, 1);
    if (count > atomic_load(&most)) {
        atomic_store(&most, count);
    }
    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        const char *id = items[i];
        rv = cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT(id));
        rv = rv == APR_SUCCESS && !strcmp(id, REFUSED) ? APR_EEXIST : rv;
    }
    return rv;
}

static void *write_one(void *data)
{
    writer_t *w = data;

    w->rv = cat_batch_write(w->db, w->kind, insert_items, w->id);
    return NULL;
}

/* Starts the writers while this thread has the write lock, which it gives up when one of them leads and the others
 * wait; and not before the time `pause` has passed. */
static void write_together(unit_database_t *database, writer_t *writers, apr_interval_time_t pause)
{
    int slot;

    atomic_store(&calls, 0);
    atomic_store(&most, 0);
    assert_int_equal(cat_source_take_write_lock(database->source, apr_time_now(), &database->log, &slot), APR_SUCCESS);
    for (int i = 0; i < WRITERS; i++) {
        apr_pool_create(&writers[i].pool, database->pool);
        writers[i].db = unit_database_use(writers[i].pool, database);
        assert_int_equal(pthread_create(&writers[i].thread, NULL, write_one, &writers[i]), 0);
        /* A leader with a statement collects items before it has the lock: the first one leads with its own alone. */
        while (i == 0 && writers[i].kind == CAT_BATCH_STATEMENT && !atomic_load(&calls)) {
            apr_sleep(apr_time_from_msec(1));
        }
    }
    while (!pause && cat_group_count_waiting(database->source->batch) < WRITERS - 1) {
        apr_sleep(apr_time_from_msec(1));
    }
    apr_sleep(pause);
    cat_semaphore_leave(cat_source_write_lock(database->source), slot);
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(writers[i].thread, NULL);
    }
}

static void test_thread_alone_writes_its_item(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);

    assert_int_equal(cat_batch_write(db, CAT_BATCH_TRANSACTION, insert_items, "a"), APR_SUCCESS);
    assert_int_equal(cat_batch_write(db, CAT_BATCH_TRANSACTION, insert_items, "a"), APR_EEXIST);
    assert_int_equal(unit_count_products(database), 1);
}

static void test_threads_share_one_commit(void **state)
{
    unit_database_t *database = unit_database(*state);
    writer_t writers[WRITERS] = {{.id = "a"}, {.id = "b"}, {.id = "c"}, {.id = "d"}};
    int before = unit_count_commits(database);

    write_together(database, writers, 0);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(writers[i].rv, APR_SUCCESS);
    }
    assert_int_equal(unit_count_commits(database), before + 1);
    assert_int_equal(atomic_load(&calls), 1);
    assert_int_equal(unit_count_products(database), WRITERS);
}

static void test_refused_item_affects_no_other(void **state)
{
    unit_database_t *database = unit_database(*state);
    writer_t writers[WRITERS] = {{.id = "a"}, {.id = "b"}, {.id = REFUSED}, {.id = "d"}};

    write_together(database, writers, 0);
    assert_int_equal(atomic_load(&most), WRITERS);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(writers[i].rv, strcmp(writers[i].id, REFUSED) ? APR_SUCCESS : APR_EEXIST);
    }
    assert_int_equal(unit_count_products(database), WRITERS - 1);
}

/* A statement takes 1, 2, 4, 8 or 16 items. On SQLite it waits for the write lock as a transaction does. */
static void test_statement_takes_a_power_of_two(void **state)
{
    unit_database_t *database = unit_database(*state);
    writer_t writers[WRITERS] = {{.id = "a"}, {.id = "b"}, {.id = "c"}, {.id = "d"}};

    for (int i = 0; i < WRITERS; i++) {
        writers[i].kind = CAT_BATCH_STATEMENT;
    }
    write_together(database, writers, 0);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(writers[i].rv, APR_SUCCESS);
    }
    assert_int_equal(atomic_load(&most), 2);
    assert_int_equal(atomic_load(&calls), 3);
    assert_int_equal(unit_count_products(database), WRITERS);
}

static void test_no_thread_waits_long_for_a_leader(void **state)
{
    unit_database_t *database = unit_database(*state);
    writer_t writers[WRITERS] = {{.id = "a"}, {.id = "b"}, {.id = "c"}, {.id = "d"}};

    database->source->leader_patience = CAT_SOURCE_LEADER_PATIENCE;
    write_together(database, writers, CAT_SOURCE_LEADER_PATIENCE + apr_time_from_msec(400));
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(writers[i].rv, APR_SUCCESS);
    }
    assert_int_equal(atomic_load(&most), 1);
    assert_int_equal(unit_count_products(database), WRITERS);
}

/* They would fail one after the other. */
static void test_threads_fail_with_their_leader(void **state)
{
    unit_database_t *database = unit_database(*state);
    writer_t writers[WRITERS] = {{.id = "a"}, {.id = "b"}, {.id = "c"}, {.id = "d"}};

    unit_database_sql(database, "DROP TABLE products");
    write_together(database, writers, 0);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(writers[i].rv, CAT_EDOWN);
    }
    assert_int_equal(atomic_load(&calls), 1);
    assert_non_null(strstr(database->logged, "CAT003: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_thread_alone_writes_its_item),   UNIT_TEST(test_threads_share_one_commit),
        UNIT_TEST(test_refused_item_affects_no_other),  UNIT_TEST(test_no_thread_waits_long_for_a_leader),
        UNIT_TEST(test_statement_takes_a_power_of_two), UNIT_TEST(test_threads_fail_with_their_leader),
    };

    return UNIT_RUN(tests);
}
