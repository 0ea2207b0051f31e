/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_REPLY_H
#define CAT_HTTPD_REPLY_H

#include <httpd.h>

#include "http/answer.h"

/* Sends the answer to a request that a mount has claimed; no other function writes such a response. Returns OK after
 * setting r->status, so that no ErrorDocument replaces the response. The caller must have called cat_signals_block. */
int cat_reply_send(request_rec *r, const cat_answer_t *prepared);

/* Leaves the file of an answer to httpd's own handler, which supports ranges, conditions and sendfile. Returns
 * DECLINED, or OK if a condition of the request failed and the answer to that was sent. */
int cat_reply_pass_file(request_rec *r, const cat_answer_t *answer);

/* Returns the answer for a status that httpd or another module chose; see cat_answer_status. */
cat_answer_t *cat_reply_status(request_rec *r, int status);

/* insert_error_filter hook. Turns httpd's own errors below a mount into JSON. */
void cat_reply_insert_error_filter(request_rec *r);

/* Registers the output filters of this file. Called when hooks are registered. */
void cat_reply_register_filters(void);

#endif
