/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <pthread.h>
#include <string.h>

#include "db/dialects/status.h"
#include "db/pool/source.h"

/* ---- connections, from a connector that fails a given number of times ---- */

typedef struct fake_t {
    cat_source_t *source;
    cat_log_t log;
    char last[200];        /* the last message */
    cat_log_level_t level; /* its level */
    atomic_int failures, attempts, closed;
    atomic_int is_slow; /* flag: an attempt lasts as long as it is set */
} fake_t;

static apr_status_t open_fake(void *context, apr_pool_t *, cat_db_handle_t *, const char **cause)
{
    fake_t *fake = context;

    *cause = "nobody answers";
    fake->attempts++;
    while (fake->is_slow) {
        apr_sleep(apr_time_from_msec(10));
    }
    return fake->failures-- > 0 ? APR_EGENERAL : APR_SUCCESS;
}

static void close_fake(void *context, cat_db_handle_t *)
{
    fake_t *fake = context;

    fake->closed++;
}

static void keep_last(void *context, cat_log_level_t level, apr_status_t, const char *message)
{
    fake_t *fake = context;

    fake->level = level;
    strncpy(fake->last, message, sizeof(fake->last) - 1);
}

static const cat_connector_t connector = {.open = open_fake, .close = close_fake};

/* child: of the process, which ends with it. */
static fake_t *make_fake_in(apr_pool_t *child, apr_pool_t *pool, int failures)
{
    fake_t *fake = apr_pcalloc(pool, sizeof(*fake));

    fake->source = cat_source_create(pool, "test", &connector, fake);
    fake->log = (cat_log_t){.write = keep_last, .context = fake};
    fake->failures = failures;
    assert_int_equal(cat_source_child_init(fake->source, child, NULL, NULL, NULL), APR_SUCCESS);
    return fake;
}

static fake_t *make_fake(apr_pool_t *pool, int failures)
{
    return make_fake_in(pool, pool, failures);
}

static apr_status_t open_one(fake_t *fake, apr_pool_t *pool, int max)
{
    cat_db_handle_t handle = {0};

    return cat_source_open(fake->source, pool, max, &fake->log, &handle);
}

/* After a restart of the database each pooled connection fails once. */
static void test_stale_connections_are_passed_over(void **state)
{
    fake_t *fake = make_fake(*state, 3);

    assert_int_equal(open_one(fake, *state, 4), APR_SUCCESS);
    assert_int_equal(fake->attempts, 4);
    assert_string_equal(fake->last, "");
}

static void test_database_that_is_down_is_asked_once(void **state)
{
    fake_t *fake = make_fake(*state, 1000);

    assert_int_equal(open_one(fake, *state, 1), CAT_EDOWN);
    assert_string_equal(fake->last, "CAT002: no connection to test: nobody answers");
    fake->attempts = 0;
    assert_int_equal(open_one(fake, *state, 1), CAT_EDOWN);
    assert_int_equal(fake->attempts, 1);
    fake->failures = 0;
    assert_int_equal(open_one(fake, *state, 1), APR_SUCCESS); /* no permit was lost */
}

static const cat_metrics_t *count_uses(fake_t *fake, apr_pool_t *pool)
{
    static const cat_route_t no_routes[] = {{.method = NULL}};
    cat_metrics_t *metrics;

    assert_int_equal(cat_metrics_create(&metrics, pool, pool, no_routes), APR_SUCCESS);
    cat_metrics_child_init(metrics, pool);
    fake->source->database.metrics = metrics;
    return metrics;
}

static double total(const cat_metrics_t *metrics, apr_pool_t *pool, cat_metric_t metric)
{
    return cat_metrics_total(cat_metrics_read(metrics, pool), metric);
}

static apr_uint64_t count_failures(const cat_metrics_t *metrics, apr_pool_t *pool, cat_connection_failure_t failure)
{
    return *cat_metrics_words(cat_metrics_read(metrics, pool), CAT_METRIC_CONNECTION_FAILURES, (int)failure);
}

static void test_connections_are_limited(void **state)
{
    fake_t *fake = make_fake(*state, 0);
    cat_db_handle_t handle = {0};
    const cat_metrics_t *metrics = count_uses(fake, *state);

    assert_int_equal(open_one(fake, *state, 1), APR_SUCCESS);
    assert_int_equal(open_one(fake, *state, 1), CAT_EBUSY);
    assert_int_equal(strncmp(fake->last, "CAT001", 6), 0);
    assert_int_equal(fake->level, CAT_LOG_ERROR);
    assert_true(total(metrics, *state, CAT_METRIC_CONNECTIONS) == 1);
    assert_true(total(metrics, *state, CAT_METRIC_CONNECTION_WAIT) == 1);
    assert_int_equal(count_failures(metrics, *state, CAT_CONNECTION_LIMIT), 1);
    cat_source_close(fake->source, &handle);
    assert_true(total(metrics, *state, CAT_METRIC_CONNECTIONS) == 0);
    assert_int_equal(open_one(fake, *state, 1), APR_SUCCESS);
}

static void test_a_job_that_has_to_wait_is_no_error(void **state)
{
    fake_t *fake = make_fake(*state, 0);

    assert_int_equal(open_one(fake, *state, 1), APR_SUCCESS);
    fake->log.is_background = 1;
    assert_int_equal(open_one(fake, *state, 1), CAT_EBUSY);
    assert_int_equal(strncmp(fake->last, "CAT001", 6), 0);
    assert_int_equal(fake->level, CAT_LOG_INFO);
}

static void *open_in_thread(void *data)
{
    fake_t *fake = data;
    apr_pool_t *pool;
    apr_status_t rv;

    apr_pool_create(&pool, NULL);
    rv = open_one(fake, pool, 8);
    apr_pool_destroy(pool);
    return rv == CAT_EDOWN ? fake : NULL;
}

/* If a server does not answer, only one thread waits for the timeout. */
static void test_others_do_not_wait_for_an_attempt(void **state)
{
    fake_t *fake = make_fake(*state, 1000);
    const cat_metrics_t *metrics = count_uses(fake, *state);
    apr_time_t began;
    pthread_t thread;
    void *is_down;

    assert_int_equal(open_one(fake, *state, 8), CAT_EDOWN);
    fake->attempts = 0;
    fake->is_slow = 1;
    assert_int_equal(pthread_create(&thread, NULL, open_in_thread, fake), 0);
    while (!fake->attempts) {
        apr_sleep(apr_time_from_msec(1));
    }
    began = apr_time_now();
    assert_int_equal(open_one(fake, *state, 8), CAT_EDOWN);
    assert_int_equal(strncmp(fake->last, "CAT056", 6), 0);
    assert_int_equal(fake->attempts, 1);
    assert_true(apr_time_now() - began >= apr_time_from_msec(400));
    fake->is_slow = 0;
    pthread_join(thread, &is_down);
    assert_ptr_equal(is_down, fake);
    assert_int_equal(count_failures(metrics, *state, CAT_CONNECTION_DOWN), 3);
    assert_true(total(metrics, *state, CAT_METRIC_CONNECTIONS) == 0);
}

/* ---- connections that are kept ---- */

/* A source whose connections may be kept. */
static fake_t *make_keeper(apr_pool_t *child, apr_pool_t *pool, const cat_dialect_t *dialect, int keeps)
{
    fake_t *fake = make_fake_in(child, pool, 0);

    fake->source->keeps = keeps;
    fake->source->dialect = dialect;
    return fake;
}

/* Opens a connection and gives it back, 20 times. */
static void use_repeatedly(fake_t *fake, apr_pool_t *pool)
{
    for (int i = 0; i < 20; i++) {
        cat_db_handle_t handle = {0};
        assert_int_equal(cat_source_open(fake->source, pool, 8, &fake->log, &handle), APR_SUCCESS);
        assert_int_equal(cat_source_check(fake->source, pool, &(cat_db_handle_t){0}), APR_SUCCESS);
        cat_source_keep(fake->source, &handle);
    }
}

static void test_connection_is_kept_for_the_next_use(void **state)
{
    fake_t *fake = make_keeper(*state, *state, &cat_dialect_mysql, 1);

    use_repeatedly(fake, *state);
    assert_in_range(fake->attempts, 1, 19); /* more than one on a machine that takes long for all that */
    apr_sleep(CAT_WARM_TIME);
    cat_source_sweep(fake->source);
    assert_int_equal(fake->closed, fake->attempts);
}

static void test_connection_is_kept_where_that_saves_a_round_trip(void **state)
{
    fake_t *fakes[] = {make_keeper(*state, *state, &cat_dialect_sqlite3, 1),
                       make_keeper(*state, *state, &cat_dialect_pgsql, 1), make_keeper(*state, *state, NULL, 1),
                       make_keeper(*state, *state, &cat_dialect_mysql, 0)};

    for (int i = 0; i < 4; i++) {
        use_repeatedly(fakes[i], *state);
        assert_int_equal(fakes[i]->attempts, 20);
        assert_int_equal(fakes[i]->closed, 20);
    }
}

static void test_kept_connections_are_no_use_after_a_loss(void **state)
{
    fake_t *fake = make_keeper(*state, *state, &cat_dialect_mysql, 1);
    int before;

    use_repeatedly(fake, *state);
    before = fake->attempts;
    cat_database_note_loss(&fake->source->database);
    assert_int_equal(open_one(fake, *state, 8), APR_SUCCESS);
    assert_int_equal(fake->attempts, before + 1);
    assert_int_equal(fake->closed, before);
}

/* The pool that they belong to ends then, too. */
static void test_kept_connections_are_given_back_at_the_end(void **state)
{
    fake_t *fake;
    apr_pool_t *child;

    apr_pool_create(&child, *state);
    fake = make_keeper(child, *state, &cat_dialect_mysql, 1);
    use_repeatedly(fake, *state);
    apr_pool_destroy(child);
    assert_int_equal(fake->closed, fake->attempts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_job_that_has_to_wait_is_no_error),
        UNIT_TEST(test_stale_connections_are_passed_over),
        UNIT_TEST(test_database_that_is_down_is_asked_once),
        UNIT_TEST(test_connections_are_limited),
        UNIT_TEST(test_others_do_not_wait_for_an_attempt),
        UNIT_TEST(test_connection_is_kept_for_the_next_use),
        UNIT_TEST(test_connection_is_kept_where_that_saves_a_round_trip),
        UNIT_TEST(test_kept_connections_are_no_use_after_a_loss),
        UNIT_TEST(test_kept_connections_are_given_back_at_the_end),
    };
    return UNIT_RUN(tests);
}
