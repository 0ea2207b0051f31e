/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_MAIL_REQUESTS_H
#define CAT_API_MAIL_REQUESTS_H

#include "accounts/user.h"
#include "http/answer.h"
#include "http/request.h"

/*
 * Answers a request {email} for a mail of a template (a CAT_MAIL_ name): 202, or 400 if email is no address. Neither
 * the answer nor its time tells whether a user has the address: the mailer finds that out, and limits how many mails an
 * address gets.
 */
cat_answer_t *cat_mail_requests_take(cat_request_t *q, const char *template);

/* What the body has: one field. */
#define CAT_MAIL_REQUESTS_FIELDS (&cat_user_fields[CAT_USER_EMAIL])

/* What their descriptions have in common. */
#define CAT_MAIL_REQUESTS_DESCRIPTION                                                                                  \
    .tag = "Mail", .about = "The answer is the same whether or not there is such an account.", .input = "MailAddress", \
    .fields = CAT_MAIL_REQUESTS_FIELDS, .field_count = 1, .purpose = CAT_CREATE, .status = 202,                        \
    .answered = "The request is accepted", .shape = &cat_description_done

#endif
