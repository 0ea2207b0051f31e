/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_IDEMPOTENCY_H
#define CAT_API_IDEMPOTENCY_H

#include "http/request.h"
#include "http/route.h"

/*
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), for the routes whose row names cat_idempotency_run. All
 * that the function of such a route has to do is to say, with one of the two functions below, what is kept of its answer:
 * before the end of its transaction, which stores it. The function makes one transaction, with cat_db_transact,
 * cat_products_insert_one or cat_operations_run. A write of several transactions cannot be made once and for all in this
 * way; its route refuses the header.
 *
 * A route that reads its body itself also calls cat_idempotency_check.
 */

/* Runs the route of a request that has an Idempotency-Key; or repeats the stored answer, with Idempotency-Replayed; or
 * refuses the request: 409, or 422 if the key was another request's. */
cat_handler_t cat_idempotency_run;

/* Keeps the answer: status, body, ETag, and the headers that it has now. Without an Idempotency-Key both do nothing. */
void cat_idempotency_keep(cat_request_t *q, const cat_answer_t *answer);

/* Records success without the answer, which contains secrets. A replay runs the route's function again, in
 * which cat_idempotency_is_replay is true: it makes another answer, and does not write what the first one wrote. */
void cat_idempotency_keep_secret(cat_request_t *q);

int cat_idempotency_is_replay(const cat_request_t *q);

/* For a route whose body is not q->body_text, once it has read that. digest: of the body, hexadecimal. Returns the
 * answer to send instead of running; NULL: there is none. */
cat_answer_t *cat_idempotency_check(cat_request_t *q, const char *digest);

#endif
