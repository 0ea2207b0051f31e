/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters, histograms and levels in shared memory, for the metrics of metrics.def.
 *
 * A metric has a series for each combination of values of its labels. No value comes from a client, so all series are
 * known at start and their places can be computed. Counting is one atomic addition:
 *
 *     catalog_database_faults_total{engine="mysql", reason="lost"}
 *     the values have the numbers 1 and 1; there are 6 reasons, so this is series 1 * 6 + 1 = 7
 *     word = own[first[CAT_METRIC_FAULTS] + 7]
 *
 * The segment, each row from the beginning of a cache line:
 *
 *     header_t                 number of children that were given a shard
 *     database_t[DATABASES]
 *     child_t[CHILDREN]        pid and levels of a child
 *     SHARDS shards            shard_length words each: the series of all metrics, one after the other
 *
 * Each child counts in one shard, so that children seldom write to the same line. A count is the sum over all shards.
 * Children may share a shard because all additions are atomic, and the counts of a child that dies remain. Levels must
 * end with their child, so they are in a slot with its pid.
 */
#include "shm/metrics.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <apr_shm.h>
#include <apr_strings.h>

#include "http/rate_limit.h"
#include "lib/buffer.h"
#include "lib/hash.h"
#include "lib/version.h"
#include "shm/shared.h"

#define SHARDS 16
#define DATABASES 64

/* Largest number of children with a slot. A child without a slot has no levels, but its counts are included. */
#define CHILDREN 1024

/* Version of the layout. Increase it when the layout changes in a way that the table does not show. */
#define LAYOUT 1

const cat_metric_row_t cat_metric_rows[CAT_METRICS] = {
#define METRIC(id, kind, name, label1, label2, label3, help)                                                           \
    {name, CAT_METRIC_##kind, {CAT_LABEL_##label1, CAT_LABEL_##label2, CAT_LABEL_##label3}, help},
#include "shm/metrics.def"
#undef METRIC
};

#define LEVELS 7
_Static_assert(LEVELS >= 0
#define METRIC(id, kind, name, label1, label2, label3, help) +(CAT_METRIC_##kind == CAT_METRIC_LEVEL)
#include "shm/metrics.def"
#undef METRIC
               ,
               "a child's slot has room for the levels");

/* ---- labels ---- */

#define TEXT(id, text) text,
static const char *const methods[] = {CAT_METHOD_VALUES(TEXT) NULL};

static const char *const codes[] = {"1xx", "2xx", "3xx", "4xx", "5xx", NULL};
#define CODES 5

static const char *const engines[] = {CAT_ENGINE_VALUES(TEXT) NULL};
static const char *const statements[] = {CAT_STATEMENT_VALUES(TEXT) NULL};
static const char *const faults[] = {CAT_FAULT_VALUES(TEXT) NULL};
static const char *const connections[] = {CAT_CONNECTION_VALUES(TEXT) NULL};
static const char *const scopes[] = {CAT_SCOPE_VALUES(TEXT) NULL};
static const char *const limits[] = {CAT_RATE_LIMIT_NAMES, CAT_RATE_LIMIT_OTHERS, NULL};
static const char *const images[] = {CAT_IMAGE_VALUES(TEXT) NULL};
static const char *const mails[] = {CAT_MAIL_VALUES(TEXT) NULL};
static const char *const webhooks[] = {CAT_WEBHOOK_VALUES(TEXT) NULL};
static const char *const tokens[] = {CAT_TOKEN_VALUES(TEXT) NULL};
static const char *const versions[] = {CAT_VERSION, NULL};

static const struct {
    const char *name;
    const char *const *values; /* NULL if the route table has the values */
} labels[CAT_LABELS] = {
    [CAT_LABEL_ROUTE] = {"route", NULL},
    [CAT_LABEL_METHOD] = {"method", methods},
    [CAT_LABEL_CODE] = {"code", codes},
    [CAT_LABEL_ENGINE] = {"engine", engines},
    [CAT_LABEL_STATEMENT] = {"kind", statements},
    [CAT_LABEL_FAULT] = {"reason", faults},
    [CAT_LABEL_CONNECTION] = {"reason", connections},
    [CAT_LABEL_SCOPE] = {"scope", scopes},
    [CAT_LABEL_LIMIT] = {"limit", limits},
    [CAT_LABEL_IMAGE] = {"result", images},
    [CAT_LABEL_MAIL] = {"reason", mails},
    [CAT_LABEL_WEBHOOK] = {"result", webhooks},
    [CAT_LABEL_TOKEN] = {"reason", tokens},
    [CAT_LABEL_VERSION] = {"version", versions},
};

/* ---- histograms ---- */

static const apr_int64_t times[] = {500,    1000,   2500,   5000,    10000,   25000,  50000,
                                    100000, 250000, 500000, 1000000, 2500000, 5000000};
static const apr_int64_t sizes[] = {1, 2, 4, 8, 16, 32, 64};

static const cat_bounds_t bounds[] = {
    [CAT_METRIC_TIMES] = {sizeof(times) / sizeof(times[0]), times, APR_USEC_PER_SEC},
    [CAT_METRIC_SIZES] = {sizeof(sizes) / sizeof(sizes[0]), sizes, 1},
};

const cat_bounds_t *cat_metrics_bounds(cat_metric_kind_t kind)
{
    return &bounds[kind];
}

static int is_histogram(cat_metric_kind_t kind)
{
    return kind == CAT_METRIC_TIMES || kind == CAT_METRIC_SIZES;
}

/* ---- layout ---- */

typedef struct header_t {
    _Alignas(CAT_SHARED_LINE) cat_shared_word_t children;
} header_t;

/* A reader may see some values from one report and some from the next. */
typedef struct database_t {
    _Alignas(CAT_SHARED_LINE) cat_shared_word_t name; /* hash of the name; 0 if the slot is free */
    cat_shared_word_t pending, dead, webhooks_dead, schema;
    cat_shared_time_t oldest, failing, changed, noted;
} database_t;

typedef struct child_t {
    _Alignas(CAT_SHARED_LINE) cat_shared_word_t pid; /* 0 if the slot is free; also free if the process has died */
    cat_shared_word_t levels[LEVELS];                /* in two's complement, because a level may be negative */
} child_t;

/* Each process has a copy. Only cat_metrics_child_init changes it, before the process has threads. */
struct cat_metrics_t {
    const cat_route_t *routes;
    int route_count;
    int series[CAT_METRICS];     /* number of series of the metric */
    int seconds[CAT_METRICS];    /* number of values of the metric's second label */
    unsigned first[CAT_METRICS]; /* index of the metric's first word in a shard; for a LEVEL, its index in
                                  * child_t.levels */
    int shard_length;            /* in words */
    header_t *header;
    database_t *databases;
    child_t *children;
    cat_shared_word_t *shards;
    cat_shared_word_t *own; /* shard of this process */
    child_t *child;         /* slot of this process; NULL if it has none */
};

int cat_metrics_count_values(const cat_metrics_t *metrics, cat_label_t label)
{
    int count = 0;

    if (label == CAT_LABEL_NONE) {
        return 1;
    }
    if (label == CAT_LABEL_ROUTE) {
        return metrics->route_count + 1;
    }
    while (labels[label].values[count]) {
        count++;
    }
    return count;
}

const char *cat_metrics_value(const cat_metrics_t *metrics, cat_label_t label, int value)
{
    if (label == CAT_LABEL_ROUTE) {
        return value < metrics->route_count ? metrics->routes[value].path : "unknown";
    }
    return labels[label].values[value];
}

const char *cat_metrics_label(cat_label_t label)
{
    return labels[label].name;
}

int cat_metrics_find(cat_label_t label, const char *value)
{
    for (int i = 0; labels[label].values[i]; i++) {
        if (!strcmp(labels[label].values[i], value)) {
            return i;
        }
    }
    return -1;
}

int cat_metrics_number(const cat_metrics_t *metrics, cat_metric_t metric, const int values[CAT_METRIC_LABELS])
{
    int number = 0;

    for (int i = 0; i < CAT_METRIC_LABELS; i++) {
        number = number * cat_metrics_count_values(metrics, cat_metric_rows[metric].labels[i]) + values[i];
    }
    return number;
}

static int count_words(cat_metric_kind_t kind)
{
    if (kind == CAT_METRIC_COUNTER) {
        return 1;
    }
    return is_histogram(kind) ? bounds[kind].count + 2 : 0;
}

static void lay_out_shard(cat_metrics_t *m)
{
    int levels = 0, line = CAT_SHARED_LINE / sizeof(cat_shared_word_t);

    for (int i = 0; i < CAT_METRICS; i++) {
        const cat_metric_row_t *row = &cat_metric_rows[i];
        m->series[i] = 1;
        m->seconds[i] = cat_metrics_count_values(m, row->labels[1]);
        for (int j = 0; j < CAT_METRIC_LABELS; j++) {
            m->series[i] *= cat_metrics_count_values(m, row->labels[j]);
        }
        m->first[i] = (unsigned)(row->kind == CAT_METRIC_LEVEL ? levels++ : m->shard_length);
        m->shard_length += m->series[i] * count_words(row->kind);
    }
    m->shard_length = (m->shard_length + line - 1) / line * line;
}

/* Returns the key under which the process pool keeps the segment. The key depends on the table, because a graceful
 * restart may load a version of this module with another table. */
static const char *make_key(const cat_metrics_t *m, apr_pool_t *pool)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 4096);
    cat_buffer_add_int(&b, LAYOUT);
    for (int i = 0; i < CAT_METRICS; i++) {
        cat_buffer_add_text(&b, cat_metric_rows[i].name);
        cat_buffer_add_int(&b, (apr_int64_t)cat_metric_rows[i].kind);
        for (int j = 0; j < CAT_METRIC_LABELS; j++) {
            cat_label_t label = cat_metric_rows[i].labels[j];
            for (int k = 0; label != CAT_LABEL_NONE && k < cat_metrics_count_values(m, label); k++) {
                cat_buffer_add_text(&b, cat_metrics_value(m, label, k));
            }
        }
    }
    for (int i = 0; i < m->route_count; i++) {
        cat_buffer_add_text(&b, m->routes[i].method);
    }
    cat_buffer_add(&b, (const char *)times, sizeof(times));
    cat_buffer_add(&b, (const char *)sizes, sizeof(sizes));
    return apr_psprintf(pool, "catalog:metrics:%" APR_UINT64_T_HEX_FMT, cat_hash(b.data, b.length));
}

static apr_status_t find_segment(const cat_metrics_t *m, apr_pool_t *pool, apr_pool_t *process, void **base)
{
    const apr_size_t size = CAT_SHARED_LINE + sizeof(header_t) + DATABASES * sizeof(database_t) +
                            CHILDREN * sizeof(child_t) +
                            SHARDS * (apr_size_t)m->shard_length * sizeof(cat_shared_word_t);
    const char *key = make_key(m, pool);
    apr_shm_t *shm;
    apr_status_t rv;

    apr_pool_userdata_get(base, key, process);
    if (*base) {
        return APR_SUCCESS;
    }
    rv = apr_shm_create(&shm, size, NULL, process); /* anonymous memory is zeroed */
    if (rv == APR_SUCCESS) {
        *base = apr_shm_baseaddr_get(shm);
        rv = apr_pool_userdata_set(*base, key, NULL, process); /* copies the key */
    }
    return rv;
}

apr_status_t cat_metrics_create(cat_metrics_t **metrics, apr_pool_t *pool, apr_pool_t *process,
                                const cat_route_t *routes)
{
    cat_metrics_t *m = apr_pcalloc(pool, sizeof(*m));
    void *base = NULL;
    apr_status_t rv;

    m->routes = routes;
    while (routes[m->route_count].method) {
        m->route_count++;
    }
    lay_out_shard(m);
    rv = find_segment(m, pool, process, &base);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    m->header = cat_shared_align(base);
    m->databases = (database_t *)(m->header + 1);
    m->children = (child_t *)(m->databases + DATABASES);
    m->shards = (cat_shared_word_t *)(m->children + CHILDREN);
    m->own = m->shards;
    *metrics = m;
    return APR_SUCCESS;
}

/* ---- counting ---- */

static void add_to_word(cat_shared_word_t *word, apr_uint64_t count)
{
    atomic_fetch_add_explicit(word, count, memory_order_relaxed);
}

void cat_metrics_add(const cat_metrics_t *metrics, cat_metric_t metric, int series, apr_uint64_t count)
{
    if (metrics) {
        add_to_word(&metrics->own[metrics->first[metric] + (unsigned)series], count);
    }
}

void cat_metrics_add_pair(const cat_metrics_t *metrics, cat_metric_t metric, int first_value, int second_value)
{
    if (metrics) {
        cat_metrics_add(metrics, metric, first_value * metrics->seconds[metric] + second_value, 1);
    }
}

static inline void observe_value(cat_shared_word_t *words, const cat_bounds_t *b, apr_int64_t value)
{
    int i = 0;

    value = value > 0 ? value : 0; /* negative if the clock was set back */
    while (i < b->count && value > b->upper[i]) {
        i++;
    }
    add_to_word(&words[i], 1);
    add_to_word(&words[b->count + 1], (apr_uint64_t)value);
}

void cat_metrics_observe(const cat_metrics_t *metrics, cat_metric_t metric, apr_int64_t value)
{
    if (metrics) {
        observe_value(&metrics->own[metrics->first[metric]], &bounds[cat_metric_rows[metric].kind], value);
    }
}

void cat_metrics_shift(const cat_metrics_t *metrics, cat_metric_t metric, int by)
{
    if (metrics && metrics->child) {
        add_to_word(&metrics->child->levels[metrics->first[metric]], (apr_uint64_t)(apr_int64_t)by);
    }
}

/* Called for each request, so it avoids function calls, table lookups and sign extension. */
void cat_metrics_count_request(const cat_metrics_t *metrics, const cat_route_t *route, cat_method_t method, int status,
                               apr_interval_time_t spent)
{
    const cat_bounds_t *b = &bounds[CAT_METRIC_TIMES];
    const unsigned *first;
    cat_shared_word_t *own;
    unsigned series, code = (unsigned)status / 100 - 1;

    if (metrics) {
        first = metrics->first;
        own = metrics->own;
        series = (route ? (unsigned)(route - metrics->routes) : (unsigned)metrics->route_count) * CAT_METHODS + method;
        add_to_word(&own[first[CAT_METRIC_REQUESTS] + series * CODES + (code < CODES ? code : CODES - 1)], 1);
        observe_value(&own[first[CAT_METRIC_REQUEST_TIME] + series * ((unsigned)b->count + 2)], b, spent);
    }
}

/* ---- children ---- */

static int is_alive(apr_uint64_t pid)
{
    return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

static int take_slot(child_t *child)
{
    apr_uint64_t pid = cat_shared_load(&child->pid);

    if ((pid && is_alive(pid)) ||
        !atomic_compare_exchange_strong_explicit(&child->pid, &pid, (apr_uint64_t)getpid(), memory_order_acq_rel,
                                                 memory_order_relaxed)) {
        return 0;
    }
    for (int i = 0; i < LEVELS; i++) {
        atomic_store_explicit(&child->levels[i], 0, memory_order_relaxed);
    }
    return 1;
}

/* Frees the slot only if the pid matches: a program that the child has started may destroy its copy of the pool. */
static apr_status_t leave_slot(void *data)
{
    child_t *child = data;
    apr_uint64_t own = (apr_uint64_t)getpid();

    atomic_compare_exchange_strong_explicit(&child->pid, &own, 0, memory_order_acq_rel, memory_order_relaxed);
    return APR_SUCCESS;
}

void cat_metrics_child_init(cat_metrics_t *metrics, apr_pool_t *pool)
{
    apr_uint64_t number = atomic_fetch_add_explicit(&metrics->header->children, 1, memory_order_relaxed);

    metrics->own = metrics->shards + number % SHARDS * (apr_size_t)metrics->shard_length;
    for (int i = 0; i < CHILDREN && !metrics->child; i++) {
        if (take_slot(&metrics->children[i])) {
            metrics->child = &metrics->children[i];
            apr_pool_cleanup_register(pool, metrics->child, leave_slot, apr_pool_cleanup_null);
        }
    }
}

/* ---- databases ---- */

static database_t *find_database(const cat_metrics_t *m, const char *name)
{
    apr_uint64_t hash = cat_hash(name, strlen(name)) | 1; /* unkeyed, because the administrator chooses the names */

    for (int i = 0; i < DATABASES; i++) {
        apr_uint64_t found = 0;
        if (atomic_compare_exchange_strong_explicit(&m->databases[i].name, &found, hash, memory_order_relaxed,
                                                    memory_order_relaxed) ||
            found == hash) {
            return &m->databases[i];
        }
    }
    return NULL;
}

void cat_metrics_note_database(const cat_metrics_t *metrics, const char *name, const cat_database_facts_t *facts,
                               apr_time_t now)
{
    database_t *d = metrics ? find_database(metrics, name) : NULL;

    if (d) {
        atomic_store_explicit(&d->pending, (apr_uint64_t)facts->mails_pending, memory_order_relaxed);
        atomic_store_explicit(&d->dead, (apr_uint64_t)facts->mails_dead, memory_order_relaxed);
        atomic_store_explicit(&d->schema, (apr_uint64_t)facts->schema, memory_order_relaxed);
        atomic_store_explicit(&d->webhooks_dead, (apr_uint64_t)facts->webhooks_dead, memory_order_relaxed);
        atomic_store_explicit(&d->oldest, facts->oldest_mail, memory_order_relaxed);
        atomic_store_explicit(&d->failing, facts->webhook_failing, memory_order_relaxed);
        atomic_store_explicit(&d->changed, facts->oldest_change, memory_order_relaxed);
        atomic_store_explicit(&d->noted, now, memory_order_release);
    }
}

/* Returns the earlier of two times. 0 means that a time is missing. */
static apr_time_t earlier(apr_time_t one, apr_time_t other)
{
    return one && (!other || one < other) ? one : other;
}

static void add_database(const database_t *d, cat_database_facts_t *facts, int is_first)
{
    int schema = (int)cat_shared_load(&d->schema);

    facts->mails_pending += (apr_int64_t)cat_shared_load(&d->pending);
    facts->mails_dead += (apr_int64_t)cat_shared_load(&d->dead);
    facts->webhooks_dead += (apr_int64_t)cat_shared_load(&d->webhooks_dead);
    facts->oldest_mail = earlier(atomic_load_explicit(&d->oldest, memory_order_relaxed), facts->oldest_mail);
    facts->webhook_failing = earlier(atomic_load_explicit(&d->failing, memory_order_relaxed), facts->webhook_failing);
    facts->oldest_change = earlier(atomic_load_explicit(&d->changed, memory_order_relaxed), facts->oldest_change);
    facts->schema = is_first || schema < facts->schema ? schema : facts->schema;
}

int cat_metrics_read_databases(const cat_metrics_t *metrics, cat_database_facts_t *facts, apr_time_t now)
{
    int count = 0;

    memset(facts, 0, sizeof(*facts));
    for (int i = 0; i < DATABASES; i++) {
        apr_time_t noted = atomic_load_explicit(&metrics->databases[i].noted, memory_order_acquire);
        if (noted && now - noted < CAT_FACTS_AGE) {
            add_database(&metrics->databases[i], facts, count++ == 0);
        }
    }
    return count;
}

/* ---- reading ---- */

struct cat_metrics_reading_t {
    const cat_metrics_t *metrics;
    apr_uint64_t *words;
    double gauges[CAT_METRICS];
};

static double sum_level(const cat_metrics_t *m, int level)
{
    apr_uint64_t sum = 0;

    for (int i = 0; i < CHILDREN; i++) {
        const child_t *child = &m->children[i];
        apr_uint64_t value = cat_shared_load(&child->levels[level]), pid = cat_shared_load(&child->pid);
        if (value && pid && is_alive(pid)) {
            sum += value;
        }
    }
    return (double)(apr_int64_t)sum;
}

cat_metrics_reading_t *cat_metrics_read(const cat_metrics_t *metrics, apr_pool_t *pool)
{
    cat_metrics_reading_t *reading = apr_pcalloc(pool, sizeof(*reading));

    reading->metrics = metrics;
    reading->words = apr_pcalloc(pool, (apr_size_t)metrics->shard_length * sizeof(*reading->words));
    for (int i = 0; i < SHARDS; i++) {
        const cat_shared_word_t *shard = metrics->shards + i * (apr_size_t)metrics->shard_length;
        for (int j = 0; j < metrics->shard_length; j++) {
            reading->words[j] += cat_shared_load(&shard[j]);
        }
    }
    for (int i = 0; i < CAT_METRICS; i++) {
        int is_level = cat_metric_rows[i].kind == CAT_METRIC_LEVEL;
        reading->gauges[i] = is_level ? sum_level(metrics, (int)metrics->first[i]) : NAN;
    }
    return reading;
}

void cat_metrics_set(cat_metrics_reading_t *reading, cat_metric_t metric, double value)
{
    reading->gauges[metric] = value;
}

int cat_metrics_has_route(const cat_metrics_t *metrics, int route, int method)
{
    return route < metrics->route_count && !strcmp(metrics->routes[route].method, methods[method]);
}

const apr_uint64_t *cat_metrics_words(const cat_metrics_reading_t *reading, cat_metric_t metric, int series)
{
    return &reading->words[reading->metrics->first[metric] +
                           (unsigned)(series * count_words(cat_metric_rows[metric].kind))];
}

double cat_metrics_gauge(const cat_metrics_reading_t *reading, cat_metric_t metric)
{
    return reading->gauges[metric];
}

double cat_metrics_total(const cat_metrics_reading_t *reading, cat_metric_t metric)
{
    cat_metric_kind_t kind = cat_metric_rows[metric].kind;
    int words = is_histogram(kind) ? bounds[kind].count + 1 : 1;
    apr_uint64_t total = 0;

    if (kind == CAT_METRIC_LEVEL || kind == CAT_METRIC_GAUGE) {
        return reading->gauges[metric];
    }
    for (int i = 0; i < reading->metrics->series[metric]; i++) {
        for (int j = 0; j < words; j++) {
            total += cat_metrics_words(reading, metric, i)[j];
        }
    }
    return (double)total;
}
