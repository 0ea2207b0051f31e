/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts requests in the log_transaction hook, and answers "SetHandler catalog-metrics". A request that was redirected
 * within httpd counts once, with the route that the client asked for and the status that it got. shm/metrics.h has the
 * counters. A job writes values that only the database knows, such as the number of waiting mails, into them from time
 * to time.
 */
#include "httpd/metrics.h"

#include <http_protocol.h>
#include <string.h>
#include <time.h>

#include "http/header.h"
#include "httpd/mount.h"
#include "httpd/server.h"
#include "shm/metrics_text.h"

#define HANDLER_NAME "catalog-metrics"

/* More bytes than the answer has after a start. */
#define ANSWER_SIZE 65536

/* ---- counting requests ---- */

/* Returns the first request, in a chain of internal redirects, that a mount got, or NULL if no mount got one. An
 * ErrorDocument in a mount does not count as a request to it. */
static request_rec *find_request(request_rec *r, const cat_route_t **resource)
{
    while (r && ((r->prev && ap_is_HTTP_ERROR(r->prev->status)) || !cat_mount_is_target(r, resource))) {
        r = r->next;
    }
    return r;
}

static int final_status(const request_rec *r)
{
    while (r->next) {
        r = r->next;
    }
    return r->status;
}

static cat_method_t find_method(const request_rec *r)
{
    static const cat_method_t others[METHODS] = {
        [M_POST] = CAT_METHOD_POST,   [M_PUT] = CAT_METHOD_PUT,         [M_DELETE] = CAT_METHOD_DELETE,
        [M_PATCH] = CAT_METHOD_PATCH, [M_OPTIONS] = CAT_METHOD_OPTIONS,
    };
    unsigned number = (unsigned)r->method_number;

    if (number == M_GET) {
        return r->header_only ? CAT_METHOD_HEAD : CAT_METHOD_GET;
    }
    return number < METHODS ? others[number] : CAT_METHOD_OTHER;
}

/* Does what apr_time_now() does in half as many instructions, because it is called for each request. */
static apr_time_t read_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return apr_time_make(now.tv_sec, (unsigned)now.tv_nsec / 1000);
}

int cat_metrics_log(request_rec *r)
{
    const cat_route_t *resource;
    const request_rec *own = find_request(r, &resource);

    if (own) {
        cat_metrics_count_request(cat_server_get(r->server)->metrics, resource, find_method(own), final_status(own),
                                  read_clock() - r->request_time);
    }
    return DECLINED;
}

/* ---- reading ---- */

static void set_cache(cat_metrics_reading_t *reading, const cat_response_cache_t *cache)
{
    cat_response_cache_count_t count;

    if (cache) {
        count = cat_response_cache_count(cache);
        cat_metrics_set(reading, CAT_METRIC_CACHE_SIZE, (double)count.size);
        cat_metrics_set(reading, CAT_METRIC_CACHE_USED, (double)count.used);
    }
}

/* Returns 0 if `t` is 0, which means that the period has not begun. */
static double seconds_since(apr_time_t t, apr_time_t now)
{
    return t && t < now ? (double)(now - t) / APR_USEC_PER_SEC : 0;
}

static void set_database(cat_metrics_reading_t *reading, const cat_metrics_t *metrics, apr_time_t now)
{
    cat_database_facts_t facts;

    if (cat_metrics_read_databases(metrics, &facts, now)) {
        cat_metrics_set(reading, CAT_METRIC_MAILS_PENDING, (double)facts.mails_pending);
        cat_metrics_set(reading, CAT_METRIC_MAILS_DEAD, (double)facts.mails_dead);
        cat_metrics_set(reading, CAT_METRIC_MAILS_AGE, seconds_since(facts.oldest_mail, now));
        cat_metrics_set(reading, CAT_METRIC_WEBHOOKS_DEAD, (double)facts.webhooks_dead);
        cat_metrics_set(reading, CAT_METRIC_WEBHOOK_FAILING, seconds_since(facts.webhook_failing, now));
        cat_metrics_set(reading, CAT_METRIC_CHANGES_AGE, seconds_since(facts.oldest_change, now));
        cat_metrics_set(reading, CAT_METRIC_SCHEMA, facts.schema);
    }
}

cat_metrics_reading_t *cat_metrics_take(request_rec *r)
{
    const cat_server_t *server = cat_server_get(r->server);
    cat_metrics_reading_t *reading = cat_metrics_read(server->metrics, r->pool);

    set_cache(reading, server->cache);
    set_database(reading, server->metrics, apr_time_now());
    cat_metrics_set(reading, CAT_METRIC_BUILD, 1);
    return reading;
}

/* ---- the handler ---- */

static const struct {
    const char *type; /* As in the Accept header. */
    const char *header;
} formats[] = {
    [CAT_METRICS_PROMETHEUS] = {"text/plain", "text/plain; version=0.0.4; charset=utf-8"},
    [CAT_METRICS_OPENMETRICS] = {"application/openmetrics-text",
                                 "application/openmetrics-text; version=1.0.0; charset=utf-8"},
};

static cat_metrics_format_t choose_format(const char *accept)
{
    int is_named, quality = accept ? cat_header_quality(accept, formats[CAT_METRICS_OPENMETRICS].type, &is_named) : 0;

    return quality > 0 && is_named && quality >= cat_header_quality(accept, formats[CAT_METRICS_PROMETHEUS].type, NULL)
               ? CAT_METRICS_OPENMETRICS
               : CAT_METRICS_PROMETHEUS;
}

static int send_metrics(request_rec *r)
{
    cat_metrics_format_t format = choose_format(apr_table_get(r->headers_in, "Accept"));
    cat_buffer_t b;

    cat_buffer_init(&b, r->pool, ANSWER_SIZE);
    cat_metrics_text_write(&b, cat_server_get(r->server)->metrics, cat_metrics_take(r), format);
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    apr_table_mergen(r->headers_out, "Vary", "Accept");
    apr_table_setn(r->headers_out, "X-Content-Type-Options", "nosniff");
    ap_set_content_type(r, formats[format].header);
    ap_set_content_length(r, (apr_off_t)b.length);
    ap_rwrite(b.data, (int)b.length, r);
    return OK;
}

int cat_metrics_serve(request_rec *r)
{
    int status;

    if (strcmp(r->handler, HANDLER_NAME) != 0) {
        return DECLINED;
    }
    if (r->method_number != M_GET) { /* HEAD has this method number too. */
        ap_allow_methods(r, REPLACE_ALLOW, "GET", NULL);
        return HTTP_METHOD_NOT_ALLOWED;
    }
    status = ap_discard_request_body(r);
    return status == OK ? send_metrics(r) : status;
}
