/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm/metrics.h"

#define SECOND APR_USEC_PER_SEC
#define NOW (1800000000 * SECOND)

static const cat_route_t routes[] = {
    {.method = "GET", .path = "/products"},
    {.method = "POST", .path = "/products"},
    {.method = "GET", .path = "/products/:id"},
    {.method = NULL},
};

static cat_metrics_t *make(apr_pool_t *pool)
{
    cat_metrics_t *metrics = NULL;

    assert_int_equal(cat_metrics_create(&metrics, pool, pool, routes), APR_SUCCESS);
    return metrics;
}

static double total(const cat_metrics_t *metrics, apr_pool_t *pool, cat_metric_t metric)
{
    return cat_metrics_total(cat_metrics_read(metrics, pool), metric);
}

static apr_uint64_t count(const cat_metrics_t *metrics, apr_pool_t *pool, int route, int method, int code)
{
    const int values[] = {route, method, code};

    return *cat_metrics_words(cat_metrics_read(metrics, pool), CAT_METRIC_REQUESTS,
                              cat_metrics_number(metrics, CAT_METRIC_REQUESTS, values));
}

static void test_each_metric_has_name_kind_and_help(void **)
{
    for (int i = 0; i < CAT_METRICS; i++) {
        const cat_metric_row_t *row = &cat_metric_rows[i];
        assert_memory_equal(row->name, "catalog_", strlen("catalog_"));
        assert_int_equal(row->kind == CAT_METRIC_COUNTER,
                         !strcmp(row->name + strlen(row->name) - strlen("_total"), "_total"));
        assert_true(strlen(row->help) > 0);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(row->name, cat_metric_rows[j].name);
        }
    }
}

static void test_counts_nothing_without_metrics(void **)
{
    const cat_database_facts_t facts = {.schema = 1};

    cat_metrics_add(NULL, CAT_METRIC_CACHE_HITS, 0, 1);
    cat_metrics_add_pair(NULL, CAT_METRIC_STATEMENTS, 0, 0);
    cat_metrics_observe(NULL, CAT_METRIC_WRITE_WAIT, 1);
    cat_metrics_shift(NULL, CAT_METRIC_WRITE_QUEUE, 1);
    cat_metrics_count_request(NULL, NULL, CAT_METHOD_GET, 200, 1);
    cat_metrics_note_database(NULL, "x", &facts, NOW);
}

static void test_adds_to_each_series_alone(void **state)
{
    cat_metrics_t *metrics = make(*state);
    const cat_metrics_reading_t *reading;

    for (int engine = 0; engine < 3; engine++) {
        for (int kind = 0; kind < 4; kind++) {
            for (int i = 0; i <= engine * 4 + kind; i++) {
                cat_metrics_add_pair(metrics, CAT_METRIC_STATEMENTS, engine, kind);
            }
        }
    }
    cat_metrics_add(metrics, CAT_METRIC_TOKEN_FAILURES, CAT_TOKEN_EXPIRED, 100);
    reading = cat_metrics_read(metrics, *state);
    for (int i = 0; i < 12; i++) {
        assert_int_equal(*cat_metrics_words(reading, CAT_METRIC_STATEMENTS, i), i + 1);
    }
    assert_int_equal(*cat_metrics_words(reading, CAT_METRIC_TOKEN_FAILURES, CAT_TOKEN_EXPIRED), 100);
    for (int i = 0; i < CAT_METRICS; i++) {
        double expected = i == CAT_METRIC_STATEMENTS ? 78 : i == CAT_METRIC_TOKEN_FAILURES ? 100 : 0;
        if (cat_metric_rows[i].kind != CAT_METRIC_GAUGE) {
            assert_true(cat_metrics_total(reading, (cat_metric_t)i) == expected);
        }
    }
}

static void test_counts_requests_by_route_method_and_code(void **state)
{
    cat_metrics_t *metrics = make(*state);

    cat_metrics_count_request(metrics, &routes[2], CAT_METHOD_GET, 200, 400);
    cat_metrics_count_request(metrics, &routes[2], CAT_METHOD_GET, 204, 400);
    cat_metrics_count_request(metrics, &routes[2], CAT_METHOD_HEAD, 304, 400);
    cat_metrics_count_request(metrics, &routes[1], CAT_METHOD_POST, 503, 400);
    cat_metrics_count_request(metrics, NULL, CAT_METHOD_OTHER, 404, 400);
    cat_metrics_count_request(metrics, NULL, CAT_METHOD_OTHER, 0, 400);
    assert_int_equal(count(metrics, *state, 2, CAT_METHOD_GET, 1), 2);
    assert_int_equal(count(metrics, *state, 2, CAT_METHOD_HEAD, 2), 1);
    assert_int_equal(count(metrics, *state, 1, CAT_METHOD_POST, 4), 1);
    assert_int_equal(count(metrics, *state, 3, CAT_METHOD_OTHER, 3), 1);
    assert_int_equal(count(metrics, *state, 3, CAT_METHOD_OTHER, 4), 1);
    assert_true(total(metrics, *state, CAT_METRIC_REQUESTS) == 6);
    assert_true(total(metrics, *state, CAT_METRIC_REQUEST_TIME) == 6);
    assert_string_equal(cat_metrics_value(metrics, CAT_LABEL_ROUTE, 2), "/products/:id");
    assert_string_equal(cat_metrics_value(metrics, CAT_LABEL_ROUTE, 3), "unknown");
    assert_true(cat_metrics_has_route(metrics, 1, CAT_METHOD_POST));
    assert_false(cat_metrics_has_route(metrics, 1, CAT_METHOD_GET));
    assert_false(cat_metrics_has_route(metrics, 3, CAT_METHOD_GET));
}

/* A value equal to a bound is in its bucket. */
static void test_histogram_has_each_value_in_one_bucket(void **state)
{
    cat_metrics_t *metrics = make(*state);
    const cat_bounds_t *bounds = cat_metrics_bounds(CAT_METRIC_TIMES);
    const apr_uint64_t *words;
    apr_int64_t sum = 0;

    for (int i = 0; i < bounds->count; i++) {
        cat_metrics_observe(metrics, CAT_METRIC_WRITE_WAIT, bounds->upper[i]);
        sum += bounds->upper[i];
    }
    cat_metrics_observe(metrics, CAT_METRIC_WRITE_WAIT, bounds->upper[bounds->count - 1] + 1);
    cat_metrics_observe(metrics, CAT_METRIC_WRITE_WAIT, -1);
    words = cat_metrics_words(cat_metrics_read(metrics, *state), CAT_METRIC_WRITE_WAIT, 0);
    for (int i = 0; i <= bounds->count; i++) {
        assert_int_equal(words[i], i == 0 ? 2 : 1);
    }
    assert_int_equal(words[bounds->count + 1], sum + bounds->upper[bounds->count - 1] + 1);
}

static void test_labels_have_their_values(void **)
{
    assert_int_equal(cat_metrics_find(CAT_LABEL_LIMIT, "login"), 0);
    assert_int_equal(cat_metrics_find(CAT_LABEL_LIMIT, "delay"), cat_metrics_count_values(NULL, CAT_LABEL_LIMIT) - 1);
    assert_int_equal(cat_metrics_find(CAT_LABEL_LIMIT, "none"), -1);
    assert_int_equal(cat_metrics_find(CAT_LABEL_TOKEN, "expired"), CAT_TOKEN_EXPIRED);
    assert_int_equal(cat_metrics_find(CAT_LABEL_ENGINE, "pgsql"), CAT_ENGINE_PGSQL);
    assert_int_equal(cat_metrics_count_values(NULL, CAT_LABEL_NONE), 1);
}

/* The next configuration of the same parent process, and one with another route table. */
static void test_counts_outlive_the_configuration_unless_the_table_changes(void **state)
{
    static const cat_route_t others[] = {{.method = "GET", .path = "/"}, {.method = NULL}};
    cat_metrics_t *metrics = NULL;
    apr_pool_t *conf;

    apr_pool_create(&conf, *state);
    assert_int_equal(cat_metrics_create(&metrics, conf, *state, routes), APR_SUCCESS);
    cat_metrics_add(metrics, CAT_METRIC_CACHE_HITS, 0, 5);
    apr_pool_clear(conf);
    assert_int_equal(cat_metrics_create(&metrics, conf, *state, others), APR_SUCCESS);
    assert_true(total(metrics, *state, CAT_METRIC_CACHE_HITS) == 0);
    apr_pool_clear(conf);
    assert_int_equal(cat_metrics_create(&metrics, conf, *state, routes), APR_SUCCESS);
    assert_true(total(metrics, *state, CAT_METRIC_CACHE_HITS) == 5);
}

/* ---- children ---- */

#define MANY 40 /* more than there are shards */

/* What a child does until it ends with its pool, or is killed. */
typedef void child_work_t(cat_metrics_t *metrics);

static pid_t run_child(apr_pool_t *pool, cat_metrics_t *metrics, child_work_t *work, int is_killed)
{
    int ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (!pid) {
        apr_pool_t *own;
        apr_pool_create(&own, pool);
        cat_metrics_child_init(metrics, own);
        work(metrics);
        if (!is_killed) {
            apr_pool_destroy(own);
        }
        _exit(write(ready[1], "x", 1) != 1 || (is_killed && pause()));
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void end_child(pid_t pid, int signal)
{
    if (signal) {
        kill(pid, signal);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void count_and_wait(cat_metrics_t *metrics)
{
    cat_metrics_add(metrics, CAT_METRIC_CACHE_HITS, 0, 3);
    cat_metrics_shift(metrics, CAT_METRIC_WRITE_QUEUE, 1);
    cat_metrics_shift(metrics, CAT_METRIC_HASH_QUEUE, 1);
    cat_metrics_shift(metrics, CAT_METRIC_HASH_QUEUE, -1);
}

static void test_counts_of_children_last_and_levels_end_with_them(void **state)
{
    cat_metrics_t *metrics = make(*state);
    pid_t pids[MANY];

    for (int i = 0; i < MANY; i++) {
        pids[i] = run_child(*state, metrics, count_and_wait, i % 2);
    }
    for (int i = 0; i < MANY; i += 2) {
        end_child(pids[i], 0);
    }
    assert_true(total(metrics, *state, CAT_METRIC_CACHE_HITS) == 3 * MANY);
    assert_true(total(metrics, *state, CAT_METRIC_WRITE_QUEUE) == MANY / 2.0);
    assert_true(total(metrics, *state, CAT_METRIC_HASH_QUEUE) == 0);
    for (int i = 1; i < MANY; i += 2) {
        end_child(pids[i], SIGKILL);
    }
    assert_true(total(metrics, *state, CAT_METRIC_CACHE_HITS) == 3 * MANY);
    assert_true(total(metrics, *state, CAT_METRIC_WRITE_QUEUE) == 0);
}

static void do_nothing(cat_metrics_t *)
{
}

/* More children die over time than there are slots. */
static void test_slots_of_dead_children_are_used_again(void **state)
{
    cat_metrics_t *metrics = make(*state);
    pid_t last;

    for (int i = 0; i < 1100; i++) {
        end_child(run_child(*state, metrics, i % 2 ? do_nothing : count_and_wait, 1), SIGKILL);
    }
    last = run_child(*state, metrics, count_and_wait, 1);
    assert_true(total(metrics, *state, CAT_METRIC_WRITE_QUEUE) == 1);
    end_child(last, SIGKILL);
}

/* ---- threads ---- */

#define THREADS 4
#define ROUNDS 20000

static void *count_often(void *data)
{
    cat_metrics_t *metrics = data;

    for (int i = 0; i < ROUNDS; i++) {
        cat_metrics_count_request(metrics, &routes[i % 3], CAT_METHOD_GET, 200, i);
        cat_metrics_shift(metrics, CAT_METRIC_CONNECTIONS, 1);
        cat_metrics_shift(metrics, CAT_METRIC_CONNECTIONS, -1);
    }
    return NULL;
}

static void test_threads_count_while_another_reads(void **state)
{
    cat_metrics_t *metrics = make(*state);
    pthread_t threads[THREADS];
    double before = 0;

    cat_metrics_child_init(metrics, *state);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, count_often, metrics), 0);
    }
    for (int i = 0; i < 20; i++) {
        double now = total(metrics, *state, CAT_METRIC_REQUESTS);
        assert_true(now >= before && now <= THREADS * ROUNDS);
        before = now;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_true(total(metrics, *state, CAT_METRIC_REQUESTS) == THREADS * ROUNDS);
    assert_true(total(metrics, *state, CAT_METRIC_REQUEST_TIME) == THREADS * ROUNDS);
    assert_true(total(metrics, *state, CAT_METRIC_CONNECTIONS) == 0);
}

/* ---- databases ---- */

static void test_facts_of_databases_are_summed_while_they_are_new(void **state)
{
    cat_metrics_t *metrics = make(*state);
    const cat_database_facts_t one = {3, 1, NOW - 10 * SECOND, 2, NOW - 30 * SECOND, NOW - SECOND, 8},
                               two = {4, 0, NOW - 20 * SECOND, 1, NOW - 5 * SECOND, NOW - 2 * SECOND, 7},
                               none = {0, 0, 0, 0, 0, 0, 9};
    cat_database_facts_t all;

    assert_int_equal(cat_metrics_read_databases(metrics, &all, NOW), 0);
    cat_metrics_note_database(metrics, "one", &one, NOW - CAT_FACTS_AGE);
    assert_int_equal(cat_metrics_read_databases(metrics, &all, NOW), 0);
    cat_metrics_note_database(metrics, "one", &one, NOW);
    cat_metrics_note_database(metrics, "two", &two, NOW);
    cat_metrics_note_database(metrics, "none", &none, NOW);
    cat_metrics_note_database(metrics, "one", &one, NOW);
    assert_int_equal(cat_metrics_read_databases(metrics, &all, NOW), 3);
    assert_int_equal(all.mails_pending, 7);
    assert_int_equal(all.mails_dead, 1);
    assert_true(all.oldest_mail == NOW - 20 * SECOND);
    assert_int_equal(all.webhooks_dead, 3);
    assert_true(all.webhook_failing == NOW - 30 * SECOND);
    assert_true(all.oldest_change == NOW - 2 * SECOND);
    assert_int_equal(all.schema, 7);
}

static void test_gauges_have_no_value_until_it_is_set(void **state)
{
    cat_metrics_reading_t *reading = cat_metrics_read(make(*state), *state);

    assert_true(isnan(cat_metrics_gauge(reading, CAT_METRIC_CACHE_SIZE)));
    cat_metrics_set(reading, CAT_METRIC_CACHE_SIZE, 65536);
    assert_true(cat_metrics_gauge(reading, CAT_METRIC_CACHE_SIZE) == 65536);
    assert_true(cat_metrics_total(reading, CAT_METRIC_CACHE_SIZE) == 65536);
    assert_true(cat_metrics_gauge(reading, CAT_METRIC_WRITE_QUEUE) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_metric_has_name_kind_and_help),
        UNIT_TEST(test_counts_nothing_without_metrics),
        UNIT_TEST(test_adds_to_each_series_alone),
        UNIT_TEST(test_counts_requests_by_route_method_and_code),
        UNIT_TEST(test_histogram_has_each_value_in_one_bucket),
        UNIT_TEST(test_labels_have_their_values),
        UNIT_TEST(test_counts_outlive_the_configuration_unless_the_table_changes),
        UNIT_TEST(test_counts_of_children_last_and_levels_end_with_them),
        UNIT_TEST(test_slots_of_dead_children_are_used_again),
        UNIT_TEST(test_threads_count_while_another_reads),
        UNIT_TEST(test_facts_of_databases_are_summed_while_they_are_new),
        UNIT_TEST(test_gauges_have_no_value_until_it_is_set),
    };
    return UNIT_RUN(tests);
}
