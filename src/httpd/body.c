/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads request bodies. A body that the headers rule out is refused before a byte is read, so a client that waits for
 * "100 Continue" never sends it. A small body is read whole and parsed; a file is passed to its resource in pieces. If
 * an answer is ready before the body was read, the rest of the body is discarded within limits, so that the client can
 * read the answer.
 */
#include "httpd/body.h"

#include <apr_buckets.h>
#include <apr_strings.h>
#include <http_protocol.h>
#include <string.h>
#include <util_filter.h>

#include "http/header.h"
#include "httpd/reply.h"
#include "httpd/signals.h"
#include "lib/encoding.h"
#include "lib/json.h"
#include "lib/text.h"

/* Bytes read at a time. PIECE is enough for most bodies. */
#define PIECE 8192
#define UPLOAD_PIECE 65536

/* Limits of discarding a body: the number of bytes, how long HTTP/2 waits for the rest, and the pause between two
 * reads. */
#define DISCARD_MAX (1024 * 1024)
#define DISCARD_TIME apr_time_from_sec(1)
#define DISCARD_PAUSE apr_time_from_msec(5)

static cat_answer_t *refuse_size(request_rec *r)
{
    r->connection->keepalive = AP_CONN_CLOSE; /* The rest of the body is not read. */
    return cat_answer_problem(r->pool, CAT_PROBLEM_BODY_TOO_LARGE, NULL);
}

/* Returns " in UTF-8", followed by the other charsets that some of the types may have. Returns "" for pictures. */
static const char *name_charsets(apr_pool_t *pool, const cat_media_t *media)
{
    if (!strncmp(media->types, "image/", strlen("image/"))) {
        return "";
    }
    return media->encoded ? apr_pstrcat(pool, " in UTF-8 (", media->encoded, " also with the charset ",
                                        cat_text_join(pool, cat_encodings + 1), ")", NULL)
                          : " in UTF-8";
}

/* Refuses a body of the wrong type or encoding. `header` names the types that are accepted (RFC 9110, 15.5.16). */
static cat_answer_t *refuse_type(request_rec *r, const cat_media_t *media, const char *header, const char *accepted)
{
    cat_answer_t *answer =
        cat_answer_problem(r->pool, CAT_PROBLEM_MEDIA_TYPE,
                           apr_pstrcat(r->pool, "the body must be sent as ", media->types,
                                       name_charsets(r->pool, media), ", without a content coding", NULL));

    cat_answer_header(answer, r->pool, header, accepted);
    return answer;
}

static cat_answer_t *refuse_coding(request_rec *r, const cat_media_t *media)
{
    return refuse_type(r, media, "Accept-Encoding", "identity");
}

static int is_encoded(request_rec *r)
{
    const char *coding = apr_table_get(r->headers_in, "Content-Encoding");
    return coding && strcasecmp(coding, "identity");
}

static int has_type(const char *type, const cat_media_t *media)
{
    return cat_header_has_type(type, media->types) || (media->other && cat_header_has_type(type, media->other)) ||
           (media->encoded && cat_header_has_type_of(type, media->encoded, cat_encodings));
}

/* Refuses a body by its headers. Accepts an encoded body only if the site has an input filter that may decode it when
 * it is read, such as "SetInputFilter DEFLATE". */
static cat_answer_t *check_headers(request_rec *r, const cat_media_t *media, int max)
{
    const char *length = apr_table_get(r->headers_in, "Content-Length");

    if (!has_type(apr_table_get(r->headers_in, "Content-Type"), media)) {
        return refuse_type(r, media, media->header, media->types);
    }
    if (is_encoded(r) && r->input_filters->frec->ftype >= AP_FTYPE_PROTOCOL) {
        return refuse_coding(r, media);
    }
    return length && apr_atoi64(length) > max ? refuse_size(r) : NULL;
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

/* Unblocks the signals while it waits, because a slow client must not delay the end of the child. */
static apr_status_t wait_for_piece(request_rec *r, apr_bucket_brigade *bb, apr_off_t most)
{
    apr_status_t rv;

    cat_signals_unblock();
    rv = ap_get_brigade(r->input_filters, bb, AP_MODE_READBYTES, APR_BLOCK_READ, most);
    cat_signals_block();
    return rv;
}

/* Adds the next piece of the body to `b`. Does not use ap_get_client_block, which reports a truncated body as
 * complete. Returns OK, also if *refusal says why the body cannot be read, or AP_FILTER_ERROR if a filter has
 * answered already. */
static int read_piece(request_rec *r, apr_bucket_brigade *bb, apr_off_t most, cat_buffer_t *b, int *end,
                      cat_answer_t **refusal)
{
    apr_status_t rv = wait_for_piece(r, bb, most);
    int status;

    if (rv == APR_SUCCESS) {
        rv = add_piece(b, bb, end);
    }
    apr_brigade_cleanup(bb);
    if (rv == APR_SUCCESS) {
        return OK;
    }
    status = ap_map_http_request_error(rv, HTTP_BAD_REQUEST);
    r->connection->keepalive = AP_CONN_CLOSE;
    if (!ap_is_HTTP_ERROR(status)) {
        return AP_FILTER_ERROR;
    }
    *refusal =
        status == HTTP_BAD_REQUEST ? cat_answer_problem(r->pool, CAT_PROBLEM_BODY, NULL) : cat_reply_status(r, status);
    return OK;
}

static int read_all(request_rec *r, int max, cat_buffer_t *b, cat_answer_t **refusal)
{
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    int end = 0;

    while (!end) {
        int status = read_piece(r, bb, PIECE, b, &end, refusal);
        if (status != OK || *refusal) {
            return status;
        }
        if (b->length > (apr_size_t)max) {
            *refusal = refuse_size(r);
            return cat_body_discard(r);
        }
    }
    return OK;
}

int cat_body_read(request_rec *r, const cat_media_t *media, cat_request_t *q, cat_answer_t **refusal)
{
    cat_buffer_t b;
    const char *why;
    int status, max = media->max ? media->max : q->conf->max_body;

    *refusal = check_headers(r, media, max);
    if (*refusal) {
        return cat_body_discard(r);
    }
    cat_buffer_init(&b, r->pool, 1024);
    status = read_all(r, max, &b, refusal);
    if (status != OK || *refusal) {
        return status;
    }
    if (is_encoded(r)) { /* A filter that decodes the body removes the header. */
        *refusal = refuse_coding(r, media);
        return OK;
    }
    q->body_text = cat_buffer_text(&b);
    q->is_merge_patch = cat_header_has_type(apr_table_get(r->headers_in, "Content-Type"), CAT_MERGE_PATCH);
    q->body = cat_json_parse_exact(r->pool, b.data, b.length, &why);
    if (!q->body) {
        *refusal = cat_answer_problem(r->pool, CAT_PROBLEM_JSON, why);
    }
    return OK;
}

/* ---- a body that the resource reads ---- */

typedef struct body_upload_t {
    cat_upload_t upload; /* Must be first: callers only see this member. */
    request_rec *r;
    const cat_media_t *media;
    apr_bucket_brigade *bb;
    cat_buffer_t piece;
    apr_int64_t left; /* Bytes that may still follow. */
    int is_ended;     /* True if the whole body was read, or if no more of it will arrive. */
    int status;       /* OK, or AP_FILTER_ERROR if a filter has answered already. */
} body_upload_t;

static cat_answer_t *read_upload(cat_upload_t *upload, const char **data, apr_size_t *length)
{
    body_upload_t *u = (body_upload_t *)upload;
    cat_answer_t *refusal = NULL;

    u->piece.length = 0;
    while (u->piece.length == 0 && !u->is_ended) {
        u->status = read_piece(u->r, u->bb, UPLOAD_PIECE, &u->piece, &u->is_ended, &refusal);
        if (u->status != OK) { /* This answer is not sent. */
            refusal = cat_answer_problem(u->r->pool, CAT_PROBLEM_BODY, NULL);
        }
        if (refusal) {
            u->is_ended = 1;
            return refusal;
        }
    }
    if (is_encoded(u->r)) { /* A filter that decodes the body removes the header when it is first called. */
        return refuse_coding(u->r, u->media);
    }
    *data = u->piece.data;
    *length = u->piece.length;
    u->left -= (apr_int64_t)*length;
    return u->left < 0 ? refuse_size(u->r) : NULL;
}

cat_answer_t *cat_body_open(request_rec *r, const cat_media_t *media, int max, cat_upload_t **upload)
{
    body_upload_t *u = apr_pcalloc(r->pool, sizeof(*u));
    cat_answer_t *refusal = check_headers(r, media, max);

    u->upload = (cat_upload_t){apr_table_get(r->headers_in, "Content-Type"), read_upload};
    u->r = r;
    u->media = media;
    u->bb = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    cat_buffer_init(&u->piece, r->pool, UPLOAD_PIECE);
    u->left = max;
    *upload = &u->upload;
    return refusal;
}

int cat_body_close(request_rec *r, const cat_upload_t *upload)
{
    const body_upload_t *u = (const body_upload_t *)upload;

    if (u->status != OK || u->is_ended) {
        return u->status;
    }
    r->connection->keepalive = AP_CONN_CLOSE; /* The rest of the body is not read. */
    return cat_body_discard(r);
}

/* Discards the next piece of the body without waiting, and adds its length to *dropped. Returns APR_SUCCESS if more may
 * follow, APR_EAGAIN if nothing has arrived yet, and another status at the end of the body or on failure. */
static apr_status_t drop_piece(request_rec *r, apr_bucket_brigade *bb, apr_off_t *dropped)
{
    apr_off_t length = 0;
    apr_status_t rv = ap_get_brigade(r->input_filters, bb, AP_MODE_READBYTES, APR_NONBLOCK_READ, PIECE);

    if (rv == APR_SUCCESS && APR_BRIGADE_EMPTY(bb)) {
        rv = APR_EAGAIN;
    } else if (rv == APR_SUCCESS && APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(bb))) {
        rv = APR_EOF;
    } else if (rv == APR_SUCCESS) {
        rv = apr_brigade_length(bb, 1, &length);
    }
    apr_brigade_cleanup(bb);
    *dropped += length;
    return rv;
}

int cat_body_discard(request_rec *r)
{
    apr_off_t dropped = 0;
    apr_status_t rv = APR_SUCCESS;
    apr_bucket_brigade *bb;
    apr_time_t end;

    if (r->main || r->expecting_100 || !cat_body_is_sent(r)) {
        return OK;
    }
    bb = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    end = apr_time_now() + (r->proto_num >= HTTP_VERSION(2, 0) ? DISCARD_TIME : 0);
    while (rv == APR_SUCCESS && dropped < DISCARD_MAX) {
        rv = drop_piece(r, bb, &dropped);
        if (APR_STATUS_IS_EAGAIN(rv) && apr_time_now() < end) {
            apr_sleep(DISCARD_PAUSE);
            rv = APR_SUCCESS;
        }
    }
    return rv == AP_FILTER_ERROR ? AP_FILTER_ERROR : OK;
}
