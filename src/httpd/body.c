/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/body.h"

#include <apr_buckets.h>
#include <apr_strings.h>
#include <http_protocol.h>
#include <string.h>
#include <util_filter.h>

#include "lib/header.h"
#include "lib/json.h"

/* What is read at a time: most bodies in one go. */
#define PIECE 8192

static cat_answer_t *too_large(request_rec *r)
{
    r->connection->keepalive = AP_CONN_CLOSE; /* the rest is not worth reading */
    return cat_answer_problem(r->pool, CAT_PROBLEM_BODY_TOO_LARGE, NULL);
}

static cat_answer_t *check_headers(request_rec *r, int max)
{
    const char *coding = apr_table_get(r->headers_in, "Content-Encoding");
    const char *length = apr_table_get(r->headers_in, "Content-Length");

    if (!cat_header_is_json(apr_table_get(r->headers_in, "Content-Type")) ||
        (coding && strcasecmp(coding, "identity"))) {
        return cat_answer_problem(r->pool, CAT_PROBLEM_MEDIA_TYPE, NULL);
    }
    return length && apr_atoi64(length) > max ? too_large(r) : NULL;
}

int cat_body_is_sent(request_rec *r)
{
    const char *length = apr_table_get(r->headers_in, "Content-Length");
    return apr_table_get(r->headers_in, "Transfer-Encoding") || (length && strcmp(length, "0"));
}

static apr_status_t add_piece(cat_buffer_t *b, apr_bucket_brigade *bb, int *end)
{
    for (apr_bucket *e = APR_BRIGADE_FIRST(bb); e != APR_BRIGADE_SENTINEL(bb); e = APR_BUCKET_NEXT(e)) {
        const char *data;
        apr_size_t length;
        apr_status_t rv;

        if (APR_BUCKET_IS_EOS(e)) {
            *end = 1;
            return APR_SUCCESS;
        }
        if (APR_BUCKET_IS_METADATA(e)) {
            continue;
        }
        rv = apr_bucket_read(e, &data, &length, APR_BLOCK_READ);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        cat_buffer_add(b, data, length);
    }
    return APR_SUCCESS;
}

/* A body that was cut off is an error here, where ap_get_client_block would call it the end. */
static int read_all(request_rec *r, int max, cat_buffer_t *b, cat_answer_t **refusal)
{
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    int end = 0;

    while (!end) {
        apr_status_t rv = ap_get_brigade(r->input_filters, bb, AP_MODE_READBYTES, APR_BLOCK_READ, PIECE);
        if (rv == APR_SUCCESS) {
            rv = add_piece(b, bb, &end);
        }
        apr_brigade_cleanup(bb);
        if (rv != APR_SUCCESS) {
            int status = ap_map_http_request_error(rv, HTTP_BAD_REQUEST);
            r->connection->keepalive = AP_CONN_CLOSE;
            if (!ap_is_HTTP_ERROR(status)) {
                return AP_FILTER_ERROR;
            }
            *refusal = cat_answer_problem(
                r->pool, status == HTTP_BAD_REQUEST ? CAT_PROBLEM_BODY : cat_answer_find_problem(status), NULL);
            return OK;
        }
        if (b->length > (apr_size_t)max) {
            *refusal = too_large(r);
            return OK;
        }
    }
    return OK;
}

int cat_body_read(request_rec *r, int max, json_t **value, cat_answer_t **refusal)
{
    cat_buffer_t b;
    const char *why;
    int status;

    *refusal = check_headers(r, max);
    if (*refusal) {
        return OK;
    }
    cat_buffer_init(&b, r->pool, 1024);
    status = read_all(r, max, &b, refusal);
    if (status == OK && !*refusal && cat_json_parse(r->pool, b.data, b.length, value, &why) != APR_SUCCESS) {
        *refusal = cat_answer_problem(r->pool, CAT_PROBLEM_JSON, why);
    }
    return status;
}
