/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_MAIL_REQUESTS_H
#define CAT_API_MAIL_REQUESTS_H

#include "accounts/user.h"
#include "http/answer.h"
#include "http/description.h"
#include "http/request.h"

/*
 * Answers a request {email} for a mail of a template (a CAT_MAIL_ name): 202, or 400 if email is no address. Neither
 * the answer nor its time tells whether a user has the address: the mailer finds that out, and limits how many mails an
 * address gets.
 */
cat_answer_t *cat_mail_requests_take(cat_request_t *q, const char *template);

/* The token of a link, in a body. */
extern const cat_field_t cat_mail_requests_token;

/* The token that a request asks about: in a header, which logs do not have, or in the query, which this server's logs leave out. NULL: in
 * neither. */
const char *cat_mail_requests_find_token(cat_request_t *q);
void cat_mail_requests_describe_token(cat_describer_t *d);

/* What descriptions of looks at a link have in common. */
#define CAT_MAIL_REQUESTS_LOOK                                                                                         \
    .tag = "Mail", .summary = "Ask whether a link is valid, without using it", .group = "confirm",                     \
    .describe_parameters = cat_mail_requests_describe_token, .status = 200, .answered = "The link is valid",           \
    .shape = &cat_description_done

/* What the body has: one field. */
#define CAT_MAIL_REQUESTS_FIELDS (&cat_user_fields[CAT_USER_EMAIL])

/* What their descriptions have in common. */
#define CAT_MAIL_REQUESTS_DESCRIPTION                                                                                  \
    .tag = "Mail", .about = "The answer is the same whether or not there is such an account.", .input = "MailAddress", \
    .fields = CAT_MAIL_REQUESTS_FIELDS, .field_count = 1, .purpose = CAT_CREATE, .status = 202,                        \
    .answered = "The request is accepted", .shape = &cat_description_done

#endif
