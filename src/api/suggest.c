/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GET /products/suggest?q=ket: suggests words and products while a user types. The text is parsed like `q` of the list,
 * so errors have the same messages; its last word may be incomplete.
 */
#include "api/suggest.h"

#include "api/failure.h"
#include "api/indexing.h"
#include "api/pagination.h"
#include "catalogue/lists.h"
#include "http/answer.h"
#include "http/parameters.h"
#include "http/request.h"
#include "lib/json.h"

#define LIMIT 8
#define LIMIT_MAX 10

typedef struct request_t {
    const char *text; /* NULL if the client sent none. */
    apr_int64_t limit;
} request_t;

static void parse_text(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    request_t *r = request;

    r->text = parameter->value ? parameter->value : "";
    if (!parameter->value) {
        cat_parameters_add_error(p, parameter->name, "encoding", "must be percent-encoded UTF-8");
    }
}

static void parse_limit(void *request, cat_parameters_t *, const cat_parameter_t *parameter)
{
    request_t *r = request;
    r->limit = cat_parameters_parse_limit(parameter, LIMIT, LIMIT_MAX);
}

static json_t *describe_limit(const cat_conf_t *)
{
    return json_pack("{s:s, s:i, s:i, s:i}", "type", "integer", "minimum", 1, "maximum", LIMIT_MAX, "default", LIMIT);
}

/* THE PARAMETERS OF SUGGESTIONS */
static const cat_parameter_row_t parameters[] = {
    {"q", CAT_PARAMETER_REQUIRED, parse_text, cat_parameters_describe_text,
     "What was typed so far: words as in `q` of the list, the last of which may be incomplete", "\"red ket\""},
    {"limit", CAT_PARAMETER_REPEATS, parse_limit, describe_limit, "The most words, and the most products", "8"},
    CAT_PARAMETERS_END,
};

/* Makes the query of the list of products that the text finds. Returns false and sets query->errors if the text is
 * invalid. */
static int find_list(cat_request_t *q, const request_t *r, cat_list_query_t *query)
{
    cat_buffer_t b;
    int is_valid;

    cat_buffer_init(&b, q->pool, 64);
    CAT_BUFFER_LITERAL(&b, "q=");
    cat_parameters_write(&b, r->text);
    is_valid = cat_query_parse_all(q->pool, q->conf, 0, cat_buffer_text(&b), NULL, query);
    query->page = 1;
    query->limit = r->limit;
    return is_valid;
}

static void write_suggestions(cat_buffer_t *b, const cat_suggestions_t *suggestions)
{
    CAT_BUFFER_LITERAL(b, "{\"success\":true,\"data\":{\"words\":[");
    for (int i = 0; i < suggestions->words->nelts; i++) {
        cat_buffer_add_text(b, i ? "," : "");
        cat_json_add_string(b, APR_ARRAY_IDX(suggestions->words, i, const char *));
    }
    CAT_BUFFER_LITERAL(b, "],\"products\":[");
    for (int i = 0; i < suggestions->products->nelts; i++) {
        const cat_suggested_product_t *product = &APR_ARRAY_IDX(suggestions->products, i, cat_suggested_product_t);
        cat_buffer_add_text(b, i ? ",{\"id\":" : "{\"id\":");
        cat_json_add_string(b, product->id);
        CAT_BUFFER_LITERAL(b, ",\"name\":");
        cat_json_add_string(b, product->name);
        CAT_BUFFER_LITERAL(b, "}");
    }
    CAT_BUFFER_LITERAL(b, "]}}");
}

cat_answer_t *cat_suggest_get(cat_request_t *q)
{
    request_t r = {.limit = LIMIT};
    cat_parameters_t p;
    cat_list_query_t query;
    cat_cached_list_t list;
    cat_suggestions_query_t suggested = {.all = &query, .write = write_suggestions};
    cat_answer_t *refusal;
    apr_status_t rv;

    cat_parameters_init(&p, q->pool, q->strict, q->query);
    cat_parameters_parse(&p, parameters, &r);
    if (p.errors) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, p.errors);
    }
    if (!find_list(q, &r, &query)) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, query.errors);
    }
    refusal = cat_indexing_refuse(q, &query);
    if (refusal) {
        return refusal;
    }
    suggested.text = r.text;
    rv = cat_suggestions_answer(q->db, &suggested, q->now, &list);
    return rv == APR_SUCCESS ? cat_pagination_answer(q->pool, &list, p.ignored) : cat_failure_answer(q->pool, rv);
}

/* ---- description ---- */

static const cat_shape_t words = {.kind = CAT_SHAPE_LIST, .of = &cat_schema_text};
static const cat_member_t product_members[] = {
    {"id", &cat_schema_text, CAT_ALWAYS, "The product's id"},
    {"name", &cat_schema_text, CAT_ALWAYS, "Its name"},
    CAT_MEMBER_END,
};
static const cat_shape_t product = {.kind = CAT_SHAPE_OBJECT, .members = product_members};
static const cat_shape_t products = {.kind = CAT_SHAPE_LIST, .of = &product};
static const cat_member_t data_members[] = {
    {"words", &words, CAT_ALWAYS, "Words that begin with the last one of `q`, in lower case, the most used first"},
    {"products", &products, CAT_ALWAYS, "Products that the list finds, those with such a word in the name first"},
    CAT_MEMBER_END,
};
static const cat_shape_t data = {.kind = CAT_SHAPE_OBJECT, .members = data_members};
static const cat_member_t members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &data, CAT_ALWAYS, "What is suggested"},
    CAT_MEMBER_END,
};
static const cat_shape_t shape = {.kind = CAT_SHAPE_OBJECT, .name = "Suggestions", .members = members};
static const cat_problem_t problems[] = {CAT_PROBLEM_NOT_INDEXED, CAT_PROBLEM_INDEXING, CAT_PROBLEM_QUERY_SLOW,
                                         CAT_PROBLEM_COUNT};

const cat_description_t cat_suggest_about = {
    .id = "suggestProducts",
    .tag = "Products",
    .summary = "Suggest words and products while somebody types",
    .about = "Of the newest products that are found.",
    .group = "suggestions",
    .parameters = parameters,
    .status = 200,
    .answered = "What is suggested",
    .shape = &shape,
    .headers = CAT_HEADER_ETAG,
    .problems = problems,
};
