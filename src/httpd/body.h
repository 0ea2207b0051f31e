/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_BODY_H
#define CAT_HTTPD_BODY_H

#include <httpd.h>

#include "catalog.h"

/*
 * Reads the request's body, at most max bytes of it, and parses it. OK: *value is set, or *refusal is the answer that says why
 * not (415, 413, 408, 400). AP_FILTER_ERROR: a filter has answered already. Nothing is read that is refused for its headers,
 * so a client that waits for "100 Continue" does not send it.
 */
int cat_body_read(request_rec *r, int max, json_t **value, cat_answer_t **refusal);

/* Has the request a body, by its headers (RFC 9112 6.3)? */
int cat_body_is_sent(request_rec *r);

#endif
