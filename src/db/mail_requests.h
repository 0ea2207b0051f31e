/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_MAIL_REQUESTS_H
#define CAT_DB_MAIL_REQUESTS_H

#include "catalog.h"

/*
 * Answers a request {email} for a mail of a template: 202 whoever asks, after the same work, so that neither the answer nor its
 * time tells whether somebody has the address; that is found out when the mail is sent. 400 when it is no address; 429 when too
 * many were asked for the same one.
 */
cat_answer_t *cat_mail_requests_take(cat_request_t *q, const char *template);

#endif
