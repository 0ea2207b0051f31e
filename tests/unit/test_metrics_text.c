/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include "shm/metrics_text.h"

static const cat_route_t routes[] = {
    {.method = "GET", .path = "/products"},
    {.method = "POST", .path = "/products"},
    {.method = NULL},
};

static cat_metrics_t *make(apr_pool_t *pool)
{
    cat_metrics_t *metrics = NULL;

    assert_int_equal(cat_metrics_create(&metrics, pool, pool, routes), APR_SUCCESS);
    return metrics;
}

static const char *write_all(apr_pool_t *pool, const cat_metrics_t *metrics, cat_metrics_reading_t *reading,
                             cat_metrics_format_t format)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 1);
    cat_metrics_text_write(&b, metrics, reading ? reading : cat_metrics_read(metrics, pool), format);
    return cat_buffer_text(&b);
}

static void check_has(const char *text, const char *lines)
{
    if (!strstr(text, lines)) {
        fail_msg("not there: %s", lines);
    }
}

static void check_lacks(const char *text, const char *part)
{
    if (strstr(text, part)) {
        fail_msg("there: %s", part);
    }
}

static void test_counters_have_all_values_from_the_start(void **state)
{
    cat_metrics_t *metrics = make(*state);

    cat_metrics_add(metrics, CAT_METRIC_CACHE_INVALIDATIONS, CAT_SCOPE_LISTS, 7);
    check_has(write_all(*state, metrics, NULL, CAT_METRICS_PROMETHEUS),
              "# HELP catalog_cache_invalidations_total Changes that made cached answers invalid, by scope\n"
              "# TYPE catalog_cache_invalidations_total counter\n"
              "catalog_cache_invalidations_total{scope=\"product\"} 0\n"
              "catalog_cache_invalidations_total{scope=\"lists\"} 7\n#");
}

static void test_requests_have_the_rows_of_the_table_and_what_was_counted(void **state)
{
    cat_metrics_t *metrics = make(*state);
    const char *text;

    cat_metrics_count_request(metrics, &routes[0], CAT_METHOD_HEAD, 304, 750);
    cat_metrics_count_request(metrics, NULL, CAT_METHOD_OTHER, 404, 6000000);
    text = write_all(*state, metrics, NULL, CAT_METRICS_PROMETHEUS);
    check_has(text, "# TYPE catalog_requests_total counter\n"
                    "catalog_requests_total{route=\"/products\",method=\"GET\",code=\"2xx\"} 0\n"
                    "catalog_requests_total{route=\"/products\",method=\"GET\",code=\"4xx\"} 0\n"
                    "catalog_requests_total{route=\"/products\",method=\"GET\",code=\"5xx\"} 0\n"
                    "catalog_requests_total{route=\"/products\",method=\"HEAD\",code=\"3xx\"} 1\n"
                    "catalog_requests_total{route=\"/products\",method=\"POST\",code=\"2xx\"} 0\n"
                    "catalog_requests_total{route=\"/products\",method=\"POST\",code=\"4xx\"} 0\n"
                    "catalog_requests_total{route=\"/products\",method=\"POST\",code=\"5xx\"} 0\n"
                    "catalog_requests_total{route=\"unknown\",method=\"other\",code=\"4xx\"} 1\n#");
    check_has(text, "catalog_request_duration_seconds_bucket{route=\"/products\",method=\"HEAD\",le=\"0.0005\"} 0\n"
                    "catalog_request_duration_seconds_bucket{route=\"/products\",method=\"HEAD\",le=\"0.001\"} 1\n");
    check_has(text, "catalog_request_duration_seconds_bucket{route=\"unknown\",method=\"other\",le=\"5.0\"} 0\n"
                    "catalog_request_duration_seconds_bucket{route=\"unknown\",method=\"other\",le=\"+Inf\"} 1\n"
                    "catalog_request_duration_seconds_sum{route=\"unknown\",method=\"other\"} 6.0\n"
                    "catalog_request_duration_seconds_count{route=\"unknown\",method=\"other\"} 1\n#");
    check_lacks(text, "duration_seconds_count{route=\"/products\",method=\"GET\"");
}

static void test_buckets_are_cumulative(void **state)
{
    cat_metrics_t *metrics = make(*state);

    for (int i = 1; i <= 65; i++) {
        cat_metrics_observe(metrics, CAT_METRIC_WRITE_BATCH, i);
    }
    check_has(write_all(*state, metrics, NULL, CAT_METRICS_PROMETHEUS),
              "# TYPE catalog_database_write_batch_size histogram\n"
              "catalog_database_write_batch_size_bucket{le=\"1.0\"} 1\n"
              "catalog_database_write_batch_size_bucket{le=\"2.0\"} 2\n"
              "catalog_database_write_batch_size_bucket{le=\"4.0\"} 4\n"
              "catalog_database_write_batch_size_bucket{le=\"8.0\"} 8\n"
              "catalog_database_write_batch_size_bucket{le=\"16.0\"} 16\n"
              "catalog_database_write_batch_size_bucket{le=\"32.0\"} 32\n"
              "catalog_database_write_batch_size_bucket{le=\"64.0\"} 64\n"
              "catalog_database_write_batch_size_bucket{le=\"+Inf\"} 65\n"
              "catalog_database_write_batch_size_sum 2145.0\n"
              "catalog_database_write_batch_size_count 65\n");
}

static void test_gauges_without_a_value_have_no_series(void **state)
{
    cat_metrics_t *metrics = make(*state);
    cat_metrics_reading_t *reading = cat_metrics_read(metrics, *state);
    const char *text;

    cat_metrics_set(reading, CAT_METRIC_MAILS_AGE, 1.25);
    cat_metrics_set(reading, CAT_METRIC_BUILD, 1);
    text = write_all(*state, metrics, reading, CAT_METRICS_PROMETHEUS);
    check_has(text, "\ncatalog_mails_oldest_age_seconds 1.25\n");
    check_has(text, "\ncatalog_build_info{version=\"");
    check_has(text, "\ncatalog_database_write_queue 0.0\n");
    check_lacks(text, "\ncatalog_mails_pending ");
}

static void test_openmetrics_names_the_family_and_ends(void **state)
{
    cat_metrics_t *metrics = make(*state);
    const char *text = write_all(*state, metrics, NULL, CAT_METRICS_OPENMETRICS);

    check_has(text, "# TYPE catalog_cache_hits counter\ncatalog_cache_hits_total 0\n");
    check_has(text, "# TYPE catalog_database_write_wait_seconds histogram\n");
    assert_string_equal(text + strlen(text) - strlen("# EOF\n"), "# EOF\n");
    check_lacks(write_all(*state, metrics, NULL, CAT_METRICS_PROMETHEUS), "# EOF");
}

static void test_names_for_mod_status_have_no_unit(void **state)
{
    assert_string_equal(cat_metrics_text_name(*state, CAT_METRIC_CACHE_HITS), "CatalogCacheHits");
    assert_string_equal(cat_metrics_text_name(*state, CAT_METRIC_CACHE_SIZE), "CatalogCacheSize");
    assert_string_equal(cat_metrics_text_name(*state, CAT_METRIC_MAILS_AGE), "CatalogMailsOldestAgeSeconds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_counters_have_all_values_from_the_start),
        UNIT_TEST(test_requests_have_the_rows_of_the_table_and_what_was_counted),
        UNIT_TEST(test_buckets_are_cumulative),
        UNIT_TEST(test_gauges_without_a_value_have_no_series),
        UNIT_TEST(test_openmetrics_names_the_family_and_ends),
        UNIT_TEST(test_names_for_mod_status_have_no_unit),
    };
    return UNIT_RUN(tests);
}
