/* SPDX-License-Identifier: Apache-2.0 */
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

/* The rows are compiled in, so the answer changes with the module only. */
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
