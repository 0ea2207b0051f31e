/* SPDX-License-Identifier: Apache-2.0 */
#include "db/mail_requests.h"

#include "db/outbox.h"
#include "lib/email.h"
#include "shm/rate.h"
#include "lib/user.h"

enum { EMAIL, FIELDS };

cat_answer_t *cat_mail_requests_take(cat_request_t *q, const char *template)
{
    cat_input_t input;
    cat_verdict_t verdict;
    cat_answer_t *answer;
    const char *key;
    apr_status_t rv;

    if (cat_fields_check(q->pool, &cat_user_fields[CAT_USER_EMAIL], FIELDS, CAT_CREATE, q->strict, q->body, &input) !=
        APR_SUCCESS) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input.errors);
    }
    key = cat_email_fold(q->pool, input.values[EMAIL]);
    verdict = cat_limit_take(q->limits, "address", key, q->conf->rates[CAT_RATE_MAIL], apr_time_now());
    if (!verdict.allowed) {
        return cat_rate_refuse(q->pool, "address", q->conf->rates[CAT_RATE_MAIL], verdict);
    }
    rv = cat_outbox_add(q->db, q->pool, template, NULL, key, q->now);
    if (rv != APR_SUCCESS) {
        return cat_answer_failure(q->pool, rv);
    }
    answer = cat_answer_success(q->pool, 202, NULL, "If there is such an account, a mail is on its way");
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}
