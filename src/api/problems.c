/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GET /problems and /problems/NAME: returns the meaning and the remedy of each problem of http/problem.def. The member
 * "type" of problem details (RFC 9457) is the URI of such a problem: "/api/problems/product-not-found".
 */
#include "api/problems.h"

#include "http/problem_details.h"
#include "lib/json.h"

static void add_problem(cat_request_t *q, cat_buffer_t *b, const cat_problem_row_t *row)
{
    cat_json_add_member(b, "{\"type\":", cat_problem_details_uri(q->pool, q->conf->mount_uri, row));
    cat_json_add_member(b, ",\"name\":", row->name);
    CAT_BUFFER_LITERAL(b, ",\"status\":");
    cat_buffer_add_int(b, row->status);
    cat_json_add_member(b, ",\"title\":", row->message);
    cat_json_add_member(b, ",\"meaning\":", row->meaning);
    cat_json_add_member(b, ",\"remedy\":", row->remedy);
    CAT_BUFFER_LITERAL(b, "}");
}

/* Returns the response with an ETag. The rows are compiled in, so the response changes only with the module. */
static cat_answer_t *answer_data(cat_request_t *q, const cat_buffer_t *data)
{
    cat_answer_t *answer = cat_answer_success(q->pool, 200, data, NULL);

    answer->tag = CAT_TAG_STRONG;
    return answer;
}

cat_answer_t *cat_problems_list(cat_request_t *q)
{
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, (apr_size_t)CAT_PROBLEM_COUNT * 400);
    for (int i = 0; i < CAT_PROBLEM_COUNT; i++) {
        cat_buffer_add_text(&b, i ? "," : "[");
        add_problem(q, &b, &cat_problem_rows[i]);
    }
    CAT_BUFFER_LITERAL(&b, "]");
    return answer_data(q, &b);
}

cat_answer_t *cat_problems_get(cat_request_t *q)
{
    const cat_problem_row_t *row = cat_problem_find(q->params[0]);
    cat_buffer_t b;

    if (!row) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_PROBLEM_UNKNOWN, NULL);
    }
    cat_buffer_init(&b, q->pool, 512);
    add_problem(q, &b, row);
    return answer_data(q, &b);
}

/* ---- descriptions ---- */

static const cat_shape_t uri = {.kind = CAT_SHAPE_TEXT, .example = "\"/api/problems/invalid-json\""};
static const cat_shape_t name = {.kind = CAT_SHAPE_TEXT, .example = "\"invalid-json\""};
static const cat_shape_t status = {.kind = CAT_SHAPE_WHOLE, .example = "400"};
static const cat_member_t members[] = {
    {"type", &uri, CAT_ALWAYS, "Its URI, as problem details have it"},
    {"name", &name, CAT_ALWAYS, "Its name, which never changes"},
    {"status", &status, CAT_ALWAYS, "The status of the answer"},
    {"title", &cat_schema_text, CAT_ALWAYS, "What went wrong, in a few words"},
    {"meaning", &cat_schema_text, CAT_ALWAYS, "What it means"},
    {"remedy", &cat_schema_text, CAT_ALWAYS, "What to do"},
    CAT_MEMBER_END,
};
static const cat_shape_t meaning = {.kind = CAT_SHAPE_OBJECT, .name = "ProblemMeaning", .members = members};
static const cat_shape_t meanings = {.kind = CAT_SHAPE_LIST, .of = &meaning};
static const cat_member_t list_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &meanings, CAT_ALWAYS, "All problems"},
    CAT_MEMBER_END,
};
static const cat_shape_t list = {.kind = CAT_SHAPE_OBJECT, .name = "ProblemList", .members = list_members};
static const cat_member_t get_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &meaning, CAT_ALWAYS, "The problem"},
    CAT_MEMBER_END,
};
static const cat_shape_t one = {.kind = CAT_SHAPE_OBJECT, .name = "ProblemAnswer", .members = get_members};
static const cat_problem_t problems[] = {CAT_PROBLEM_PROBLEM_UNKNOWN, CAT_PROBLEM_COUNT};

const cat_description_t cat_problems_about_list = {
    .id = "listProblems",
    .tag = "Server",
    .summary = "List the ways in which a request can fail",
    .status = 200,
    .answered = "All problems",
    .shape = &list,
    .headers = CAT_HEADER_ETAG,
    .needs_no_database = 1,
};

const cat_description_t cat_problems_about_get = {
    .id = "getProblem",
    .tag = "Server",
    .summary = "Read what a problem means",
    .param = "The problem's name",
    .param_example = "product-not-found",
    .status = 200,
    .answered = "The problem",
    .shape = &one,
    .headers = CAT_HEADER_ETAG,
    .problems = problems,
    .needs_no_database = 1,
};
