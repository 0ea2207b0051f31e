/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GET /audit: lists the entries of the audit table, newest first. The table of parameters also yields their description
 * in /openapi.json. api/admin_list.h has the functions that all lists for administrators share.
 */
#include "api/audit_log.h"

#include <apr_strings.h>

#include "accounts/audit.h"
#include "api/admin_list.h"
#include "api/pagination.h"
#include "lib/id.h"
#include "lib/number.h"
#include "lib/time.h"
#include "mail/email.h"

typedef struct audit_request_t {
    cat_admin_list_t list;
    cat_audit_filter_t filter;
} audit_request_t;

static cat_audit_party_t take_party(audit_request_t *r, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    return cat_audit_read_party(p->pool, cat_admin_list_take_text(&r->list, p, parameter));
}

static void parse_actor(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    audit_request_t *r = request;
    r->filter.actor = take_party(r, p, parameter);
}

static void parse_target(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    audit_request_t *r = request;
    r->filter.target = take_party(r, p, parameter);
}

static void parse_action(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    audit_request_t *r = request;
    const char *text = cat_admin_list_take_text(&r->list, p, parameter);

    r->filter.action = text ? cat_email_fold(p->pool, text) : ""; /* actions have no capital letters */
}

static void parse_since(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    audit_request_t *r = request;
    apr_int64_t since;

    if (!parameter->value || !cat_time_parse(parameter->value, &since)) {
        cat_parameters_add_error(p, parameter->name, "invalid", "must be a time such as 2026-11-21T09:30:00Z");
        return;
    }
    cat_admin_list_keep(&r->list, parameter);
    r->filter.since = cat_number_write(p->pool, since);
}

static void parse_cursor(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    cat_admin_list_parse_cursor(request, p, parameter, cat_id_check);
}

/* THE AUDIT LOG'S PARAMETERS */
static const cat_parameter_row_t parameters[] = {
    CAT_ADMIN_LIST_PARAMETERS,
    {"cursor", 0, parse_cursor, cat_admin_list_describe_cursor, CAT_ADMIN_LIST_CURSOR,
     "\"01a206e3-5c16-7420-9973-b22df6eefd60\""},
    {"actor", 0, parse_actor, cat_parameters_describe_text, "Who did it: the id or the whole name", "\"ada\""},
    {"target", 0, parse_target, cat_parameters_describe_text, "To whom: the id or the whole name", "\"grace\""},
    {"action", 0, parse_action, cat_parameters_describe_text, "What was done", "\"user.update\""},
    {"since", 0, parse_since, cat_parameters_describe_time, "Only what was done at this time or later",
     "\"2026-11-21T09:30:00Z\""},
    CAT_PARAMETERS_END,
};

cat_answer_t *cat_audit_log_list(cat_request_t *q)
{
    audit_request_t r = {.filter = {.actor = {"", ""}, .target = {"", ""}, .action = "", .since = "0"}};
    cat_parameters_t p;
    cat_answer_t *refusal = cat_admin_list_parse(q, &p, parameters, &r.list);
    apr_status_t rv;

    if (refusal) {
        return refusal;
    }
    r.list.page.most = q->conf->count_limit;
    rv = cat_audit_read(q->db, &r.filter, &r.list.page);
    return cat_admin_list_answer(q, rv, &r.list, &p, cat_audit_fields, CAT_AUDIT_FIELDS);
}

/* ---- description ---- */

static const cat_shape_t list = {.kind = CAT_SHAPE_LIST, .of = &cat_audit_shape};
static const cat_member_t members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &list, CAT_ALWAYS, "The entries of the page"},
    CAT_PAGINATION_MEMBER,
    CAT_MEMBER_END,
};
static const cat_shape_t shape = {.kind = CAT_SHAPE_OBJECT, .name = "AuditLog", .members = members};

static const cat_problem_t problems[] = {CAT_PROBLEM_CURSOR, CAT_PROBLEM_COUNT};

const cat_description_t cat_audit_log_about = {
    .id = "listAudit",
    .tag = "Administration",
    .summary = "List what administrators, and users of their own accounts, changed",
    .about = "Newest first. All conditions must hold.",
    .group = "audit",
    .parameters = parameters,
    .status = 200,
    .answered = "A page of the entries",
    .shape = &shape,
    .headers = CAT_HEADER_LINK,
    .problems = problems,
};
