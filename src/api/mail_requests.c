/* SPDX-License-Identifier: Apache-2.0 */
#include "api/mail_requests.h"

#include "accounts/outbox.h"
#include "accounts/user.h"
#include "api/failure.h"
#include "mail/email.h"

enum { EMAIL, FIELDS };

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
