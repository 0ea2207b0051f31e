/* SPDX-License-Identifier: Apache-2.0 */
#include "api/confirm.h"

#include "accounts/accounts.h"
#include "accounts/mail_tokens.h"
#include "accounts/outbox.h"
#include "api/account_context.h"
#include "api/failure.h"
#include "api/mail_requests.h"
#include "http/answer.h"
#include "http/request.h"
#include "http/route.h"
#include "lib/fields.h"

static const cat_field_t token_fields[] = {{"token", CAT_STRING, CAT_REQUIRED, 1, 1000, NULL, NULL}};

static cat_answer_t *answer_link(cat_request_t *q, apr_status_t rv, int is_valid, const char *message)
{
    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    return is_valid ? cat_answer_success(q->pool, 200, NULL, message)
                    : cat_answer_problem(q->pool, CAT_PROBLEM_LINK, NULL);
}

/* Mail scanners follow links, so only the POST uses the token. */
cat_answer_t *cat_confirm_look(cat_request_t *q)
{
    const char *user_id = NULL, *token = cat_route_query(q->pool, q->query, "token");
    apr_status_t rv =
        token ? cat_mail_tokens_find(q->db, q->pool, CAT_MAIL_CONFIRM, token, q->now, &user_id) : APR_SUCCESS;

    return answer_link(q, rv, user_id != NULL, "The link is valid");
}

cat_answer_t *cat_confirm_confirm(cat_request_t *q)
{
    const cat_account_context_t c = cat_account_context_make(q);
    cat_input_t input;
    int is_confirmed;
    apr_status_t rv;

    cat_fields_check(q->pool, token_fields, 1, CAT_CREATE, q->strict, q->body, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    rv = cat_accounts_confirm(&c, input.values[0], &is_confirmed);
    return answer_link(q, rv, is_confirmed, "E-mail address confirmed");
}

cat_answer_t *cat_confirm_resend(cat_request_t *q)
{
    return cat_mail_requests_take(q, CAT_MAIL_CONFIRM);
}
