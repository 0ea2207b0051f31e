/* SPDX-License-Identifier: Apache-2.0 */
#include "api/confirm.h"

#include "accounts/mail_tokens.h"
#include "api/mail_requests.h"
#include "http/answer.h"
#include "http/request.h"
#include "http/route.h"
#include "lib/fields.h"
#include "lib/time.h"

#define PURPOSE "confirm"

static const cat_field_t token_fields[] = {{"token", CAT_STRING, CAT_REQUIRED, 1, 1000, NULL, NULL}};

static cat_answer_t *not_good(cat_request_t *q, apr_status_t rv)
{
    return rv == APR_NOTFOUND ? cat_answer_problem(q->pool, CAT_PROBLEM_LINK, NULL) : cat_answer_failure(q->pool, rv);
}

/* Mail scanners follow links: only the POST uses the token up. */
cat_answer_t *cat_confirm_look(cat_request_t *q)
{
    const char *user_id, *token = cat_route_query(q->pool, q->query, "token");
    apr_status_t rv = token ? cat_mail_tokens_find(q->db, q->pool, PURPOSE, token, q->now, &user_id) : APR_NOTFOUND;

    return rv == APR_SUCCESS ? cat_answer_success(q->pool, 200, NULL, "The link is good") : not_good(q, rv);
}

typedef struct confirmation_t {
    cat_request_t *q;
    const char *token;
} confirmation_t;

static apr_status_t confirm(void *baton)
{
    confirmation_t *c = baton;
    cat_request_t *q = c->q;
    const char *user_id;
    apr_status_t rv = cat_mail_tokens_use(q->db, q->pool, PURPOSE, c->token, q->now, &user_id);

    return rv == APR_SUCCESS
               ? cat_db_exec(q->db, SQL_USER_CONFIRM, CAT_VALUES(cat_time_store(q->pool, q->now), user_id), NULL)
               : rv;
}

cat_answer_t *cat_confirm_confirm(cat_request_t *q)
{
    confirmation_t confirmation = {.q = q};
    cat_input_t input;
    apr_status_t rv;

    if (cat_fields_check(q->pool, token_fields, 1, CAT_CREATE, q->strict, q->body, &input) != APR_SUCCESS) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    confirmation.token = input.values[0];
    rv = cat_db_transact(q->db, confirm, &confirmation);
    return rv == APR_SUCCESS ? cat_answer_success(q->pool, 200, NULL, "E-mail address confirmed") : not_good(q, rv);
}

/* Says the same, after the same work, whoever asks: whether somebody has the address is found out when the mail is sent. */
cat_answer_t *cat_confirm_resend(cat_request_t *q)
{
    return cat_mail_requests_take(q, PURPOSE);
}
