/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_METRICS_H
#define CAT_SHM_METRICS_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

#include "http/route.h"

/*
 * Counts what the server does, over all children and graceful restarts, in shared memory and without a lock. Any thread of any child
 * may count at any time, and may be killed in it. What cat_metrics_create has returned may be NULL wherever it is passed on: then
 * nothing is counted.
 */
typedef struct cat_metrics_t cat_metrics_t;

typedef enum {
#define METRIC(id, kind, name, label1, label2, label3, help) CAT_METRIC_##id,
#include "shm/metrics.def"
#undef METRIC
    CAT_METRICS
} cat_metric_t;

typedef enum {
    CAT_METRIC_COUNTER,
    CAT_METRIC_TIMES,
    CAT_METRIC_SIZES,
    CAT_METRIC_LEVEL,
    CAT_METRIC_GAUGE
} cat_metric_kind_t;

/* What distinguishes the series of a metric; their values are in metrics.c. None comes from a client. */
typedef enum {
    CAT_LABEL_NONE,
    CAT_LABEL_ROUTE, /* a path of the route table, or "unknown" */
    CAT_LABEL_METHOD,
    CAT_LABEL_CODE,
    CAT_LABEL_ENGINE,
    CAT_LABEL_STATEMENT,
    CAT_LABEL_FAULT,
    CAT_LABEL_CONNECTION,
    CAT_LABEL_SCOPE,
    CAT_LABEL_LIMIT,
    CAT_LABEL_IMAGE,
    CAT_LABEL_MAIL,
    CAT_LABEL_WEBHOOK,
    CAT_LABEL_TOKEN,
    CAT_LABEL_VERSION,
    CAT_LABELS
} cat_label_t;

/* The values of labels: what they are called here, and in the output. */
#define CAT_METHOD_VALUES(VALUE)                                                                                       \
    VALUE(CAT_METHOD_OTHER, "other")                                                                                   \
    VALUE(CAT_METHOD_GET, "GET")                                                                                       \
    VALUE(CAT_METHOD_HEAD, "HEAD")                                                                                     \
    VALUE(CAT_METHOD_POST, "POST")                                                                                     \
    VALUE(CAT_METHOD_PUT, "PUT")                                                                                       \
    VALUE(CAT_METHOD_PATCH, "PATCH")                                                                                   \
    VALUE(CAT_METHOD_DELETE, "DELETE") VALUE(CAT_METHOD_OPTIONS, "OPTIONS")
#define CAT_ENGINE_VALUES(VALUE)                                                                                       \
    VALUE(CAT_ENGINE_SQLITE3, "sqlite3") VALUE(CAT_ENGINE_MYSQL, "mysql") VALUE(CAT_ENGINE_PGSQL, "pgsql")
#define CAT_STATEMENT_VALUES(VALUE)                                                                                    \
    VALUE(CAT_STATEMENT_SELECT, "select")                                                                              \
    VALUE(CAT_STATEMENT_WRITE, "write")                                                                                \
    VALUE(CAT_STATEMENT_COMMIT, "commit") VALUE(CAT_STATEMENT_ROLLBACK, "rollback")
#define CAT_FAULT_VALUES(VALUE)                                                                                        \
    VALUE(CAT_FAULT_FAILED, "failed")                                                                                  \
    VALUE(CAT_FAULT_LOST, "lost")                                                                                      \
    VALUE(CAT_FAULT_CONFLICT, "conflict")                                                                              \
    VALUE(CAT_FAULT_NOT_READY, "not_ready") VALUE(CAT_FAULT_VALUE, "value") VALUE(CAT_FAULT_SLOW, "slow")
#define CAT_CONNECTION_VALUES(VALUE)                                                                                   \
    VALUE(CAT_CONNECTION_LIMIT, "limit") VALUE(CAT_CONNECTION_DOWN, "down") VALUE(CAT_CONNECTION_BUSY, "busy")
#define CAT_SCOPE_VALUES(VALUE) VALUE(CAT_SCOPE_PRODUCT, "product") VALUE(CAT_SCOPE_LISTS, "lists")
#define CAT_IMAGE_VALUES(VALUE)                                                                                        \
    VALUE(CAT_IMAGE_COUNTED_MADE, "made")                                                                              \
    VALUE(CAT_IMAGE_COUNTED_REFUSED, "refused")                                                                        \
    VALUE(CAT_IMAGE_COUNTED_BUSY, "busy") VALUE(CAT_IMAGE_COUNTED_FAILED, "failed")
#define CAT_MAIL_VALUES(VALUE)                                                                                         \
    VALUE(CAT_MAIL_DEFERRED, "deferred")                                                                               \
    VALUE(CAT_MAIL_REFUSED, "refused") VALUE(CAT_MAIL_EXPIRED, "expired") VALUE(CAT_MAIL_DROPPED, "dropped")
#define CAT_WEBHOOK_VALUES(VALUE)                                                                                      \
    VALUE(CAT_WEBHOOK_DELIVERED, "delivered") VALUE(CAT_WEBHOOK_DEFERRED, "deferred") VALUE(CAT_WEBHOOK_DEAD, "dead")
#define CAT_TOKEN_VALUES(VALUE)                                                                                        \
    VALUE(CAT_TOKEN_REQUEST, "request")                                                                                \
    VALUE(CAT_TOKEN_TOO_LONG, "too_long")                                                                              \
    VALUE(CAT_TOKEN_MALFORMED, "malformed")                                                                            \
    VALUE(CAT_TOKEN_EXPIRED, "expired")                                                                                \
    VALUE(CAT_TOKEN_REVOKED, "revoked") VALUE(CAT_TOKEN_INVALID, "invalid") VALUE(CAT_TOKEN_UNDECIDED, "undecided")

#define CAT_LABEL_ENUM(id, text) id,
typedef enum { CAT_METHOD_VALUES(CAT_LABEL_ENUM) CAT_METHODS } cat_method_t;
typedef enum { CAT_ENGINE_VALUES(CAT_LABEL_ENUM) } cat_engine_t;
typedef enum { CAT_STATEMENT_VALUES(CAT_LABEL_ENUM) } cat_statement_kind_t;
typedef enum { CAT_FAULT_VALUES(CAT_LABEL_ENUM) } cat_fault_kind_t;
typedef enum { CAT_CONNECTION_VALUES(CAT_LABEL_ENUM) } cat_connection_failure_t;
typedef enum { CAT_SCOPE_VALUES(CAT_LABEL_ENUM) } cat_scope_t;
typedef enum { CAT_IMAGE_VALUES(CAT_LABEL_ENUM) } cat_image_outcome_t;
typedef enum { CAT_MAIL_VALUES(CAT_LABEL_ENUM) } cat_mail_failure_t;
typedef enum { CAT_WEBHOOK_VALUES(CAT_LABEL_ENUM) } cat_webhook_outcome_t;
typedef enum { CAT_TOKEN_VALUES(CAT_LABEL_ENUM) } cat_token_failure_t;

#define CAT_METRIC_LABELS 3

typedef struct cat_metric_row_t {
    const char *name;
    cat_metric_kind_t kind;
    cat_label_t labels[CAT_METRIC_LABELS]; /* CAT_LABEL_NONE after the last */
    const char *help;
} cat_metric_row_t;

extern const cat_metric_row_t cat_metric_rows[CAT_METRICS];

/* ---- counting ---- */

/* By the parent, for each configuration. pool: the configuration's. process: lives as long as the parent; the counts do too, unless
 * the layout of the table has changed, by another version of this module. routes: the route table, ended by a row without a method,
 * which must live as long as pool. */
apr_status_t cat_metrics_create(cat_metrics_t **metrics, apr_pool_t *pool, apr_pool_t *process,
                                const cat_route_t *routes);

/* In each child, before its threads start. pool: the child's; when it ends, so do the child's levels. */
void cat_metrics_child_init(cat_metrics_t *metrics, apr_pool_t *pool);

/* COUNTER with one label or none: adds to the series with this value of the label, or to series 0. */
void cat_metrics_add(const cat_metrics_t *metrics, cat_metric_t metric, int series, apr_uint64_t count);

/* COUNTER with two labels: adds 1. */
void cat_metrics_add_pair(const cat_metrics_t *metrics, cat_metric_t metric, int first_value, int second_value);

/* The number of a value of a label with fixed values; -1: it is none. */
int cat_metrics_find(cat_label_t label, const char *value);

/* TIMES, in microseconds, and SIZES; without labels. */
void cat_metrics_observe(const cat_metrics_t *metrics, cat_metric_t metric, apr_int64_t value);

/* LEVEL: the thread begins (1) or ends (-1) what is counted. */
void cat_metrics_shift(const cat_metrics_t *metrics, cat_metric_t metric, int by);

/* REQUESTS and REQUEST_TIME. route: a row of the table with the request's path; NULL: there is none. spent: microseconds. */
void cat_metrics_count_request(const cat_metrics_t *metrics, const cat_route_t *route, cat_method_t method, int status,
                               apr_interval_time_t spent);

/* ---- what a job has found in a database ---- */

typedef struct cat_database_facts_t {
    apr_int64_t mails_pending, mails_dead;
    apr_time_t oldest_mail; /* when it was queued; 0: none is pending */
    apr_int64_t webhooks_dead;
    apr_time_t webhook_failing; /* the first failure of the one that fails the longest; 0: none does */
    apr_time_t oldest_change;   /* when the first one was made that waits for its number; 0: none does */
    int schema;
} cat_database_facts_t;

/* name: the same for the same database; it is not kept. Of more than 64 databases the last ones are left out. */
void cat_metrics_note_database(const cat_metrics_t *metrics, const char *name, const cat_database_facts_t *facts,
                               apr_time_t now);

/* Sums of what was noted in the last CAT_FACTS_AGE, the oldest mail and failure of all, the lowest schema. 0: nothing was. */
#define CAT_FACTS_AGE apr_time_from_sec(150)
int cat_metrics_read_databases(const cat_metrics_t *metrics, cat_database_facts_t *facts, apr_time_t now);

/* ---- reading ---- */

typedef struct cat_metrics_reading_t cat_metrics_reading_t;

/* The values of now, on the pool. Counts of requests that end meanwhile may be in one series and not yet in another. GAUGE rows have no
 * value until cat_metrics_set. */
cat_metrics_reading_t *cat_metrics_read(const cat_metrics_t *metrics, apr_pool_t *pool);
void cat_metrics_set(cat_metrics_reading_t *reading, cat_metric_t metric, double value);

/* How many values a label has, the number of a series of the metric with these values of its labels, and the text of one. */
int cat_metrics_count_values(const cat_metrics_t *metrics, cat_label_t label);
int cat_metrics_number(const cat_metrics_t *metrics, cat_metric_t metric, const int values[CAT_METRIC_LABELS]);
const char *cat_metrics_value(const cat_metrics_t *metrics, cat_label_t label, int value);
const char *cat_metrics_label(cat_label_t label);

/* Does the route table have the path number `route` with the method of this number? */
int cat_metrics_has_route(const cat_metrics_t *metrics, int route, int method);

/* Of a histogram's kind: its buckets without the last, which takes the rest. */
typedef struct cat_bounds_t {
    int count;
    const apr_int64_t *upper; /* the largest value in each */
    double unit;              /* a value divided by this is in the metric's unit */
} cat_bounds_t;
const cat_bounds_t *cat_metrics_bounds(cat_metric_kind_t kind);

/* COUNTER: its count. Histograms: each bucket's own count, and after the last the sum of values. */
const apr_uint64_t *cat_metrics_words(const cat_metrics_reading_t *reading, cat_metric_t metric, int series);

/* LEVEL and GAUGE. NAN: it has none. */
double cat_metrics_gauge(const cat_metrics_reading_t *reading, cat_metric_t metric);

/* Over all series: of a COUNTER, LEVEL or GAUGE their sum, of a histogram how many values it has. */
double cat_metrics_total(const cat_metrics_reading_t *reading, cat_metric_t metric);

#endif
