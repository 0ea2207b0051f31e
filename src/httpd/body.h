/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_BODY_H
#define CAT_HTTPD_BODY_H

#include <httpd.h>

#include "http/answer.h"
#include "http/request.h"
#include "http/route.h"

/*
 * Reads the request's body, JSON of one of these media types and at most the media type's maximum of bytes, or else CatalogMaxBody, and
 * parses it. OK: q->body and q->body_text are set, or *refusal is the answer that says why not (415, 413, 408, 400). AP_FILTER_ERROR: a
 * filter has answered already. Headers are checked first, so a client that waits for "100 Continue" does not send a body that is
 * refused. The caller has called cat_signals_block.
 */
int cat_body_read(request_rec *r, const cat_media_t *media, cat_request_t *q, cat_answer_t **refusal);

/* The same for a body that the resource reads in pieces: *upload is valid if NULL is returned; otherwise the headers do
 * not allow the body, and the answer says why. */
cat_answer_t *cat_body_open(request_rec *r, const cat_media_t *media, int max, cat_upload_t **upload);

/* When the resource has read what it wants: discards what has arrived of the rest. As cat_body_discard. */
int cat_body_close(request_rec *r, const cat_upload_t *upload);

/*
 * Before an answer that does not depend on the body: reads and discards what has arrived, up to 1 MiB. Over HTTP/2 it waits up to a
 * second for the rest, because mod_http2 resets a stream whose body was not read, and clients such as curl 7.88 then lose the
 * answer. A client that waits for "100 Continue" is not asked for its body. OK, or AP_FILTER_ERROR: a filter has answered already.
 */
int cat_body_discard(request_rec *r);

/* Flag: the headers announce a body (RFC 9112, 6.3). */
int cat_body_is_sent(request_rec *r);

#endif
