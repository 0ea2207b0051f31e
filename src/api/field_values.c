/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GET /fields/:name/values: a page of the values of a field, and how many products have each. Fields are those whose values are always
 * counted: `category`, and those with the option `facet`. The parameters are parsed here; the catalogue reads the page, or finds the answer
 * in its cache, and calls back to write it as JSON (format), so that what is cached is what clients get.
 */
#include "api/field_values.h"

#include <string.h>

#include <apr_strings.h>

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
    cat_value_page_query_t query;
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
    static const char *const orders[] = {"value", "count", NULL};
    request_t *r = request;
    const char *order = parameter->value ? parameter->value : "";

    r->query.descending = *order == '-';
    r->query.order = cat_parameters_choose(p, parameter, order + r->query.descending, orders,
                                           "must be value or count, optionally preceded by -") == 1
                         ? CAT_VALUES_BY_COUNT
                         : CAT_VALUES_BY_VALUE;
}

static void parse_prefix(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    request_t *r = request;
    const cat_field_t *field = &cat_product_fields_of(r->conf)->all[r->query.field];

    if (!parameter->value) {
        cat_parameters_add_error(p, parameter->name, "encoding", "must be percent-encoded UTF-8");
    } else if (field->kind == CAT_NUMBER || field->kind == CAT_BOOLEAN) {
        cat_parameters_add_error(p, parameter->name, "type", "is not available: the values of this field are no texts");
    } else {
        r->query.prefix = cat_fold_text(p->pool, parameter->value);
    }
}

static json_t *describe_sort(const cat_conf_t *conf)
{
    static const char *const orders[] = {"value", "-value", "count", "-count", NULL};

    (void)conf;
    return cat_description_words(orders, 0);
}

/* THE VALUES' PARAMETERS: page and limit are as forgiving as those of GET /products. */
static const cat_parameter_row_t parameters[] = {
    {"page", 1, parse_page, cat_parameters_describe_page, CAT_PARAMETERS_PAGE, "2"},
    {"limit", 1, parse_limit, cat_parameters_describe_limit, CAT_PARAMETERS_LIMIT, "20"},
    {"sort", 0, parse_sort, describe_sort,
     "The order: by value or by number of products, with `-` for descending order", "\"-count\""},
    {"prefix", 0, parse_prefix, cat_parameters_describe_text,
     "Only values that begin with this text, without regard to case and accents", "\"ki\""},
};

#define PARAMETERS ((int)(sizeof(parameters) / sizeof(parameters[0])))

/* ---- the answer ---- */

void cat_field_values_write(cat_buffer_t *b, const cat_field_t *field, const char *value)
{
    if (field->kind == CAT_LIST) {
        cat_json_add_string(b, value);
    } else {
        cat_fields_write_value(b, field, value);
    }
}

static cat_pagination_t describe_page(const cat_value_page_query_t *query, const cat_value_page_t *page)
{
    return (cat_pagination_t){query->page, query->limit, page->total, page->is_more, page->has_next, NULL};
}

static void write_page(cat_buffer_t *b, const cat_fields_t *fields, const cat_value_page_query_t *query,
                       const cat_value_page_t *page)
{
    cat_pagination_t pagination = describe_page(query, page);

    CAT_BUFFER_LITERAL(b, "{\"success\":true,\"data\":[");
    for (int i = 0; i < page->values->nelts; i++) {
        const cat_value_count_t *value = &APR_ARRAY_IDX(page->values, i, cat_value_count_t);
        cat_buffer_add_text(b, i ? ",{\"value\":" : "{\"value\":");
        cat_field_values_write(b, &fields->all[query->field], value->value);
        CAT_BUFFER_LITERAL(b, ",\"count\":");
        cat_buffer_add_int(b, value->count);
        CAT_BUFFER_LITERAL(b, "}");
    }
    cat_pagination_end_data(b, &pagination);
    CAT_BUFFER_LITERAL(b, "}");
}

static void write_headers(cat_buffer_t *b, const cat_value_page_query_t *query, const cat_value_page_t *page)
{
    cat_pagination_t pagination = describe_page(query, page);
    cat_buffer_t text;

    cat_buffer_init(&text, b->pool, 64);
    CAT_BUFFER_LITERAL(&text, "&limit=");
    cat_buffer_add_int(&text, query->limit);
    if (query->order == CAT_VALUES_BY_COUNT || query->descending) {
        cat_buffer_add_text(&text, query->descending ? "&sort=-" : "&sort=");
        cat_buffer_add_text(&text, query->order == CAT_VALUES_BY_COUNT ? "count" : "value");
    }
    if (*query->prefix) {
        CAT_BUFFER_LITERAL(&text, "&prefix=");
        cat_parameters_write(&text, query->prefix);
    }
    cat_pagination_write_headers(b, &pagination, cat_buffer_text(&text));
}

static const cat_value_page_format_t format = {write_page, write_headers};

/* The fields that have a list of values; all->count: it is none of them. */
static int find_field(const cat_conf_t *conf, const char *name)
{
    const cat_fields_t *all = cat_product_fields_of(conf);
    int field = cat_field_list_find(all, name, strlen(name));
    int has_values = field == CAT_PRODUCT_CATEGORY || (field < all->count && all->all[field].flags & CAT_FACET);

    return has_values ? field : all->count;
}

/* Why the values cannot be read; NULL: they can. */
static cat_answer_t *refuse_field(cat_request_t *q, const cat_value_page_query_t *query)
{
    int is_ready, percent, field = query->field;
    cat_list_query_t read = query->of ? *query->of : (cat_list_query_t){.all = cat_product_fields_of(q->conf)};
    cat_answer_t *refusal;
    apr_status_t rv;

    read.parts |= field == CAT_PRODUCT_CATEGORY ? CAT_INDEX_CATEGORY : 0;
    refusal = cat_indexing_refuse(q, &read);
    if (refusal || field == CAT_PRODUCT_CATEGORY || query->of) {
        return refusal;
    }
    rv = cat_value_page_check(q->db, field, &is_ready, &percent);
    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    return is_ready ? NULL
                    : cat_answer_problem(q->pool, CAT_PROBLEM_INDEXING,
                                         apr_psprintf(q->pool, "the products are being indexed: %d %%", percent));
}

cat_answer_t *cat_field_values_get(cat_request_t *q)
{
    cat_cached_list_t list;
    cat_answer_t *refusal;
    cat_list_query_t visible = {.parts = 0}; /* what readers see, where that is not all */
    request_t r = {
        .query = {.field = find_field(q->conf, q->params[0]), .prefix = "", .page = 1, .limit = q->conf->default_limit},
        .conf = q->conf};
    apr_status_t rv;

    if (r.query.field == cat_product_fields_of(q->conf)->count) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_FIELD_UNKNOWN, NULL);
    }
    cat_parameters_init(&r.parameters, q->pool, q->strict, q->query);
    cat_parameters_parse(&r.parameters, parameters, PARAMETERS, &r);
    if (r.parameters.errors) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, r.parameters.errors);
    }
    if (q->conf->visible) {
        cat_query_parse_all(q->pool, q->conf, 0, NULL, NULL, &visible);
        r.query.of = &visible;
    }
    refusal = refuse_field(q, &r.query);
    if (refusal) {
        return refusal;
    }
    rv = cat_value_page_answer(q->db, &r.query, q->now, &format, &list);
    return rv == APR_SUCCESS ? cat_pagination_answer(q->pool, &list, r.parameters.ignored)
                             : cat_failure_answer(q->pool, rv);
}

/* ---- description ---- */

static const cat_shape_t text = {.kind = CAT_SHAPE_SCALAR, .example = "\"kitchen\""};
static const cat_member_t value_members[] = {
    {"value", &text, CAT_ALWAYS, "The value"},
    {"count", &cat_schema_whole, CAT_ALWAYS, "How many products have it"},
    CAT_MEMBER_END,
};
static const cat_shape_t value = {.kind = CAT_SHAPE_OBJECT, .name = "FieldValue", .members = value_members};
static const cat_shape_t values = {.kind = CAT_SHAPE_LIST, .of = &value};
static const cat_member_t members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &values, CAT_ALWAYS, "The values of the page"},
    {"pagination", &cat_pagination_shape, CAT_ALWAYS, "Which page it is, of how many"},
    CAT_MEMBER_END,
};
static const cat_shape_t shape = {.kind = CAT_SHAPE_OBJECT, .name = "FieldValueList", .members = members};
static const cat_problem_t problems[] = {CAT_PROBLEM_FIELD_UNKNOWN, CAT_PROBLEM_NOT_INDEXED, CAT_PROBLEM_INDEXING,
                                         CAT_PROBLEM_COUNT};

static void describe_parameters(cat_describer_t *d)
{
    cat_parameters_describe(d, "values", parameters, PARAMETERS);
}

const cat_description_t cat_field_values_about = {
    .id = "listFieldValues",
    .tag = "Products",
    .summary = "List the values of a field",
    .about = "Of `category` and of each field with the option `facet`. Products without a value are not counted.",
    .param = "The field's name",
    .param_example = "category",
    .describe_parameters = describe_parameters,
    .status = 200,
    .answered = "A page of the list",
    .shape = &shape,
    .headers = CAT_HEADER_ETAG | CAT_HEADER_LINK,
    .problems = problems,
};
