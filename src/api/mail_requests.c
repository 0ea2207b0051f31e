/* SPDX-License-Identifier: Apache-2.0 */
#include "api/mail_requests.h"

#include "accounts/outbox.h"
#include "accounts/user.h"
#include "api/failure.h"
#include "http/route.h"
#include "mail/email.h"

enum { EMAIL, FIELDS };

const cat_field_t cat_mail_requests_token = {
    "token",     CAT_STRING, CAT_REQUIRED, 1, 1000, NULL, NULL, "The token of the mail's link, after `#token=`",
    "Zm9yIGFkYQ"};

const char *cat_mail_requests_find_token(cat_request_t *q)
{
    return q->link_token ? q->link_token : cat_route_query(q->pool, q->query, cat_mail_requests_token.name);
}

void cat_mail_requests_describe_token(cat_describer_t *d)
{
    const cat_field_t *token = &cat_mail_requests_token;

    cat_description_add_parameter(d, token->name, token->about, cat_schema_of_value(token),
                                  cat_schema_field_example(token));
    json_object_set_new(d->components, "Link-Token",
                        json_pack("{s:s, s:s, s:s, s:{s:s}, s:s}", "name", "Link-Token", "in", "header", "description",
                                  "The same, where no log has it.", "schema", "type", "string", "example",
                                  token->example));
    json_array_append_new(d->parameters, cat_schema_refer("parameters", "Link-Token"));
}

cat_answer_t *cat_mail_requests_take(cat_request_t *q, const char *template)
{
    cat_input_t input;
    cat_answer_t *answer;
    apr_status_t rv;

    cat_fields_check(q->pool, CAT_MAIL_REQUESTS_FIELDS, FIELDS, CAT_CREATE, q->strict, q->body, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    rv = cat_outbox_add(q->db, q->pool, template, NULL, cat_email_fold(q->pool, input.values[EMAIL]), q->now);
    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    answer =
        cat_answer_success(q->pool, 202, NULL,
                           q->conf->mail ? "If there is such an account, its mailbox receives a link or has a valid one"
                                         : "If there is such an account, a mail is queued for it");
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}
