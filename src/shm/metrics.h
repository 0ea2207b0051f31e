/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_METRICS_H
#define CAT_SHM_METRICS_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

#include "http/route.h"

/*
 * Counts events over all children and graceful restarts, in shared memory and without a lock. Any thread of any child
 * may count at any time, and may be killed during the call. The counting functions accept NULL instead of a
 * cat_metrics_t and then do nothing.
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

/* Labels, which distinguish the series of a metric. metrics.c has their values; no value comes from a client. */
typedef enum {
    CAT_LABEL_NONE,
    CAT_LABEL_ROUTE, /* path in the route table, or "unknown" */
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

/* Values of labels: the constant in C and the text in the output. */
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
    cat_label_t labels[CAT_METRIC_LABELS]; /* CAT_LABEL_NONE after the last label */
    const char *help;
} cat_metric_row_t;

extern const cat_metric_row_t cat_metric_rows[CAT_METRICS];

/* ---- counting ---- */

/* Creates the metrics on `pool`, the configuration's pool. The parent calls this for each configuration. The counts are
 * on `process`, the process pool, and survive unless a new version of this module has another table. `routes` is the
 * route table; it ends with a row without a method and must live as long as `pool`. */
apr_status_t cat_metrics_create(cat_metrics_t **metrics, apr_pool_t *pool, apr_pool_t *process,
                                const cat_route_t *routes);

/* Chooses the child's shard and slot. Must be called in each child before its threads start. When `pool`, the child's
 * pool, is destroyed, the child's levels end. */
void cat_metrics_child_init(cat_metrics_t *metrics, apr_pool_t *pool);

/* Adds to a COUNTER with one label or none. `series` is the value of the label, or 0. */
void cat_metrics_add(const cat_metrics_t *metrics, cat_metric_t metric, int series, apr_uint64_t count);

/* Adds 1 to a COUNTER with two labels. */
void cat_metrics_add_pair(const cat_metrics_t *metrics, cat_metric_t metric, int first_value, int second_value);

/* Returns the number of a label's value. Returns -1 if the label does not have it. The label must not be
 * CAT_LABEL_ROUTE. */
int cat_metrics_find(cat_label_t label, const char *value);

/* Adds a value to a histogram without labels: TIMES, in microseconds, or SIZES. */
void cat_metrics_observe(const cat_metrics_t *metrics, cat_metric_t metric, apr_int64_t value);

/* Changes a LEVEL: `by` is 1 when the thread begins the activity and -1 when it ends. */
void cat_metrics_shift(const cat_metrics_t *metrics, cat_metric_t metric, int by);

/* Counts a request in REQUESTS and REQUEST_TIME. `route` is any row of the route table with the request's path, or NULL
 * if there is none. `spent` is in microseconds. */
void cat_metrics_count_request(const cat_metrics_t *metrics, const cat_route_t *route, cat_method_t method, int status,
                               apr_interval_time_t spent);

/* ---- results of database jobs ---- */

typedef struct cat_database_facts_t {
    apr_int64_t mails_pending, mails_dead;
    apr_time_t oldest_mail; /* time when the oldest pending mail was queued; 0 if none is pending */
    apr_int64_t webhooks_dead;
    apr_time_t webhook_failing; /* first failure of the webhook that has failed longest; 0 if none fails */
    apr_time_t oldest_change;   /* time of the oldest change that waits for its number; 0 if none waits */
    int schema;
} cat_database_facts_t;

/* Stores the facts about a database. `name` must be the same for the same database; the metrics keep only its hash.
 * Ignores further databases after 64. */
void cat_metrics_note_database(const cat_metrics_t *metrics, const char *name, const cat_database_facts_t *facts,
                               apr_time_t now);

/* Combines the facts stored in the last CAT_FACTS_AGE: sums of counts, earliest times, lowest schema. Returns the
 * number of databases. Returns 0, with all facts 0, if there are none. */
#define CAT_FACTS_AGE apr_time_from_sec(150)
int cat_metrics_read_databases(const cat_metrics_t *metrics, cat_database_facts_t *facts, apr_time_t now);

/* ---- reading ---- */

typedef struct cat_metrics_reading_t cat_metrics_reading_t;

/* Returns the current values, on the pool. While requests end, one series may include a request that another does not
 * include yet. Metrics of the kind GAUGE have no value until cat_metrics_set. */
cat_metrics_reading_t *cat_metrics_read(const cat_metrics_t *metrics, apr_pool_t *pool);
void cat_metrics_set(cat_metrics_reading_t *reading, cat_metric_t metric, double value);

/* Return the number of values of a label, the index of the series with these values of the labels, the text of a value,
 * and the name of a label. */
int cat_metrics_count_values(const cat_metrics_t *metrics, cat_label_t label);
int cat_metrics_number(const cat_metrics_t *metrics, cat_metric_t metric, const int values[CAT_METRIC_LABELS]);
const char *cat_metrics_value(const cat_metrics_t *metrics, cat_label_t label, int value);
const char *cat_metrics_label(cat_label_t label);

/* Returns true if the route table has the path of row `route` with this method. */
int cat_metrics_has_route(const cat_metrics_t *metrics, int route, int method);

/* The upper bounds of a histogram's buckets, without the final +Inf bucket. */
typedef struct cat_bounds_t {
    int count;
    const apr_int64_t *upper; /* largest value in each bucket */
    double unit;              /* divisor that converts a value to the metric's unit */
} cat_bounds_t;
const cat_bounds_t *cat_metrics_bounds(cat_metric_kind_t kind);

/* Returns the words of a series. A COUNTER has one. A histogram has the count of each bucket by itself, including the
 * +Inf bucket, followed by the sum of the values. */
const apr_uint64_t *cat_metrics_words(const cat_metrics_reading_t *reading, cat_metric_t metric, int series);

/* Returns the value of a LEVEL or GAUGE. Returns NAN if it has none. */
double cat_metrics_gauge(const cat_metrics_reading_t *reading, cat_metric_t metric);

/* Returns the total over all series: the sum of a COUNTER, LEVEL or GAUGE, or the number of values of a histogram. */
double cat_metrics_total(const cat_metrics_reading_t *reading, cat_metric_t metric);

#endif
