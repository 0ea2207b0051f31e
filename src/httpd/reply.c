/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends answers; no other file writes responses of a mount. It adds what depends on the request, such as problem
 * details if the client prefers them, the request id, caching and conditions, and sends status, headers and body in one
 * brigade. A streamed body is pulled piece by piece. If it fails in the middle, the connection is aborted, so that no
 * client takes the body for complete.
 */
#include "httpd/reply.h"

#include <apr_buckets.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>
#include <string.h>
#include <util_filter.h>

#include "http/cors.h"
#include "http/problem_details.h"
#include "httpd/log.h"
#include "httpd/mount.h"
#include "httpd/signals.h"
#include "lib/conf.h"

APLOG_USE_MODULE(catalog);

#define ERROR_FILTER "CATALOG_ERROR"
#define CACHING_FILTER "CATALOG_CACHING"

static int add_header(void *table, const char *name, const char *value)
{
    cat_answer_put_header(table, name, value);
    return 1;
}

/* Returns true if a client with a token may get another answer than all other clients. */
static int depends_on_reader(const cat_state_t *state)
{
    const cat_route_t *route = state->match.route;

    return route && route->who == CAT_READER && state->conf->readers;
}

/* Returns true if a cache may keep the failure although no header says so (RFC 9110, 15.1). Varnish keeps a 404 for two
 * minutes. */
static int is_cached_by_default(int status)
{
    return status == HTTP_NOT_FOUND || status == HTTP_METHOD_NOT_ALLOWED || status == HTTP_GONE ||
           status == HTTP_REQUEST_URI_TOO_LARGE || status == HTTP_NOT_IMPLEMENTED;
}

/* Returns the value of Cache-Control for the answer. Returns NULL if the answer has that header already or needs
 * none. */
static const char *find_caching(request_rec *r, const cat_answer_t *answer)
{
    const cat_state_t *state = cat_mount_state(r);

    if (answer->headers && apr_table_get(answer->headers, "Cache-Control")) {
        return NULL;
    }
    if (state && state->match.route && cat_route_is_private(state->match.route)) {
        return "no-store";
    }
    if (state && depends_on_reader(state) && state->user) {
        return "private, no-cache";
    }
    return answer->etag || is_cached_by_default(answer->status) ? "no-cache" : NULL;
}

/* Sets Cache-Control again after mod_headers: a "Header set Cache-Control" for the whole site must not let caches keep
 * a token. The filter is added when the module answers, so it runs after mod_headers' filter, which has the same type,
 * and before mod_cache's. */
static apr_status_t restore_caching(ap_filter_t *f, apr_bucket_brigade *bb)
{
    request_rec *r = f->r;
    int failed = r->status >= 400;

    apr_table_unset(failed ? r->headers_out : r->err_headers_out, "Cache-Control");
    apr_table_setn(failed ? r->err_headers_out : r->headers_out, "Cache-Control", f->ctx);
    apr_table_unset(r->headers_out, "Expires"); /* Set by mod_expires. HTTP/1.0 caches obey it. */
    apr_table_unset(r->err_headers_out, "Expires");
    ap_remove_output_filter(f);
    return ap_pass_brigade(f->next, bb);
}

static void protect_caching(request_rec *r, const apr_table_t *table)
{
    const char *caching = apr_table_get(table, "Cache-Control");

    if (caching && (!strcmp(caching, "no-store") || !strncmp(caching, "private", strlen("private")))) {
        ap_add_output_filter(CACHING_FILTER, (void *)caching, r, r->connection);
    }
}

/* Sets the headers of the response. Those of a failure go to err_headers_out, as httpd's own do, so that "Header
 * always" sees them. */
static void set_headers(request_rec *r, const cat_conf_t *conf, const cat_answer_t *answer)
{
    apr_table_t *table = answer->status >= 400 ? r->err_headers_out : r->headers_out;
    const char *id = cat_log_request_id(r), *caching = find_caching(r, answer);
    const cat_state_t *state = cat_mount_state(r);

    if (cat_cors_is_on(conf->origins)) {
        cat_cors_describe(conf->origins, apr_table_get(r->headers_in, "Origin"), table);
    }
    if (state && depends_on_reader(state)) {
        apr_table_mergen(table, "Vary", "Authorization");
    }
    if (answer->headers) {
        apr_table_do(add_header, table, answer->headers, NULL);
    }
    if (answer->etag) {
        apr_table_setn(table, "ETag", answer->etag);
    }
    if (caching) {
        apr_table_setn(table, "Cache-Control", caching);
    }
    protect_caching(r, table);
    if (answer->problem) {
        apr_table_setn(table, "Catalog-Problem", cat_problem_details_name(answer->problem));
    }
    if (id) {
        apr_table_setn(table, "X-Request-Id", id);
    }
    if (answer->body || answer->stream || answer->file) {
        apr_table_setn(table, "X-Content-Type-Options", "nosniff");
        ap_set_content_type(r, answer->type ? answer->type : "application/json");
    }
    if (answer->body) {
        ap_set_content_length(r, (apr_off_t)answer->length);
    }
}

/* Returns a failure in the format that the client prefers, and any other answer unchanged. */
static const cat_answer_t *represent_answer(request_rec *r, const cat_conf_t *conf, const cat_answer_t *answer)
{
    if (!answer->problem) {
        return answer;
    }
    apr_table_mergen(r->err_headers_out, "Vary", "Accept");
    return cat_problem_details_wanted(apr_table_get(r->headers_in, "Accept"))
               ? cat_problem_details_make(r->pool, answer, conf->mount_uri, cat_log_request_id(r))
               : answer;
}

/* A write waits while the client does not read, for as long as Timeout says. That must not delay the end of the child,
 * so the signals are unblocked. */
static apr_status_t pass_brigade(request_rec *r, apr_bucket_brigade *bb)
{
    apr_status_t rv;

    cat_signals_unblock();
    rv = ap_pass_brigade(r->output_filters, bb);
    cat_signals_block();
    return rv;
}

/* Passes body and end of stream in one brigade; ap_rwrite() would send each through all filters separately. Ignores a
 * failure: either the client's connection is gone, which httpd knows, or a filter has sent its own answer. */
static void write_body(request_rec *r, const cat_answer_t *answer)
{
    apr_bucket_alloc_t *alloc = r->connection->bucket_alloc;
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, alloc);

    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_pool_create(answer->body, answer->length, r->pool, alloc));
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(alloc));
    pass_brigade(r, bb);
}

static apr_status_t pass_pieces(request_rec *r, apr_bucket_brigade *bb)
{
    apr_status_t rv = pass_brigade(r, bb);

    apr_brigade_cleanup(bb);
    return rv == APR_SUCCESS && r->connection->aborted ? APR_ECONNABORTED : rv;
}

/* Ends a body that failed after its status and first bytes were sent. The bucket is the one that proxies send when
 * their origin fails: httpd then leaves out the last chunk, and mod_http2 resets the stream, so no client takes the
 * body for complete. */
static void add_failure(request_rec *r, apr_bucket_brigade *bb)
{
    r->connection->keepalive = AP_CONN_CLOSE;
    APR_BRIGADE_INSERT_TAIL(bb, ap_bucket_error_create(HTTP_BAD_GATEWAY, NULL, r->pool, bb->bucket_alloc));
}

/* Sends the body piece by piece. Flushes the first piece with the status and headers, so that they are sent before any
 * later failure. */
static void write_stream(request_rec *r, const cat_stream_t *stream)
{
    apr_bucket_alloc_t *alloc = r->connection->bucket_alloc;
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, alloc);
    apr_status_t rv = APR_SUCCESS, made = APR_SUCCESS;
    const char *data;
    apr_size_t length = 0;

    for (int pieces = 0; rv == APR_SUCCESS && !r->header_only; pieces++) {
        made = stream->pull(stream->baton, &data, &length);
        if (made != APR_SUCCESS || length == 0) {
            break;
        }
        APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_transient_create(data, length, alloc));
        if (pieces == 0) {
            APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_flush_create(alloc));
        }
        rv = pass_pieces(r, bb);
    }
    stream->close(stream->baton);
    if (made != APR_SUCCESS) {
        add_failure(r, bb);
    }
    if (rv == APR_SUCCESS) {
        APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(alloc));
        pass_pieces(r, bb);
    }
}

/* Has the body of a 304 pass through the filters, after which httpd discards it: a 304 has the headers of the 200 that
 * it replaces (RFC 9110, 15.4.5), and filters change headers (mod_deflate and mod_brotli change the ETag). mod_filter
 * (AddOutputFilterByType) skips responses other than 200 unless this variable is set. */
static void have_304_filtered(request_rec *r)
{
    if (r->output_filters != r->proto_output_filters) {
        apr_table_setn(r->subprocess_env, "filter-errordocs", "1");
    }
}

int cat_reply_send(request_rec *r, const cat_answer_t *prepared)
{
    const cat_conf_t *conf = cat_mount_state(r)->conf;
    const cat_answer_t *answer = represent_answer(r, conf, prepared);

    r->status = answer->status;
    set_headers(r, conf, answer);
    if (answer->has_ranges) {
        ap_set_accept_ranges(r);
    } else {
        apr_table_unset(r->headers_in, "Range"); /* JSON is useless in ranges. */
    }
    if (answer->status >= 400 && answer->status < 500) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r, "CAT020: answered %d to %s", answer->status,
                      cat_log_name_request(r));
    }
    if (answer->status == HTTP_NOT_MODIFIED) {
        have_304_filtered(r);
    }
    if (answer->body) {
        write_body(r, answer);
    } else if (answer->stream) {
        write_stream(r, answer->stream);
    }
    return OK;
}

/* Returns true if a condition of the request fails. httpd would send that failure without a body and with the headers
 * of the file. */
static int fails_condition(request_rec *r)
{
    if (apr_stat(&r->finfo, r->filename, APR_FINFO_MIN, r->pool) != APR_SUCCESS) {
        return 0;
    }
    ap_update_mtime(r, r->finfo.mtime);
    ap_set_last_modified(r);
    ap_set_etag(r);
    return ap_meets_conditions(r) == HTTP_PRECONDITION_FAILED;
}

int cat_reply_pass_file(request_rec *r, const cat_answer_t *answer)
{
    r->filename = apr_pstrdup(r->pool, answer->file);
    if (fails_condition(r)) {
        return cat_reply_send(r, cat_answer_problem(r->pool, CAT_PROBLEM_PRECONDITION, NULL));
    }
    set_headers(r, cat_mount_state(r)->conf, answer);
    return DECLINED;
}

cat_answer_t *cat_reply_status(request_rec *r, int status)
{
    const char *line = ap_get_status_line_ex(r->pool, status); /* The line is "404 Not Found". */
    return cat_answer_status(r->pool, status, line + strlen("404 "));
}

/* Removes the HTML that httpd wrote, and keeps metadata. */
static void drop_data(apr_bucket_brigade *bb)
{
    apr_bucket *next;
    for (apr_bucket *b = APR_BRIGADE_FIRST(bb); b != APR_BRIGADE_SENTINEL(bb); b = next) {
        next = APR_BUCKET_NEXT(b);
        if (!APR_BUCKET_IS_METADATA(b)) {
            apr_bucket_delete(b);
        }
    }
}

static apr_status_t replace_error(ap_filter_t *f, apr_bucket_brigade *bb)
{
    request_rec *r = f->r;
    const cat_conf_t *conf = f->ctx;

    drop_data(bb);
    if (conf) {
        const cat_answer_t *answer = represent_answer(r, conf, cat_reply_status(r, r->status));
        set_headers(r, conf, answer);
        APR_BRIGADE_INSERT_HEAD(bb, apr_bucket_pool_create(answer->body, answer->length, r->pool, bb->bucket_alloc));
        f->ctx = NULL; /* The JSON body was written. */
    }
    return ap_pass_brigade(f->next, bb);
}

void cat_reply_insert_error_filter(request_rec *r)
{
    /* Also called for redirects, because it hides the query from logs. */
    const cat_conf_t *conf = cat_mount_conf_of_failed(r);

    if (conf && ap_is_HTTP_ERROR(r->status)) {
        ap_add_output_filter(ERROR_FILTER, (void *)conf, r, r->connection);
    }
}

void cat_reply_register_filters(void)
{
    ap_register_output_filter(ERROR_FILTER, replace_error, NULL, AP_FTYPE_CONTENT_SET);
    ap_register_output_filter(CACHING_FILTER, restore_caching, NULL, AP_FTYPE_CONTENT_SET);
}
