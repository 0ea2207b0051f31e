/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WRITERS = 5 };

/* A thread that inserts a product, as a single statement or as a transaction's work, which may end with an error of its
 * own. */
typedef struct writer_t {
    unit_database_t *database;
    const char *id;
    int is_work;
    int is_at_once;       /* flag: the work is that of cat_db_transact_at_once */
    apr_status_t outcome; /* of the work, after its statement */
    apr_pool_t *pool;
    cat_db_t *db;
    apr_status_t rv;
    pthread_t thread;
} writer_t;

static apr_status_t insert_in_work(void *data)
{
    writer_t *w = data;
    apr_status_t rv = cat_db_insert(w->db, SQL_PRODUCT_INSERT, UNIT_PRODUCT(w->id));

    return rv == APR_SUCCESS ? w->outcome : rv;
}

static void *write_one(void *data)
{
    writer_t *w = data;

    w->rv = w->is_at_once ? cat_db_transact_at_once(w->db, insert_in_work, w)
            : w->is_work  ? cat_db_transact(w->db, insert_in_work, w)
                          : cat_db_insert(w->db, SQL_PRODUCT_INSERT, UNIT_PRODUCT(w->id));
    return NULL;
}

/* Starts the writers while this thread leads their group; the first of them leads it afterwards, and writes for all. */
static void write_as_group(unit_database_t *database, writer_t *writers, int count)
{
    cat_group_t *group = database->source->group;
    cat_group_item_t own = {0};

    assert_int_equal(cat_group_join(group, &own, apr_time_now()), CAT_GROUP_LEADER);
    for (int i = 0; i < count; i++) {
        writers[i].database = database;
        apr_pool_create(&writers[i].pool, database->pool);
        writers[i].db = unit_database_use(writers[i].pool, database);
        assert_int_equal(pthread_create(&writers[i].thread, NULL, write_one, &writers[i]), 0);
        while (cat_group_count_waiting(group) <= i) {
            apr_sleep(apr_time_from_msec(1));
        }
    }
    cat_group_leave(group, &own);
    for (int i = 0; i < count; i++) {
        pthread_join(writers[i].thread, NULL);
    }
}

static void test_group_shares_one_commit(void **state)
{
    unit_database_t *database = unit_database(*state);
    writer_t writers[WRITERS] = {
        {.id = "a"}, {.id = "b", .is_work = 1}, {.id = "c"}, {.id = "d", .is_work = 1}, {.id = "e"}};
    int before = unit_count_commits(database);
    double batches = unit_database_total(database, CAT_METRIC_WRITE_BATCH);
    double waits = unit_database_total(database, CAT_METRIC_WRITE_WAIT);

    write_as_group(database, writers, WRITERS);
    assert_int_equal(unit_count_commits(database), before + 1);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(writers[i].rv, APR_SUCCESS);
    }
    assert_int_equal(unit_count_products(database), WRITERS);
    assert_true(unit_database_total(database, CAT_METRIC_WRITE_BATCH) == batches + 1);
    assert_true(unit_database_total(database, CAT_METRIC_WRITE_WAIT) == waits + WRITERS);
}

static void test_failing_write_affects_no_other(void **state)
{
    unit_database_t *database = unit_database(*state);
    writer_t writers[WRITERS] = {{.id = "a"},
                                 {.id = "a"},
                                 {.id = "b", .is_work = 1, .outcome = APR_NOTFOUND},
                                 {.id = "c", .is_work = 1},
                                 {.id = "d"}};
    int before = unit_count_commits(database);

    write_as_group(database, writers, WRITERS);
    assert_int_equal(unit_count_commits(database), before + 1);
    assert_int_equal(writers[0].rv, APR_SUCCESS);
    assert_int_equal(writers[1].rv, APR_EEXIST);
    assert_int_equal(writers[2].rv, APR_NOTFOUND);
    assert_int_equal(writers[3].rv, APR_SUCCESS);
    assert_int_equal(writers[4].rv, APR_SUCCESS);
    assert_string_equal(
        unit_database_sql(database, "SELECT group_concat(id, '') FROM (SELECT id FROM products ORDER BY id)"), "acd");
}

static void test_write_refused_at_once_has_changed_nothing(void **state)
{
    unit_database_t *database = unit_database(*state);
    writer_t writers[] = {{.id = "a", .is_at_once = 1}, {.id = "a", .is_at_once = 1}, {.id = "b", .is_work = 1}};
    int before = unit_count_commits(database);

    write_as_group(database, writers, 3);
    assert_int_equal(unit_count_commits(database), before + 1);
    assert_int_equal(writers[0].rv, APR_SUCCESS);
    assert_int_equal(writers[1].rv, APR_EEXIST);
    assert_int_equal(writers[2].rv, APR_SUCCESS);
    assert_int_equal(unit_count_products(database), 2);
}

/* A value that is refused later, against the contract: all are rolled back, and each is written again by itself. */
static void test_write_refused_later_leaves_nothing(void **state)
{
    unit_database_t *database = unit_database(*state);
    writer_t writers[] = {{.id = "a"}, {.id = "b", .is_at_once = 1, .outcome = CAT_EVALUE}, {.id = "c"}};
    int before = unit_count_commits(database);

    write_as_group(database, writers, 3);
    assert_int_equal(unit_count_commits(database), before + 2);
    assert_int_equal(writers[0].rv, APR_SUCCESS);
    assert_int_equal(writers[1].rv, CAT_EVALUE);
    assert_int_equal(writers[2].rv, APR_SUCCESS);
    assert_string_equal(
        unit_database_sql(database, "SELECT group_concat(id, '') FROM (SELECT id FROM products ORDER BY id)"), "ac");
}

static void test_fault_in_one_write_runs_the_others_alone(void **state)
{
    unit_database_t *database = unit_database(*state);
    writer_t writers[] = {{.id = "a"}, {.id = "bad"}, {.id = "c", .is_work = 1}};

    unit_database_sql(database, "CREATE TRIGGER fault BEFORE INSERT ON products WHEN new.id = 'bad'"
                                " BEGIN SELECT RAISE(ROLLBACK, 'broken'); END");
    write_as_group(database, writers, 3);
    assert_int_equal(writers[0].rv, APR_SUCCESS);
    assert_int_equal(writers[1].rv, CAT_EDOWN);
    assert_int_equal(writers[2].rv, APR_SUCCESS);
    assert_int_equal(unit_count_products(database), 2);
    unit_says(database->logged, "broken");
}

/* COMMIT checks a deferred foreign key. */
static void test_failing_commit_fails_for_all(void **state)
{
    unit_database_t *database = unit_database(*state);
    writer_t writers[] = {{.id = "a"}, {.id = "bad"}, {.id = "a"}};

    unit_database_sql(database, "CREATE TABLE parents (id TEXT PRIMARY KEY);"
                                "CREATE TABLE children (id TEXT REFERENCES parents DEFERRABLE INITIALLY DEFERRED)");
    unit_database_sql(database, "CREATE TRIGGER orphan AFTER INSERT ON products WHEN new.id = 'bad'"
                                " BEGIN INSERT INTO children VALUES ('none'); END");
    write_as_group(database, writers, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(writers[i].rv, CAT_EVALUE); /* for the third, "a" was taken until the rollback */
    }
    assert_int_equal(unit_count_products(database), 0);
    writers[0] = (writer_t){.id = "a"};
    write_as_group(database, writers, 1);
    assert_int_equal(writers[0].rv, APR_SUCCESS);
}

static void test_writer_gives_up_waiting_for_the_lock(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    apr_time_t began = apr_time_now();
    int slot;

    assert_int_equal(cat_source_take_write_lock(database->source, began, &database->log, &slot), APR_SUCCESS);
    {
        writer_t w = {.database = database, .id = "a", .db = db};
        assert_int_equal(pthread_create(&w.thread, NULL, write_one, &w), 0);
        pthread_join(w.thread, NULL);
        assert_int_equal(w.rv, CAT_EBUSY);
    }
    assert_true(apr_time_now() - began >= CAT_SOURCE_WRITE_PATIENCE);
    unit_says(database->logged, "CAT008");
    cat_semaphore_leave(cat_source_write_lock(database->source), slot);
    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_SUCCESS);
}

/* ---- long writes ---- */

static unit_database_t *watched;
static int copies, copies_under_lock;

static int is_locked(cat_source_t *source)
{
    int slot, is_free = cat_semaphore_enter(cat_source_write_lock(source), NULL, 0, &slot) == APR_SUCCESS;

    if (is_free) {
        cat_semaphore_leave(cat_source_write_lock(source), slot);
    }
    return !is_free;
}

/* Instead of the C library's: SQLite calls it for the database's file when it has copied the WAL there. */
int fdatasync(int fd)
{
    char link[64], path[4096];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = '\0';
    if (watched && !strstr(path, "-wal")) {
        copies++;
        copies_under_lock += is_locked(watched->source);
    }
    return (int)syscall(SYS_fdatasync, fd);
}

static apr_status_t fill_wal(void *data)
{
    cat_db_t *db = data;

    return cat_connection_send(db->use->conn, "INSERT INTO products (id, name, price, category, in_stock, n)"
                                              " VALUES ('a', hex(zeroblob(35000000)), '1', '', 1, 1)");
}

static void test_long_write_copies_the_wal_without_the_lock(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    const cat_semaphore_size_t size = {.slots = 1, .queue = 4};

    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("b")), APR_SUCCESS);
    assert_int_equal(cat_semaphore_create(&database->source->long_writes, *state, &size), APR_SUCCESS);
    watched = database;
    assert_int_equal(cat_db_transact_many(db, 1000, fill_wal, db), APR_SUCCESS);
    watched = NULL;
    assert_int_equal(copies, 1);
    assert_int_equal(copies_under_lock, 0);
}

/* ---- views ---- */

typedef struct view_t {
    unit_database_t *database;
    cat_db_t *db;
    apr_status_t first, second, outcome;
} view_t;

static apr_status_t read_twice(void *data)
{
    view_t *v = data;
    const char *const *row;

    v->first = cat_db_one(v->db, SQL_PRODUCT_GET, UNIT_IS("a"), &row);
    unit_database_sql(v->database, "DELETE FROM products");
    v->second = cat_db_one(v->db, SQL_PRODUCT_GET, UNIT_IS("a"), &row);
    return v->outcome;
}

static void test_view_sees_one_state(void **state)
{
    unit_database_t *database = unit_database(*state);
    view_t v = {.database = database, .db = unit_database_use(*state, database)};
    const char *const *row;

    assert_int_equal(cat_db_insert(v.db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_SUCCESS);
    assert_int_equal(cat_db_view(v.db, read_twice, &v), APR_SUCCESS);
    assert_int_equal(v.first, APR_SUCCESS);
    assert_int_equal(v.second, APR_SUCCESS);
    assert_int_equal(cat_db_one(v.db, SQL_PRODUCT_GET, UNIT_IS("a"), &row), APR_NOTFOUND); /* outside the view */
}

static void test_view_returns_the_status_of_its_work(void **state)
{
    unit_database_t *database = unit_database(*state);
    view_t v = {.database = database, .db = unit_database_use(*state, database), .outcome = APR_NOTFOUND};

    assert_int_equal(cat_db_view(v.db, read_twice, &v), APR_NOTFOUND);
    assert_int_equal(cat_db_insert(v.db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_SUCCESS); /* outside the view */
    assert_int_equal(unit_count_products(database), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_group_shares_one_commit),
        UNIT_TEST(test_failing_write_affects_no_other),
        UNIT_TEST(test_write_refused_at_once_has_changed_nothing),
        UNIT_TEST(test_write_refused_later_leaves_nothing),
        UNIT_TEST(test_fault_in_one_write_runs_the_others_alone),
        UNIT_TEST(test_failing_commit_fails_for_all),
        UNIT_TEST(test_writer_gives_up_waiting_for_the_lock),
        UNIT_TEST(test_long_write_copies_the_wal_without_the_lock),
        UNIT_TEST(test_view_sees_one_state),
        UNIT_TEST(test_view_returns_the_status_of_its_work),
    };
    return UNIT_RUN(tests);
}
