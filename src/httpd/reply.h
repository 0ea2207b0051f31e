/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_REPLY_H
#define CAT_HTTPD_REPLY_H

#include <httpd.h>

#include "http/answer.h"

/* The only function that writes a response, to a request that a mount has claimed. Sets the status, sends the answer and returns OK,
 * so no ErrorDocument replaces it. The caller has called cat_signals_block. */
int cat_reply_send(request_rec *r, const cat_answer_t *prepared);

/* Leaves an answer's file to httpd's own handler, which sends it with what it has of ranges, conditions and sendfile. Returns DECLINED. */
int cat_reply_pass_file(request_rec *r, const cat_answer_t *answer);

/* The answer for a status that httpd or another module chose, with its words; see cat_answer_status. */
cat_answer_t *cat_reply_status(request_rec *r, int status);

/* insert_error_filter hook: turns httpd's own errors below a mount into JSON. */
void cat_reply_insert_error_filter(request_rec *r);

/* Registers that filter; at hook registration. */
void cat_reply_register_filters(void);

#endif
