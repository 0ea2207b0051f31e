/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include <pthread.h>
#include <stdatomic.h>

#include "db/shared_read.h"

/* What the readers of a test share: each read counts, and yields its number as the text. */
typedef struct counter_t {
    atomic_int begun;
    atomic_int may_end; /* flag: reads end at once */
} counter_t;

typedef struct reader_t {
    unit_database_t *database;
    counter_t *counter;
    apr_pool_t *pool;
    cat_db_t *db;
    cat_item_t item;
    apr_status_t fails; /* what its read returns */
    apr_status_t rv;
    pthread_t thread;
} reader_t;

static apr_status_t read_number(void *data)
{
    reader_t *r = data;
    int number = atomic_fetch_add_explicit(&r->counter->begun, 1, memory_order_seq_cst) + 1;

    while (!atomic_load_explicit(&r->counter->may_end, memory_order_seq_cst)) {
        apr_sleep(apr_time_from_msec(1));
    }
    unit_connect(r->db, CAT_TO_READ);
    r->item.body = apr_itoa(r->pool, number);
    r->item.length = strlen(r->item.body) + 1;
    r->item.hash = (apr_uint64_t)number;
    return r->fails;
}

static void *read_text(void *data)
{
    reader_t *r = data;

    r->rv = cat_shared_read(r->db, &r->item, read_number, r);
    return NULL;
}

static void prepare_reader(reader_t *r, unit_database_t *database, counter_t *counter, const char *key)
{
    *r = (reader_t){.database = database, .counter = counter, .item.key = key};
    apr_pool_create(&r->pool, database->pool);
    r->db = unit_database_use(r->pool, database);
}

static void start_reader(reader_t *r)
{
    assert_int_equal(pthread_create(&r->thread, NULL, read_text, r), 0);
}

/* Starts a reader that waits for a leader. */
static void start_follower(reader_t *r)
{
    cat_group_t *group = r->database->source->texts;
    int waiting = cat_group_count_waiting(group);

    start_reader(r);
    while (cat_group_count_waiting(group) == waiting) {
        apr_sleep(apr_time_from_msec(1));
    }
}

static void wait_for_reads(counter_t *counter, int count)
{
    while (atomic_load_explicit(&counter->begun, memory_order_seq_cst) < count) {
        apr_sleep(apr_time_from_msec(1));
    }
}

static void let_reads_end(counter_t *counter)
{
    atomic_store_explicit(&counter->may_end, 1, memory_order_seq_cst);
}

/* Readers of one key, which come while a leader of the key is there; it leaves when all of them wait. */
static void read_together(unit_database_t *database, counter_t *counter, reader_t *readers, int count)
{
    cat_group_item_t held = {.key = "/list"};

    assert_int_equal(cat_group_join(database->source->texts, &held, apr_time_now()), CAT_GROUP_LEADER);
    for (int i = 0; i < count; i++) {
        start_follower(&readers[i]);
    }
    let_reads_end(counter);
    cat_group_leave(database->source->texts, &held);
    for (int i = 0; i < count; i++) {
        pthread_join(readers[i].thread, NULL);
    }
}

static void assert_text(const reader_t *r, const char *text)
{
    assert_int_equal(r->rv, APR_SUCCESS);
    assert_string_equal(r->item.body, text);
    assert_int_equal(r->item.length, strlen(text) + 1);
    assert_int_equal(r->item.hash, atoi(text));
    assert_null(r->db->use->conn);
}

static void test_thread_alone_reads(void **state)
{
    unit_database_t *database = unit_database(*state);
    counter_t counter = {.may_end = 1};
    reader_t r;

    prepare_reader(&r, database, &counter, "/list");
    read_text(&r);
    assert_text(&r, "1");
    read_text(&r);
    assert_text(&r, "2");
}

static void test_threads_that_wait_share_one_read(void **state)
{
    unit_database_t *database = unit_database(*state);
    counter_t counter = {0};
    reader_t readers[5];

    for (int i = 0; i < 5; i++) {
        prepare_reader(&readers[i], database, &counter, apr_pstrdup(database->pool, "/list"));
    }
    read_together(database, &counter, readers, 5);
    for (int i = 0; i < 5; i++) {
        assert_text(&readers[i], "1");
        assert_int_equal(readers[i].db->use->is_given_back, i == 0); /* only the leader took a connection */
        assert_true(i == 0 || readers[i].item.body != readers[0].item.body);
    }
    apr_pool_destroy(readers[0].pool);
    assert_text(&readers[1], "1");
}

static void test_read_begins_after_each_has_come(void **state)
{
    unit_database_t *database = unit_database(*state);
    counter_t counter = {0};
    reader_t first, later[2];

    prepare_reader(&first, database, &counter, "/list");
    start_reader(&first);
    wait_for_reads(&counter, 1);
    for (int i = 0; i < 2; i++) {
        prepare_reader(&later[i], database, &counter, "/list");
        start_follower(&later[i]);
    }
    let_reads_end(&counter);
    pthread_join(first.thread, NULL);
    assert_text(&first, "1");
    for (int i = 0; i < 2; i++) {
        pthread_join(later[i].thread, NULL);
        assert_text(&later[i], "2");
    }
}

static void test_different_texts_do_not_wait_for_each_other(void **state)
{
    unit_database_t *database = unit_database(*state);
    counter_t stuck = {0}, counter = {.may_end = 1};
    reader_t first, other;

    prepare_reader(&first, database, &stuck, "/list");
    start_reader(&first);
    wait_for_reads(&stuck, 1);
    prepare_reader(&other, database, &counter, "/list&x");
    read_text(&other);
    assert_text(&other, "1");
    let_reads_end(&stuck);
    pthread_join(first.thread, NULL);
    assert_text(&first, "1");
}

static void test_threads_fail_with_their_leader(void **state)
{
    unit_database_t *database = unit_database(*state);
    counter_t counter = {0};
    reader_t readers[3];

    for (int i = 0; i < 3; i++) {
        prepare_reader(&readers[i], database, &counter, "/list");
        readers[i].fails = i == 0 ? CAT_EDOWN : APR_SUCCESS;
    }
    read_together(database, &counter, readers, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(readers[i].rv, CAT_EDOWN);
        assert_int_equal(readers[i].item.body != NULL, i == 0);
    }
    assert_int_equal(counter.begun, 1);
}

static void test_no_thread_waits_long_for_a_leader(void **state)
{
    unit_database_t *database = unit_database(*state);
    counter_t counter = {.may_end = 1};
    cat_group_item_t held = {.key = "/list"};
    apr_time_t began = apr_time_now();
    reader_t r;

    database->source->leader_patience = CAT_SOURCE_LEADER_PATIENCE;
    assert_int_equal(cat_group_join(database->source->texts, &held, apr_time_now()), CAT_GROUP_LEADER);
    prepare_reader(&r, database, &counter, "/list");
    read_text(&r);
    assert_int_equal(r.rv, APR_SUCCESS);
    assert_string_equal(r.item.body, "1");
    assert_true(apr_time_now() - began >= CAT_SOURCE_LEADER_PATIENCE);
    cat_group_leave(database->source->texts, &held);
}

static void test_leaders_hold_no_more_threads_than_connections(void **state)
{
    unit_database_t *database = unit_database(*state);
    counter_t counter = {0};
    reader_t readers[6];
    static const char *const texts[] = {"1", "1", "1", "2", "2", "2"};

    database->conf.max_connections = 2;
    for (int i = 0; i < 6; i++) {
        prepare_reader(&readers[i], database, &counter, "/list");
    }
    read_together(database, &counter, readers, 6);
    for (int i = 0; i < 6; i++) {
        assert_text(&readers[i], texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_thread_alone_reads),
        UNIT_TEST(test_threads_that_wait_share_one_read),
        UNIT_TEST(test_read_begins_after_each_has_come),
        UNIT_TEST(test_different_texts_do_not_wait_for_each_other),
        UNIT_TEST(test_threads_fail_with_their_leader),
        UNIT_TEST(test_no_thread_waits_long_for_a_leader),
        UNIT_TEST(test_leaders_hold_no_more_threads_than_connections),
    };

    return UNIT_RUN(tests);
}
