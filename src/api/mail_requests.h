/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_MAIL_REQUESTS_H
#define CAT_API_MAIL_REQUESTS_H

#include "http/answer.h"
#include "http/request.h"

/*
 * Answers a request {email} for a mail of a template: 202 whoever asks, after the same work, so that neither the answer nor its
 * time tells whether somebody has the address; that is found out when the mail is sent, and there as well how many the address
 * gets. 400 when it is no address.
 */
cat_answer_t *cat_mail_requests_take(cat_request_t *q, const char *template);

#endif
