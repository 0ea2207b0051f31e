/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GET /categories: a page of the categories and how many products each has. The parameters are parsed here; the catalogue
 * reads the page, or finds the answer in its cache, and calls back to write it as JSON (format), so that what is cached is
 * what clients get.
 */
#include "api/categories.h"

#include <string.h>

#include "api/failure.h"
#include "api/indexing.h"
#include "api/pagination.h"
#include "catalogue/lists.h"
#include "catalogue/store.h"
#include "http/answer.h"
#include "http/parameters.h"
#include "http/request.h"
#include "lib/fold.h"
#include "lib/json.h"

typedef struct request_t {
    cat_categories_query_t query;
    cat_parameters_t parameters;
    const cat_conf_t *conf;
} request_t;

/* ---- parameters ---- */

static void parse_page(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    request_t *r = request;
    (void)p;
    r->query.page = cat_parameters_parse_page(parameter);
}

static void parse_limit(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    request_t *r = request;
    (void)p;
    r->query.limit = cat_parameters_parse_limit(parameter, r->conf->default_limit, r->conf->max_limit);
}

static void parse_sort(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    static const char *const orders[] = {"category", "count", NULL};
    request_t *r = request;
    const char *order = parameter->value ? parameter->value : "";

    r->query.descending = *order == '-';
    r->query.order = cat_parameters_choose(p, parameter, order + r->query.descending, orders,
                                           "must be category or count, optionally preceded by -") == 1
                         ? CAT_CATEGORIES_BY_COUNT
                         : CAT_CATEGORIES_BY_NAME;
}

static void parse_prefix(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    request_t *r = request;

    if (!parameter->value) {
        cat_parameters_add_error(p, parameter->name, "encoding", "must be percent-encoded UTF-8");
        return;
    }
    r->query.prefix = cat_fold_text(p->pool, parameter->value);
}

static json_t *describe_sort(const cat_conf_t *conf)
{
    static const char *const orders[] = {"category", "-category", "count", "-count", NULL};

    (void)conf;
    return cat_description_words(orders, 0);
}

/* THE CATEGORIES' PARAMETERS: page and limit are as forgiving as those of GET /products. */
static const cat_parameter_row_t parameters[] = {
    {"page", 1, parse_page, cat_parameters_describe_page, CAT_PARAMETERS_PAGE, "2"},
    {"limit", 1, parse_limit, cat_parameters_describe_limit, CAT_PARAMETERS_LIMIT, "20"},
    {"sort", 0, parse_sort, describe_sort, "The order: by name or by number of products, with `-` for descending order",
     "\"-count\""},
    {"category[prefix]", 0, parse_prefix, cat_parameters_describe_text,
     "Only categories that begin with this text, without regard to case and accents", "\"ki\""},
};

#define PARAMETERS ((int)(sizeof(parameters) / sizeof(parameters[0])))

/* ---- the answer ---- */

static void write_category(cat_buffer_t *b, const cat_category_t *category)
{
    CAT_BUFFER_LITERAL(b, "{\"category\":");
    cat_json_add_string(b, category->name);
    CAT_BUFFER_LITERAL(b, ",\"count\":");
    cat_buffer_add_int(b, category->count);
    CAT_BUFFER_LITERAL(b, "}");
}

static cat_pagination_t describe_page(const cat_categories_query_t *query, const cat_categories_page_t *page)
{
    return (cat_pagination_t){.page = query->page, .limit = query->limit, .total = page->total};
}

static void write_page(cat_buffer_t *b, const cat_categories_query_t *query, const cat_categories_page_t *page)
{
    cat_pagination_t pagination = describe_page(query, page);

    CAT_BUFFER_LITERAL(b, "{\"success\":true,\"data\":[");
    for (int i = 0; i < page->list->nelts; i++) {
        if (i > 0) {
            CAT_BUFFER_LITERAL(b, ",");
        }
        write_category(b, &APR_ARRAY_IDX(page->list, i, cat_category_t));
    }
    cat_pagination_end_data(b, &pagination);
    CAT_BUFFER_LITERAL(b, "}");
}

static void write_headers(cat_buffer_t *b, const cat_categories_query_t *query, const cat_categories_page_t *page)
{
    cat_pagination_t pagination = describe_page(query, page);
    cat_buffer_t text;

    cat_buffer_init(&text, b->pool, 64);
    CAT_BUFFER_LITERAL(&text, "&limit=");
    cat_buffer_add_int(&text, query->limit);
    if (query->order == CAT_CATEGORIES_BY_COUNT || query->descending) {
        cat_buffer_add_text(&text, query->descending ? "&sort=-" : "&sort=");
        cat_buffer_add_text(&text, query->order == CAT_CATEGORIES_BY_COUNT ? "count" : "category");
    }
    if (*query->prefix) {
        CAT_BUFFER_LITERAL(&text, "&category%5Bprefix%5D=");
        cat_parameters_write(&text, query->prefix);
    }
    cat_pagination_write_headers(b, &pagination, cat_buffer_text(&text));
}

static const cat_categories_format_t format = {write_page, write_headers};

cat_answer_t *cat_categories_get(cat_request_t *q)
{
    cat_cached_list_t categories;
    cat_answer_t *refusal;
    cat_list_query_t visible = {.parts = 0}; /* what readers see, where that is not all */
    request_t r = {.query = {.prefix = "", .page = 1, .limit = q->conf->default_limit}, .conf = q->conf};
    apr_status_t rv;

    cat_parameters_init(&r.parameters, q->pool, q->strict, q->query);
    cat_parameters_parse(&r.parameters, parameters, PARAMETERS, &r);
    if (r.parameters.errors) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, r.parameters.errors);
    }
    if (q->conf->visible) {
        cat_query_parse_all(q->pool, q->conf, 0, NULL, NULL, &visible);
        r.query.of = &visible;
    }
    visible.parts |= CAT_INDEX_CATEGORY;
    refusal = cat_indexing_refuse(q, &visible);
    if (refusal) {
        return refusal;
    }
    rv = cat_categories_answer(q->db, &r.query, q->now, &format, &categories);
    return rv == APR_SUCCESS ? cat_pagination_answer(q->pool, &categories, r.parameters.ignored)
                             : cat_failure_answer(q->pool, rv);
}

/* ---- description ---- */

static const cat_shape_t name = {.kind = CAT_SHAPE_TEXT, .example = "\"kitchen\""};
static const cat_member_t category_members[] = {
    {"category", &name, CAT_ALWAYS, "The category"},
    {"count", &cat_schema_whole, CAT_ALWAYS, "How many products it has"},
    CAT_MEMBER_END,
};
static const cat_shape_t category = {.kind = CAT_SHAPE_OBJECT, .name = "Category", .members = category_members};
static const cat_shape_t list = {.kind = CAT_SHAPE_LIST, .of = &category};
static const cat_member_t members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &list, CAT_ALWAYS, "The categories of the page"},
    {"pagination", &cat_pagination_shape, CAT_ALWAYS, "Which page it is, of how many"},
    CAT_MEMBER_END,
};
static const cat_shape_t shape = {.kind = CAT_SHAPE_OBJECT, .name = "CategoryList", .members = members};
static const cat_problem_t problems[] = {CAT_PROBLEM_NOT_INDEXED, CAT_PROBLEM_INDEXING, CAT_PROBLEM_COUNT};

static void describe_parameters(cat_describer_t *d)
{
    cat_parameters_describe(d, "categories", parameters, PARAMETERS);
}

const cat_description_t cat_categories_about = {
    .id = "listCategories",
    .tag = "Categories",
    .summary = "List the categories",
    .about = "Products without a category are not counted.",
    .describe_parameters = describe_parameters,
    .status = 200,
    .answered = "A page of the list",
    .shape = &shape,
    .headers = CAT_HEADER_ETAG | CAT_HEADER_LINK,
    .problems = problems,
};
