/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mail queue for administrators: lists mails, retries dead mails, and sends a test mail. One transaction does the
 * work and checks that the user still is an administrator (accounts/mail_queue.h).
 */
#include "api/mails.h"

#include "accounts/mail_queue.h"
#include "api/account_context.h"
#include "api/admin_list.h"
#include "api/failure.h"
#include "api/pagination.h"
#include "http/challenge.h"
#include "lib/id.h"

/* ---- list ---- */

typedef struct mails_request_t {
    cat_admin_list_t list;
    const char *state; /* NULL for all states. */
} mails_request_t;

static void parse_state(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    mails_request_t *r = request;
    int state = cat_parameters_choose(p, parameter, parameter->value, cat_mail_states, "must be " CAT_MAIL_STATES_TEXT);

    if (state >= 0) {
        r->state = cat_mail_states[state];
        cat_admin_list_keep(&r->list, parameter);
    }
}

static json_t *describe_state(const cat_conf_t *)
{
    return cat_description_words(cat_mail_states, -1);
}

/* THE MAILS' PARAMETERS */
static const cat_parameter_row_t parameters[] = {
    CAT_ADMIN_LIST_PARAMETERS,
    {"state", 0, parse_state, describe_state, "Only mails in this state", "\"dead\""},
    CAT_PARAMETERS_END,
};

cat_answer_t *cat_mails_list(cat_request_t *q)
{
    mails_request_t r = {.state = NULL};
    cat_parameters_t p;
    cat_answer_t *refusal = cat_admin_list_parse(q, &p, parameters, &r.list);
    apr_status_t rv;

    if (refusal) {
        return refusal;
    }
    rv = cat_mail_queue_read(q->db, r.state, &r.list.page);
    return cat_admin_list_answer(q, rv, &r.list, &p, cat_mail_view_fields, CAT_MAIL_VIEW_FIELDS);
}

/* ---- retry ---- */

typedef struct retry_request_t {
    cat_mail_retry_t retry;
    const char *id;          /* Id of the mail to retry. NULL to retry all dead mails. */
    int is_test;             /* True if a test mail to the actor is queued instead. */
    int count;               /* Number of retried mails, if `id` is NULL. */
    const char *const *mail; /* The mail after the retry, if `id` is set. */
} retry_request_t;

static apr_status_t retry_mails(void *baton)
{
    retry_request_t *r = baton;

    if (r->is_test) {
        return cat_mail_queue_test(&r->retry);
    }
    return r->id ? cat_mail_queue_retry(&r->retry, r->id, &r->mail) : cat_mail_queue_retry_all(&r->retry, &r->count);
}

/* Does the work. Returns NULL, or the response to a failure. */
static cat_answer_t *run_retry(cat_request_t *q, retry_request_t *r)
{
    apr_status_t rv;

    r->retry = (cat_mail_retry_t){.db = q->db, .pool = q->pool, .now = q->now, .actor = cat_account_context_actor(q)};
    rv = r->id && !cat_id_check(r->id) ? APR_NOTFOUND : cat_db_transact(q->db, retry_mails, r);
    if (rv != APR_SUCCESS) {
        return rv == APR_NOTFOUND ? cat_answer_problem(q->pool, CAT_PROBLEM_MAIL_UNKNOWN, NULL)
                                  : cat_failure_answer(q->pool, rv);
    }
    switch (r->retry.outcome) {
    case CAT_MAIL_RETRY_NOT_DEAD:
        return cat_answer_problem(q->pool, CAT_PROBLEM_MAIL_NOT_DEAD, NULL);
    case CAT_MAIL_RETRY_FORBIDDEN:
        return cat_challenge_refuse_role(q->pool, q->conf);
    default:
        return NULL;
    }
}

cat_answer_t *cat_mails_retry(cat_request_t *q)
{
    retry_request_t r = {.id = q->params[0]};
    cat_answer_t *answer = run_retry(q, &r);
    cat_buffer_t b;

    if (answer) {
        return answer;
    }
    cat_buffer_init(&b, q->pool, 256);
    cat_fields_write(&b, cat_mail_view_fields, CAT_MAIL_VIEW_FIELDS, r.mail);
    return cat_answer_success(q->pool, 200, &b, "Mail queued again");
}

cat_answer_t *cat_mails_retry_all(cat_request_t *q)
{
    retry_request_t r = {.id = NULL};
    cat_answer_t *answer = run_retry(q, &r);
    cat_buffer_t b;

    if (answer) {
        return answer;
    }
    cat_buffer_init(&b, q->pool, 32);
    CAT_BUFFER_LITERAL(&b, "{\"retried\":");
    cat_buffer_add_int(&b, r.count);
    CAT_BUFFER_LITERAL(&b, "}");
    return cat_answer_success(q->pool, 200, &b, "Dead mails queued again");
}

cat_answer_t *cat_mails_test(cat_request_t *q)
{
    retry_request_t r = {.is_test = 1};
    cat_answer_t *answer = run_retry(q, &r);

    return answer ? answer : cat_answer_success(q->pool, 202, NULL, "Test mail queued");
}

/* ---- descriptions ---- */

static const cat_shape_t mail_list = {.kind = CAT_SHAPE_LIST, .of = &cat_mail_view_shape};
static const cat_member_t list_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &mail_list, CAT_ALWAYS, "The mails of the page"},
    CAT_PAGINATION_MEMBER,
    CAT_MEMBER_END,
};
static const cat_shape_t list_shape = {.kind = CAT_SHAPE_OBJECT, .name = "MailQueue", .members = list_members};

static const cat_member_t retry_members[] = {
    CAT_MEMBER_SUCCESS,
    CAT_MEMBER_MESSAGE,
    {"data", &cat_mail_view_shape, CAT_ALWAYS, "The mail afterwards"},
    CAT_MEMBER_END,
};
static const cat_shape_t retry_shape = {.kind = CAT_SHAPE_OBJECT, .name = "MailRetried", .members = retry_members};

static const cat_member_t count_members[] = {
    {"retried", &cat_schema_whole, CAT_ALWAYS, "How many dead mails there were"},
    CAT_MEMBER_END,
};
static const cat_shape_t count_shape = {.kind = CAT_SHAPE_OBJECT, .members = count_members};
static const cat_member_t retry_all_members[] = {
    CAT_MEMBER_SUCCESS,
    CAT_MEMBER_MESSAGE,
    {"data", &count_shape, CAT_ALWAYS, "What was done"},
    CAT_MEMBER_END,
};
static const cat_shape_t retry_all_shape = {
    .kind = CAT_SHAPE_OBJECT, .name = "MailsRetried", .members = retry_all_members};

static const cat_problem_t retry_problems[] = {CAT_PROBLEM_MAIL_UNKNOWN, CAT_PROBLEM_MAIL_NOT_DEAD, CAT_PROBLEM_COUNT};

const cat_description_t cat_mails_about_list = {
    .id = "listMails",
    .tag = "Administration",
    .summary = "List the mails that are not sent yet",
    .about = "Newest first, each with the reason for which its last attempt failed.",
    .group = "mails",
    .parameters = parameters,
    .status = 200,
    .answered = "A page of the list",
    .shape = &list_shape,
    .headers = CAT_HEADER_LINK,
};

const cat_description_t cat_mails_about_retry = {
    .id = "retryMail",
    .tag = "Administration",
    .summary = "Queue a dead mail again",
    .about = "It is sent as if it were new, for up to three days.",
    .param = "The mail's id",
    .status = 200,
    .answered = "The mail is queued",
    .shape = &retry_shape,
    .problems = retry_problems,
};

const cat_description_t cat_mails_about_retry_all = {
    .id = "retryMails",
    .tag = "Administration",
    .summary = "Queue all dead mails again",
    .about = "They are sent as if they were new, for up to three days.",
    .status = 200,
    .answered = "The mails are queued",
    .shape = &retry_all_shape,
};

const cat_description_t cat_mails_about_test = {
    .id = "sendTestMail",
    .tag = "Administration",
    .summary = "Send yourself a test mail",
    .status = 202,
    .answered = "The request is accepted",
    .shape = &cat_description_done,
};
