/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_MAIL_REQUESTS_H
#define CAT_API_MAIL_REQUESTS_H

#include "accounts/user.h"
#include "http/answer.h"
#include "http/description.h"
#include "http/request.h"

/*
 * Queues a mail with the template (a CAT_MAIL_ name, accounts/outbox.h) to the address in the body, {"email": ...}.
 * Returns 202, or 400 if the body has no valid address. Neither the response nor its time shows whether a user has the
 * address. The mailer finds that out later and limits how many mails an address gets.
 */
cat_answer_t *cat_mail_requests_take(cat_request_t *q, const char *template);

/* Field of a body for the token of a link. */
extern const cat_field_t cat_mail_requests_token;

/* Returns the link token of a GET request, or NULL if it has none. The token is in the header Link-Token, which no log
 * has, or in the query, which this server leaves out of its logs. */
const char *cat_mail_requests_find_token(cat_request_t *q);
void cat_mail_requests_describe_token(cat_describer_t *d);

/* Members that the descriptions of both routes that check a link have in common. */
#define CAT_MAIL_REQUESTS_CHECK                                                                                        \
    .tag = "Mail", .summary = "Ask whether a link is valid, without using it", .group = "confirm",                     \
    .describe_parameters = cat_mail_requests_describe_token, .status = 200, .answered = "The link is valid",           \
    .shape = &cat_description_done

/* The only field of the body that cat_mail_requests_take reads. */
#define CAT_MAIL_REQUESTS_FIELDS (&cat_user_fields[CAT_USER_EMAIL])

/* Members that the descriptions of routes with cat_mail_requests_take have in common. */
#define CAT_MAIL_REQUESTS_DESCRIPTION                                                                                  \
    .tag = "Mail", .about = "The answer is the same whether or not there is such an account.", .input = "MailAddress", \
    .fields = CAT_MAIL_REQUESTS_FIELDS, .field_count = 1, .purpose = CAT_CREATE, .status = 202,                        \
    .answered = "The request is accepted", .shape = &cat_description_done

#endif
