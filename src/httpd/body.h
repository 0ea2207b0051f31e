/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_BODY_H
#define CAT_HTTPD_BODY_H

#include <httpd.h>

#include "http/answer.h"
#include "http/request.h"
#include "http/route.h"

/*
 * Reads and parses the request's body, which must be JSON with one of the media types of `media`, and at most
 * media->max bytes long, or CatalogMaxBody if media->max is 0. Returns OK if the body was read into q->body,
 * q->body_text and q->is_merge_patch, and also if it was refused: then *refusal is the answer that says why (415, 413,
 * 408, 400). Returns AP_FILTER_ERROR if a filter has answered already. Checks the headers first, so that a client that
 * waits for "100 Continue" does not send a body that is refused. The caller must have called cat_signals_block.
 */
int cat_body_read(request_rec *r, const cat_media_t *media, cat_request_t *q, cat_answer_t **refusal);

/* Prepares a body of at most `max` bytes that the resource reads in pieces through *upload, which is on r->pool.
 * Returns NULL if the headers allow the body; otherwise returns the answer that refuses it. */
cat_answer_t *cat_body_open(request_rec *r, const cat_media_t *media, int max, cat_upload_t **upload);

/* Ends an upload when the resource has read as much as it wants. If the body was not read to its end, discards as much
 * as cat_body_discard would, and has httpd close the connection after the response. Returns OK, or AP_FILTER_ERROR if a
 * filter has answered already. */
int cat_body_close(request_rec *r, const cat_upload_t *upload);

/*
 * Reads and discards the body before an answer that does not depend on it: the bytes that have arrived, up to 1 MiB.
 * Over HTTP/2 waits up to a second for the rest, because mod_http2 resets a stream whose body was not read, and clients
 * such as curl 7.88 then lose the answer. Does nothing if the client waits for "100 Continue", so that it does not send
 * its body. Returns OK, or AP_FILTER_ERROR if a filter has answered already.
 */
int cat_body_discard(request_rec *r);

/* Returns true if the headers announce a body (RFC 9112, 6.3). */
int cat_body_is_sent(request_rec *r);

#endif
