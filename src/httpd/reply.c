/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/reply.h"

#include <apr_buckets.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_log.h>
#include <http_protocol.h>
#include <string.h>
#include <util_filter.h>

#include "httpd/log.h"
#include "httpd/mount.h"
#include "lib/conf.h"

APLOG_USE_MODULE(catalog);

#define ERROR_FILTER "CATALOG_ERROR"

static int add_header(void *table, const char *name, const char *value)
{
    apr_table_setn(table, name, value);
    return 1;
}

/* Headers of a failure are in err_headers_out, as httpd's own are, so "Header always" sees them. */
static void set_headers(request_rec *r, const cat_answer_t *answer)
{
    apr_table_t *table = answer->status >= 400 ? r->err_headers_out : r->headers_out;
    const char *id = cat_log_request_id(r);

    if (answer->headers) {
        apr_table_do(add_header, table, answer->headers, NULL);
    }
    if (answer->etag) {
        apr_table_setn(table, "ETag", answer->etag);
        apr_table_setn(table, "Cache-Control", "no-cache");
    }
    if (id) {
        apr_table_setn(table, "X-Request-Id", id);
    }
    if (answer->body) {
        apr_table_setn(table, "X-Content-Type-Options", "nosniff");
        ap_set_content_type(r, "application/json");
        ap_set_content_length(r, (apr_off_t)answer->length);
    }
}

/* Passes body and end of stream in one brigade; ap_rwrite() would send each through all filters separately. If that fails, either the
 * client's connection is gone, which httpd knows, or a filter has sent its own answer. */
static void write_body(request_rec *r, const cat_answer_t *answer)
{
    apr_bucket_alloc_t *alloc = r->connection->bucket_alloc;
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, alloc);

    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_pool_create(answer->body, answer->length, r->pool, alloc));
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(alloc));
    ap_pass_brigade(r->output_filters, bb);
}

/* A 304 has the headers of the 200 that it replaces (RFC 9110, 15.4.5). So its body passes through the filters too, which change
 * headers (mod_deflate and mod_brotli change the ETag); then httpd discards it. mod_filter (AddOutputFilterByType) skips responses
 * other than 200 unless this variable is set. */
static void have_304_filtered(request_rec *r)
{
    if (r->output_filters != r->proto_output_filters) {
        apr_table_setn(r->subprocess_env, "filter-errordocs", "1");
    }
}

int cat_reply_send(request_rec *r, const cat_answer_t *answer)
{
    r->status = answer->status;
    set_headers(r, answer);
    apr_table_unset(r->headers_in, "Range"); /* a part of a JSON text is useless */
    if (answer->status >= 400 && answer->status < 500) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r, "CAT020: answered %d to %s", answer->status,
                      cat_log_name_request(r));
    }
    if (answer->status == HTTP_NOT_MODIFIED) {
        have_304_filtered(r);
    }
    if (answer->body) {
        write_body(r, answer);
    }
    return OK;
}

cat_answer_t *cat_reply_status(request_rec *r, int status)
{
    const char *line = ap_get_status_line_ex(r->pool, status); /* "404 Not Found" */
    return cat_answer_status(r->pool, status, line + strlen("404 "));
}

/* Passes metadata only: the HTML that httpd wrote is discarded. */
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

    drop_data(bb);
    if (!f->ctx) {
        cat_answer_t *answer = cat_reply_status(r, r->status);
        set_headers(r, answer);
        APR_BRIGADE_INSERT_HEAD(bb, apr_bucket_pool_create(answer->body, answer->length, r->pool, bb->bucket_alloc));
        f->ctx = answer; /* written */
    }
    return ap_pass_brigade(f->next, bb);
}

void cat_reply_insert_error_filter(request_rec *r)
{
    const cat_conf_t *conf = cat_mount_conf_of_failed(r); /* for redirects too: hides the query from logs */

    if (conf && ap_is_HTTP_ERROR(r->status)) {
        ap_add_output_filter(ERROR_FILTER, NULL, r, r->connection);
    }
}

void cat_reply_register_filters(void)
{
    ap_register_output_filter(ERROR_FILTER, replace_error, NULL, AP_FTYPE_CONTENT_SET);
}
