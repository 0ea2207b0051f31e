/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include <pthread.h>

#include "db/work/read_batch.h"

enum { MOST = (CAT_ROWS_MAX + 1) * CAT_SOURCE_READERS };

/* More than a thread has room for while it waits. */
#define LONG_NAME 5000

typedef struct reader_t {
    const char *id;
    const char *field; /* id is the value of this unique field; NULL: it is the id */
    apr_pool_t *pool;
    cat_db_t *db;
    apr_status_t rv;
    int rows;
    const char *name;
    const char *rating;
    pthread_t thread;
} reader_t;

static apr_status_t keep_product(void *data, const char *const *values, int count)
{
    reader_t *r = data;

    assert_true(count >= 7);
    assert_string_equal(values[0], r->field ? r->id : unit_number(r->id));
    values++;
    r->rows++;
    r->name = apr_pstrdup(r->pool, values[1]);
    r->rating = values[5] ? apr_pstrdup(r->pool, values[5]) : NULL;
    return CAT_ENOUGH;
}

static void *read_one(void *data)
{
    reader_t *r = data;

    r->rv = cat_read_batch_one(r->db,
                               &(cat_row_key_t){r->field ? SQL_PRODUCT_GET_NAMED : SQL_PRODUCT_READ, r->field,
                                                r->field ? r->id : unit_number(r->id)},
                               keep_product, r);
    return NULL;
}

/* With room for the largest batches. */
static unit_database_t *make_database(void **state)
{
    unit_database_t *database = unit_database(*state);

    database->conf.max_connections = CAT_SOURCE_READERS * CAT_ROWS_MAX;
    return database;
}

static void prepare_reader(unit_database_t *database, reader_t *r, const char *id)
{
    *r = (reader_t){.id = id};
    apr_pool_create(&r->pool, database->pool);
    r->db = unit_database_use(r->pool, database);
}

static void insert_product(unit_database_t *database, const char *id, const char *name, const char *rating)
{
    cat_db_t *db = unit_database_use(database->pool, database);

    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT,
                                   CAT_VALUES(id, name, "9.5", "kitchen", "1", rating, unit_number(id), NULL, NULL,
                                              NULL, NULL, NULL, NULL)),
                     APR_SUCCESS);
    cat_db_release(db);
}

static int count_waiting(const cat_source_t *source)
{
    int count = 0;

    for (int i = 0; i < CAT_SOURCE_READERS; i++) {
        count += cat_group_count_waiting(source->reads[0][i]) + cat_group_count_waiting(source->reads[1][i]);
    }
    return count;
}

/* Becomes the leader of each group. */
static void hold_groups(const cat_source_t *source, cat_group_item_t held[2][CAT_SOURCE_READERS])
{
    for (int i = 0; i < 2 * CAT_SOURCE_READERS; i++) {
        held[i % 2][i / 2] = (cat_group_item_t){0};
        assert_int_equal(cat_group_join(source->reads[i % 2][i / 2], &held[i % 2][i / 2], apr_time_now()),
                         CAT_GROUP_LEADER);
    }
}

static void let_go(const cat_source_t *source, cat_group_item_t held[2][CAT_SOURCE_READERS])
{
    for (int i = 0; i < 2 * CAT_SOURCE_READERS; i++) {
        cat_group_leave(source->reads[i % 2][i / 2], &held[i % 2][i / 2]);
    }
}

/* Starts the readers while their groups have leaders, who leave when all readers wait. fields: NULL, or of whose values each id is. */
static void read_values_together(unit_database_t *database, reader_t *readers, const char *const *fields,
                                 const char *const *ids, int count)
{
    cat_group_item_t held[2][CAT_SOURCE_READERS];

    hold_groups(database->source, held);
    for (int i = 0; i < count; i++) {
        prepare_reader(database, &readers[i], ids[i]);
        readers[i].field = fields ? fields[i] : NULL;
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_one, &readers[i]), 0);
        while (count_waiting(database->source) <= i) {
            apr_sleep(apr_time_from_msec(1));
        }
    }
    let_go(database->source, held);
    for (int i = 0; i < count; i++) {
        pthread_join(readers[i].thread, NULL);
    }
}

static void read_together(unit_database_t *database, reader_t *readers, const char *const *ids, int count)
{
    read_values_together(database, readers, NULL, ids, count);
}

/* How many of the readers have taken a connection. */
static int count_connections(const reader_t *readers, int count)
{
    int taken = 0;

    for (int i = 0; i < count; i++) {
        taken += readers[i].db->use->is_given_back;
    }
    return taken;
}

static void test_thread_alone_reads_its_row(void **state)
{
    unit_database_t *database = make_database(state);
    reader_t r;

    insert_product(database, "a", "Mug", "4.5");
    prepare_reader(database, &r, "a");
    read_one(&r);
    assert_int_equal(r.rv, APR_SUCCESS);
    assert_int_equal(r.rows, 1);
    assert_string_equal(r.name, "Mug");
    assert_string_equal(r.rating, "4.5");
    assert_null(r.db->use->conn);
}

static void test_absent_row_is_no_failure(void **state)
{
    unit_database_t *database = make_database(state);
    reader_t r;

    prepare_reader(database, &r, "a");
    read_one(&r);
    assert_int_equal(r.rv, APR_SUCCESS);
    assert_int_equal(r.rows, 0);
}

static void test_threads_share_one_statement(void **state)
{
    unit_database_t *database = make_database(state);
    reader_t readers[5];
    const char *const ids[] = {"a", "b", "c", "absent", "a"};

    insert_product(database, "a", "Mug", "4.5");
    insert_product(database, "b", "Kettle", NULL);
    insert_product(database, "c", "", NULL);
    read_together(database, readers, ids, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(readers[i].rv, APR_SUCCESS);
        assert_int_equal(readers[i].rows, strcmp(ids[i], "absent") != 0);
    }
    assert_string_equal(readers[0].name, "Mug");
    assert_string_equal(readers[0].rating, "4.5");
    assert_string_equal(readers[1].name, "Kettle");
    assert_null(readers[1].rating);
    assert_string_equal(readers[2].name, "");
    assert_string_equal(readers[4].name, "Mug");
    assert_int_equal(count_connections(readers, 5), CAT_SOURCE_READERS);
}

/* Those of one field share a statement. One of another field, in a batch of theirs, reads alone. */
static void test_threads_share_a_statement_for_values(void **state)
{
    unit_database_t *database = make_database(state);
    reader_t readers[5];
    const char *const fields[] = {"7", "8", "7", "7", "7"};
    const char *const values[] = {"K1", "K1", "K2", "none", "K2"};

    insert_product(database, "a", "Mug", NULL);
    insert_product(database, "b", "Kettle", NULL);
    unit_database_sql(database,
                      "INSERT INTO product_unique (field, value, n) SELECT 7, 'K1', n FROM products WHERE id = 'a'"
                      " UNION SELECT 7, 'K2', n FROM products WHERE id = 'b'"
                      " UNION SELECT 8, 'K1', n FROM products WHERE id = 'b'");
    read_values_together(database, readers, fields, values, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(readers[i].rv, APR_SUCCESS);
        assert_int_equal(readers[i].rows, i != 3);
    }
    assert_string_equal(readers[0].name, "Mug");
    assert_string_equal(readers[1].name, "Kettle");
    assert_string_equal(readers[2].name, "Kettle");
    assert_string_equal(readers[4].name, "Kettle");
    assert_int_equal(count_connections(readers, 5), CAT_SOURCE_READERS + 1);
}

static void test_statement_takes_sixteen_keys(void **state)
{
    unit_database_t *database = make_database(state);
    reader_t readers[MOST];
    const char *ids[MOST];

    for (int i = 0; i < MOST; i++) {
        ids[i] = apr_itoa(database->pool, i);
        insert_product(database, ids[i], ids[i], NULL);
    }
    read_together(database, readers, ids, MOST);
    for (int i = 0; i < MOST; i++) {
        assert_int_equal(readers[i].rv, APR_SUCCESS);
        assert_int_equal(readers[i].rows, 1);
        assert_string_equal(readers[i].name, ids[i]);
    }
    assert_int_equal(count_connections(readers, MOST), 2 * CAT_SOURCE_READERS);
}

static void test_batches_hold_no_more_threads_than_connections(void **state)
{
    unit_database_t *database = make_database(state);
    reader_t readers[6];
    const char *const ids[] = {"a", "b", "c", "d", "e", "f"};

    for (int i = 0; i < 6; i++) {
        insert_product(database, ids[i], ids[i], NULL);
    }
    database->conf.max_connections = 2 * CAT_SOURCE_READERS;
    read_together(database, readers, ids, 6);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(readers[i].name, ids[i]);
    }
    assert_int_equal(count_connections(readers, 6), 4);
    database->conf.max_connections = 1;
    read_together(database, readers, ids, 6);
    assert_int_equal(count_connections(readers, 6), 6);
}

static void test_long_row_is_read_with_the_others(void **state)
{
    unit_database_t *database = make_database(state);
    reader_t readers[3];
    const char *const ids[] = {"a", "c", "long"};
    char *name = apr_pcalloc(database->pool, LONG_NAME + 1);

    memset(name, 'x', LONG_NAME);
    insert_product(database, "a", "Mug", NULL);
    insert_product(database, "long", name, "5");
    insert_product(database, "c", "Cup", NULL);
    read_together(database, readers, ids, 3);
    assert_string_equal(readers[0].name, "Mug");
    assert_string_equal(readers[1].name, "Cup");
    assert_int_equal(readers[2].rows, 1);
    assert_string_equal(readers[2].name, name);
    assert_string_equal(readers[2].rating, "5");
    assert_int_equal(count_connections(readers, 3), CAT_SOURCE_READERS);
}

static int count_faults(const unit_database_t *database)
{
    int count = 0;

    for (const char *fault = database->logged; (fault = strstr(fault, "CAT003: ")); fault++) {
        count++;
    }
    return count;
}

static void test_threads_fail_with_their_leader(void **state)
{
    unit_database_t *database = make_database(state);
    reader_t readers[6];
    const char *const ids[] = {"a", "b", "c", "d", "e", "f"};

    unit_database_sql(database, "DROP TABLE products");
    read_together(database, readers, ids, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(readers[i].rv, CAT_EDOWN);
        assert_int_equal(readers[i].rows, 0);
    }
    assert_int_equal(count_faults(database), CAT_SOURCE_READERS);
}

static void test_no_thread_waits_long_for_a_leader(void **state)
{
    unit_database_t *database = make_database(state);
    cat_group_item_t held[2][CAT_SOURCE_READERS];
    apr_time_t began = apr_time_now();
    reader_t r;

    insert_product(database, "a", "Mug", NULL);
    database->source->leader_patience = CAT_SOURCE_LEADER_PATIENCE;
    hold_groups(database->source, held);
    prepare_reader(database, &r, "a");
    read_one(&r);
    assert_int_equal(r.rv, APR_SUCCESS);
    assert_string_equal(r.name, "Mug");
    assert_true(apr_time_now() - began >= CAT_SOURCE_LEADER_PATIENCE);
    let_go(database->source, held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_thread_alone_reads_its_row),
        UNIT_TEST(test_absent_row_is_no_failure),
        UNIT_TEST(test_threads_share_one_statement),
        UNIT_TEST(test_threads_share_a_statement_for_values),
        UNIT_TEST(test_statement_takes_sixteen_keys),
        UNIT_TEST(test_long_row_is_read_with_the_others),
        UNIT_TEST(test_threads_fail_with_their_leader),
        UNIT_TEST(test_no_thread_waits_long_for_a_leader),
        UNIT_TEST(test_batches_hold_no_more_threads_than_connections),
    };

    return UNIT_RUN(tests);
}
