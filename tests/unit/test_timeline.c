/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "db/connection/executor.h"
#include "db/dialects/status.h"
#include "db/pool/timeline.h"
#include "db/sqlite/file_registry.h"

/* A server that says text, or fails with rv; and the hosts that the parameters name, ended by NULL. */
static struct {
    const char *text;
    apr_status_t rv;
    const char *hosts[3];
    int questions, cuts;
} server;

static apr_status_t ask_server(cat_connection_t *, apr_pool_t *, const char *, cat_row_t *row, void *baton)
{
    return server.rv == APR_SUCCESS ? row(baton, &server.text, 1) : server.rv;
}

static void ask_hosts(const char *const *, const char *, void (*answer)(void *baton, int host, const char *text),
                      void *baton)
{
    server.questions++;
    for (int i = 0; i < 3 && server.hosts[i]; i++) {
        answer(baton, i, server.hosts[i]);
    }
}

static void cut_connection(cat_connection_t *)
{
    server.cuts++;
}

static const cat_executor_t executor = {.ask = ask_server, .ask_hosts = ask_hosts, .cut = cut_connection};
static const cat_dialect_t dialect = {.executor = &executor, .timeline = "SELECT ..."}, other = {.executor = &executor};

static const char *const params[] = {"host=A", "host=B", "host=C", NULL};

static cat_connection_t *make_connection(apr_pool_t *pool, const cat_file_registry_t *registry)
{
    cat_connection_t *conn = apr_pcalloc(pool, sizeof(*conn));

    conn->database = apr_pcalloc(pool, sizeof(*conn->database));
    conn->database->registry = registry;
    atomic_store(&conn->database->hosts, params);
    conn->dialect = &dialect;
    conn->name = "the database";
    conn->handle.pool = pool;
    memset(&server, 0, sizeof(server));
    return conn;
}

static cat_connection_t *make_first(apr_pool_t *pool)
{
    cat_file_registry_t *registry;

    assert_int_equal(cat_file_registry_create(&registry, pool), APR_SUCCESS);
    return make_connection(pool, registry);
}

static apr_status_t check(cat_connection_t *conn, const char *text)
{
    server.text = text;
    return cat_timeline_check(conn);
}

static void test_former_primary_is_refused(void **state)
{
    cat_connection_t *one = make_first(*state), *another = make_connection(*state, one->database->registry);

    assert_int_equal(check(one, "7 1"), APR_SUCCESS);
    assert_int_equal(cat_timeline_check_again(one), APR_SUCCESS);
    assert_int_equal(check(another, "7 2"), APR_SUCCESS);
    assert_int_equal(cat_timeline_check_again(one), CAT_ENOTREADY);
    unit_says(one->fault, "timeline 1");
    unit_says(one->fault, "timeline 2");
    assert_false(one->is_lost);
    cat_timeline_refuse(one);
    assert_true(one->is_lost);
    assert_int_equal(server.cuts, 1);
    assert_int_equal(check(one, "7 1"), CAT_ENOTREADY);
    assert_int_equal(check(one, "7 2"), APR_SUCCESS);
    assert_int_equal(check(one, "7 11"), APR_SUCCESS);
}

static void test_first_connection_asks_all_hosts(void **state)
{
    cat_connection_t *conn = make_first(*state);

    server.hosts[0] = "7 1";
    server.hosts[1] = "7 2";
    server.hosts[2] = "7 0"; /* a stand-by */
    assert_int_equal(check(conn, "7 1"), CAT_ENOTREADY);
    assert_int_equal(check(conn, "7 2"), APR_SUCCESS);
    assert_int_equal(server.questions, 1);
}

/* Otherwise each new connection would ask them all as long as there is no primary. */
static void test_stand_by_asks_no_host(void **state)
{
    cat_connection_t *conn = make_first(*state);

    server.hosts[0] = server.hosts[1] = "7 0";
    assert_int_equal(check(conn, "7 0"), APR_SUCCESS);
    assert_int_equal(check(conn, "7 0"), APR_SUCCESS);
    assert_int_equal(server.questions, 0);
    server.hosts[0] = "7 2";
    assert_int_equal(check(conn, "7 1"), CAT_ENOTREADY);
    assert_int_equal(server.questions, 1);
}

static void test_newest_host_is_found(void **state)
{
    cat_connection_t *conn = make_first(*state), *other_child = make_connection(*state, conn->database->registry);

    server.hosts[0] = server.hosts[1] = server.hosts[2] = "7 1";
    assert_int_equal(check(conn, "7 1"), APR_SUCCESS);
    server.hosts[1] = "7 2";
    server.hosts[2] = "8 3"; /* another cluster */
    cat_timeline_watch(conn->database, &dialect);
    assert_int_equal(cat_timeline_check_again(conn), CAT_ENOTREADY);
    assert_string_equal(cat_timeline_find_newest(conn), "host=B");
    assert_int_equal(server.questions, 2);
    other_child->timeline = conn->timeline; /* it has not asked yet */
    atomic_store(&other_child->database->timeline, conn->timeline);
    assert_int_equal(cat_timeline_check_again(other_child), CAT_ENOTREADY);
    assert_string_equal(cat_timeline_find_newest(other_child), "host=B");
    assert_int_equal(server.questions, 3);
}

static void test_no_host_is_found_while_the_newest_is_away(void **state)
{
    cat_connection_t *conn = make_first(*state);

    server.hosts[0] = "7 1";
    server.hosts[1] = "7 2";
    assert_int_equal(check(conn, "7 1"), CAT_ENOTREADY);
    cat_timeline_refuse(conn); /* its connection could not be opened */
    server.hosts[1] = "7 1";
    assert_null(cat_timeline_find_newest(conn));
}

static void test_statement_that_waits_asks_at_most_once_a_second(void **state)
{
    cat_connection_t *conn = make_first(*state);

    server.hosts[0] = server.hosts[1] = "7 1";
    assert_int_equal(check(conn, "7 1"), APR_SUCCESS);
    assert_false(conn->is_overtaken(conn));
    assert_false(conn->is_overtaken(conn));
    assert_int_equal(server.questions, 2);
    atomic_store(&conn->database->asked_at, 1);
    server.hosts[1] = "7 2";
    assert_true(conn->is_overtaken(conn));
    assert_true(conn->is_overtaken(conn));
    assert_int_equal(server.questions, 3);
}

/* Two mounts with databases in two clusters have sources of one name. */
static void test_each_cluster_has_its_own_timeline(void **state)
{
    cat_connection_t *conn = make_first(*state), *other_cluster = make_connection(*state, conn->database->registry);

    assert_int_equal(check(other_cluster, "8 5"), APR_SUCCESS);
    server.hosts[0] = "7 2";
    assert_int_equal(check(conn, "7 1"), CAT_ENOTREADY); /* asks its hosts, although the other cluster is known */
    assert_int_equal(check(other_cluster, "8 5"), APR_SUCCESS);
    assert_int_equal(check(conn, "7 1"), CAT_ENOTREADY);
    assert_int_equal(check(other_cluster, "8 4"), CAT_ENOTREADY);
}

static void test_what_says_nothing_is_used(void **state)
{
    cat_connection_t *conn = make_first(*state);

    assert_int_equal(check(conn, "7 3"), APR_SUCCESS);
    assert_int_equal(check(conn, "7 0"), APR_SUCCESS); /* a stand-by */
    assert_int_equal(check(conn, NULL), APR_SUCCESS);
    assert_int_equal(check(conn, "nothing"), APR_SUCCESS);
    server.rv = CAT_EDOWN; /* the user may not ask */
    assert_int_equal(check(conn, NULL), APR_SUCCESS);
    server.rv = CAT_ELOST;
    assert_int_equal(check(conn, NULL), CAT_ELOST);
    server.rv = APR_SUCCESS;
    assert_int_equal(check(conn, "8 1"), APR_SUCCESS); /* another cluster, restored or made anew */
    conn->dialect = &other;
    assert_int_equal(check(conn, "8 0"), APR_SUCCESS);
    assert_int_equal(server.cuts, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_former_primary_is_refused),
        UNIT_TEST(test_first_connection_asks_all_hosts),
        UNIT_TEST(test_stand_by_asks_no_host),
        UNIT_TEST(test_newest_host_is_found),
        UNIT_TEST(test_no_host_is_found_while_the_newest_is_away),
        UNIT_TEST(test_statement_that_waits_asks_at_most_once_a_second),
        UNIT_TEST(test_each_cluster_has_its_own_timeline),
        UNIT_TEST(test_what_says_nothing_is_used),
    };
    return UNIT_RUN(tests);
}
