/* SPDX-License-Identifier: Apache-2.0 */
#include "api/account_refusal.h"

#include "accounts/names.h"
#include "api/failure.h"
#include "http/challenge.h"
#include "http/rate_limit.h"

cat_answer_t *cat_account_refusal_gone(cat_request_t *q)
{
    return cat_challenge_refuse(q->pool, q->conf, CAT_PROBLEM_ACCOUNT_GONE, "invalid_token",
                                cat_problem_rows[CAT_PROBLEM_ACCOUNT_GONE].error);
}

cat_answer_t *cat_account_refusal_password(cat_request_t *q, apr_status_t rv, const cat_login_t *result,
                                           cat_input_t *input, const char *field)
{
    if (rv == APR_NOTFOUND) {
        return cat_account_refusal_gone(q);
    }
    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    switch (result->outcome) {
    case CAT_LOGIN_WAIT:
        return cat_rate_limit_delay_login(q->pool, result->wait);
    case CAT_LOGIN_WRONG:
        cat_fields_add_error(q->pool, input, field, "wrong", "is not the current password");
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input->errors);
    default:
        return NULL;
    }
}

void cat_account_refusal_check_name(cat_request_t *q, cat_input_t *input, const char *username)
{
    if (cat_names_is_reserved(q->conf, username)) {
        cat_fields_add_error(q->pool, input, "username", "reserved", "is reserved on this server; choose another name");
    }
}
