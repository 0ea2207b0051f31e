/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes metrics in the text format of Prometheus or in OpenMetrics.
 *
 *     # HELP catalog_database_faults_total Statements that failed, ...
 *     # TYPE catalog_database_faults_total counter                       without "_total" in OpenMetrics
 *     catalog_database_faults_total{engine="mysql",reason="lost"} 2
 *
 *     catalog_request_duration_seconds_bucket{...,le="0.0005"} 7         values up to the bound, so each bucket
 *     catalog_request_duration_seconds_bucket{...,le="0.001"} 9          includes those before it
 *     ...
 *     catalog_request_duration_seconds_bucket{...,le="+Inf"} 10
 *     catalog_request_duration_seconds_sum{...} 0.025
 *     catalog_request_duration_seconds_count{...} 10
 *
 * The series of a metric are written in the order of their numbers. A series of a route is omitted while its count is
 * 0, except the series that alerts need before the first failure.
 */
#include "shm/metrics_text.h"

#include <math.h>

#include <apr_lib.h>
#include <apr_strings.h>

static const char total[] = "_total";

typedef struct writer_t {
    cat_buffer_t *b;
    const cat_metrics_t *metrics;
    const cat_metrics_reading_t *reading;
    cat_metrics_format_t format;
    cat_metric_t metric;
    const cat_metric_row_t *row; /* row of the metric */
} writer_t;

static int ends_with(const char *text, const char *end)
{
    apr_size_t length = strlen(text), end_length = strlen(end);

    return length > end_length && !strcmp(text + length - end_length, end);
}

/* OpenMetrics describes a counter without the suffix "_total". */
static void write_family(const writer_t *w, const char *what)
{
    apr_size_t length = strlen(w->row->name);

    if (w->format == CAT_METRICS_OPENMETRICS && ends_with(w->row->name, total)) {
        length -= sizeof(total) - 1;
    }
    cat_buffer_add_text(w->b, what);
    cat_buffer_add(w->b, w->row->name, length);
    CAT_BUFFER_LITERAL(w->b, " ");
}

static void write_head(const writer_t *w)
{
    static const char *const types[] = {
        [CAT_METRIC_COUNTER] = "counter", [CAT_METRIC_TIMES] = "histogram", [CAT_METRIC_SIZES] = "histogram",
        [CAT_METRIC_LEVEL] = "gauge",     [CAT_METRIC_GAUGE] = "gauge",
    };

    write_family(w, "# HELP ");
    cat_buffer_add_text(w->b, w->row->help);
    write_family(w, "\n# TYPE ");
    cat_buffer_add_text(w->b, types[w->row->kind]);
    CAT_BUFFER_LITERAL(w->b, "\n");
}

#define REAL_SIZE 64

/* Formats a number for both formats. Always writes a decimal point, which OpenMetrics requires in bounds. */
static const char *format_real(char text[REAL_SIZE], double value)
{
    if (isinf(value)) {
        return "+Inf";
    }
    apr_snprintf(text, REAL_SIZE, "%.6f", value);
    for (char *end = text + strlen(text); end[-1] == '0' && end[-2] != '.';) {
        *--end = '\0';
    }
    return text;
}

static void write_count(const writer_t *w, apr_uint64_t count)
{
    cat_buffer_add_text(w->b, apr_psprintf(w->b->pool, " %" APR_UINT64_T_FMT "\n", count));
}

static void write_real(const writer_t *w, double value)
{
    char text[REAL_SIZE];

    CAT_BUFFER_LITERAL(w->b, " ");
    cat_buffer_add_text(w->b, format_real(text, value));
    CAT_BUFFER_LITERAL(w->b, "\n");
}

static void write_label(const writer_t *w, const char *name, const char *value)
{
    cat_buffer_add_text(w->b, w->b->data[w->b->length - 1] == '{' ? "" : ",");
    cat_buffer_add_text(w->b, name);
    CAT_BUFFER_LITERAL(w->b, "=\"");
    cat_buffer_add_text(w->b, value);
    CAT_BUFFER_LITERAL(w->b, "\"");
}

/* Writes the name and labels of a series. `le` is NULL if the series is not a bucket. Values need no escapes, because
 * none comes from a client. */
static void write_name(const writer_t *w, const char *suffix, const int values[CAT_METRIC_LABELS], const double *le)
{
    char bound[REAL_SIZE];

    cat_buffer_add_text(w->b, w->row->name);
    cat_buffer_add_text(w->b, suffix);
    if (w->row->labels[0] == CAT_LABEL_NONE && !le) {
        return;
    }
    CAT_BUFFER_LITERAL(w->b, "{");
    for (int i = 0; i < CAT_METRIC_LABELS && w->row->labels[i] != CAT_LABEL_NONE; i++) {
        write_label(w, cat_metrics_label(w->row->labels[i]),
                    cat_metrics_value(w->metrics, w->row->labels[i], values[i]));
    }
    if (le) {
        write_label(w, "le", format_real(bound, *le));
    }
    CAT_BUFFER_LITERAL(w->b, "}");
}

static void write_histogram(const writer_t *w, const int values[CAT_METRIC_LABELS], const apr_uint64_t *words)
{
    const cat_bounds_t *bounds = cat_metrics_bounds(w->row->kind);
    apr_uint64_t count = 0;

    for (int i = 0; i <= bounds->count; i++) {
        double le = i < bounds->count ? (double)bounds->upper[i] / bounds->unit : INFINITY;
        count += words[i];
        write_name(w, "_bucket", values, &le);
        write_count(w, count);
    }
    write_name(w, "_sum", values, NULL);
    write_real(w, (double)words[bounds->count + 1] / bounds->unit);
    write_name(w, "_count", values, NULL);
    write_count(w, count);
}

static void write_gauge(const writer_t *w, const int values[CAT_METRIC_LABELS])
{
    double value = cat_metrics_gauge(w->reading, w->metric);

    if (!isnan(value)) {
        write_name(w, "", values, NULL);
        write_real(w, value);
    }
}

static int is_counted(const writer_t *w, const apr_uint64_t *words)
{
    int count = w->row->kind == CAT_METRIC_COUNTER ? 1 : cat_metrics_bounds(w->row->kind)->count + 1;

    while (count > 0 && !words[count - 1]) {
        count--;
    }
    return count > 0;
}

/* Returns true if the series is written before its first count. Alerts compare the failures of a route with its
 * requests. */
static int is_expected(const writer_t *w, const int values[CAT_METRIC_LABELS])
{
    const char *code;

    if (w->row->labels[0] != CAT_LABEL_ROUTE) {
        return 1;
    }
    if (w->row->kind != CAT_METRIC_COUNTER || !cat_metrics_has_route(w->metrics, values[0], values[1])) {
        return 0;
    }
    code = cat_metrics_value(w->metrics, CAT_LABEL_CODE, values[2]);
    return *code == '2' || *code == '4' || *code == '5';
}

static void write_series(const writer_t *w, const int values[CAT_METRIC_LABELS])
{
    const apr_uint64_t *words;

    if (w->row->kind == CAT_METRIC_LEVEL || w->row->kind == CAT_METRIC_GAUGE) {
        write_gauge(w, values);
        return;
    }
    words = cat_metrics_words(w->reading, w->metric, cat_metrics_number(w->metrics, w->metric, values));
    if (!is_counted(w, words) && !is_expected(w, values)) {
        return;
    }
    if (w->row->kind == CAT_METRIC_COUNTER) {
        write_name(w, "", values, NULL);
        write_count(w, words[0]);
    } else {
        write_histogram(w, values, words);
    }
}

static void write_metric(const writer_t *w)
{
    int counts[CAT_METRIC_LABELS], values[CAT_METRIC_LABELS];

    write_head(w);
    for (int i = 0; i < CAT_METRIC_LABELS; i++) {
        counts[i] = cat_metrics_count_values(w->metrics, w->row->labels[i]);
    }
    for (values[0] = 0; values[0] < counts[0]; values[0]++) {
        for (values[1] = 0; values[1] < counts[1]; values[1]++) {
            for (values[2] = 0; values[2] < counts[2]; values[2]++) {
                write_series(w, values);
            }
        }
    }
}

void cat_metrics_text_write(cat_buffer_t *b, const cat_metrics_t *metrics, const cat_metrics_reading_t *reading,
                            cat_metrics_format_t format)
{
    writer_t w = {.b = b, .metrics = metrics, .reading = reading, .format = format};

    for (int i = 0; i < CAT_METRICS; i++) {
        w.metric = (cat_metric_t)i;
        w.row = &cat_metric_rows[i];
        write_metric(&w);
    }
    if (format == CAT_METRICS_OPENMETRICS) {
        CAT_BUFFER_LITERAL(b, "# EOF\n");
    }
}

const char *cat_metrics_text_name(apr_pool_t *pool, cat_metric_t metric)
{
    static const char *const units[] = {total, "_bytes"};
    char *name = apr_pstrdup(pool, cat_metric_rows[metric].name), *to = name;
    int is_first = 1;

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (ends_with(name, units[i])) {
            name[strlen(name) - strlen(units[i])] = '\0';
        }
    }
    for (const char *from = name; *from; from++) {
        if (*from != '_') {
            *to++ = is_first ? (char)apr_toupper(*from) : *from;
        }
        is_first = *from == '_';
    }
    *to = '\0';
    return name;
}
