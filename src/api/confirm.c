/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Confirms e-mail addresses. The link in a mail leads to a page. The page checks the link with GET and, when the user
 * agrees, uses its token with POST. Programs that scan mails follow links but send no POST.
 */
#include "api/confirm.h"

#include "accounts/confirmation.h"
#include "accounts/outbox.h"
#include "api/account_context.h"
#include "api/failure.h"
#include "api/mail_requests.h"
#include "http/answer.h"
#include "http/request.h"

static cat_answer_t *answer_link(cat_request_t *q, apr_status_t rv, cat_confirmation_t outcome, const char *message)
{
    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    switch (outcome) {
    case CAT_CONFIRMATION_OK:
        return cat_answer_success(q->pool, 200, NULL, message);
    case CAT_CONFIRMATION_TAKEN:
        return cat_answer_problem(q->pool, CAT_PROBLEM_USER_EXISTS, "another account has this e-mail address");
    default:
        return cat_answer_problem(q->pool, CAT_PROBLEM_LINK, NULL);
    }
}

cat_answer_t *cat_confirm_check(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_confirmation_t outcome = CAT_CONFIRMATION_INVALID;
    const char *token = cat_mail_requests_find_token(q);
    apr_status_t rv = token ? cat_confirmation_find(&c, token, &outcome) : APR_SUCCESS;

    return answer_link(q, rv, outcome, "The link is valid");
}

cat_answer_t *cat_confirm_confirm(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_input_t input;
    cat_confirmation_t outcome;
    apr_status_t rv;

    cat_fields_check(q->pool, &cat_mail_requests_token, 1, CAT_CREATE, q->strict, q->body, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    rv = cat_confirmation_use(&c, input.values[0], &outcome);
    return answer_link(q, rv, outcome, "E-mail address confirmed");
}

cat_answer_t *cat_confirm_resend(cat_request_t *q)
{
    return cat_mail_requests_take(q, CAT_MAIL_CONFIRM);
}

/* ---- descriptions ---- */

static const cat_problem_t problems[] = {CAT_PROBLEM_LINK, CAT_PROBLEM_USER_EXISTS, CAT_PROBLEM_COUNT};

const cat_description_t cat_confirm_about_check = {
    .id = "checkConfirmation",
    .problems = problems,
    CAT_MAIL_REQUESTS_CHECK,
};

const cat_description_t cat_confirm_about_confirm = {
    .id = "confirmEmail",
    .tag = "Mail",
    .summary = "Confirm the e-mail address",
    .input = "MailToken",
    .fields = &cat_mail_requests_token,
    .field_count = 1,
    .purpose = CAT_CREATE,
    .status = 200,
    .answered = "The address is confirmed",
    .shape = &cat_description_done,
    .problems = problems,
};

const cat_description_t cat_confirm_about_resend = {
    .id = "resendConfirmation",
    .summary = "Send the confirmation link again",
    CAT_MAIL_REQUESTS_DESCRIPTION,
};
