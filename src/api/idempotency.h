/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_IDEMPOTENCY_H
#define CAT_API_IDEMPOTENCY_H

#include "http/request.h"
#include "http/route.h"

/*
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), for routes whose row in the route table has
 * cat_idempotency_run as run_once. The handler of such a route writes in exactly one transaction (cat_db_transact,
 * cat_products_insert_one or cat_operations_run). Before this transaction ends, the handler calls cat_idempotency_keep
 * or cat_idempotency_keep_secret, and the transaction stores the response. A write of several transactions cannot be
 * repeated safely in this way, so its route refuses the header.
 *
 * A route that reads its body itself (CAT_UPLOAD, CAT_PICTURE) also calls cat_idempotency_check.
 */

/* Handles a request with an Idempotency-Key. Runs the route for the first request with the key. Repeats the stored
 * response, with the header Idempotency-Replayed, if the same request is sent again. Refuses the request with 409 if
 * the first one is still running or cannot be compared, and with 422 if it was a different request. */
cat_handler_t cat_idempotency_run;

/* Stores the response: status, body, ETag, and its present headers. Does nothing if the request has no
 * Idempotency-Key. */
void cat_idempotency_keep(cat_request_t *q, const cat_answer_t *answer);

/* Stores only that the request succeeded, because the response contains secrets. A repeated request then runs the
 * handler again: cat_idempotency_is_replay returns true in it, and the handler makes a new response without writing
 * again what the first request wrote. Does nothing if the request has no Idempotency-Key. */
void cat_idempotency_keep_secret(cat_request_t *q);

/* Returns true if the handler runs again for a repeated request, see cat_idempotency_keep_secret. */
int cat_idempotency_is_replay(const cat_request_t *q);

/* Compares the request with a stored one, after a route has read its body itself. `digest` is the hexadecimal digest of
 * the body. Returns the response to send instead of running the route, or NULL if the route must run. */
cat_answer_t *cat_idempotency_check(cat_request_t *q, const char *digest);

#endif
