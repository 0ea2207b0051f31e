/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of the values of a field, and how many products have each value:
 *
 *     GET /fields/brand/values?sort=-count        {"value": "Acme", "count": 12}
 *     GET /categories?category[prefix]=ki         {"category": "kitchen", "count": 3}
 *
 * Both routes use the same code with different names of members and parameters. Values are counted for `category` and
 * for fields with the option `facet`. This file parses the parameters. The catalogue reads the page and calls back to
 * write it as JSON, or finds the response in its cache, which holds exactly the bytes that clients get.
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

static void parse_page(void *request, cat_parameters_t *, const cat_parameter_t *parameter)
{
    request_t *r = request;
    r->query.page = cat_parameters_parse_page(parameter);
}

static void parse_limit(void *request, cat_parameters_t *, const cat_parameter_t *parameter)
{
    request_t *r = request;
    r->query.limit = cat_parameters_parse_limit(parameter, r->conf->default_limit, r->conf->max_limit);
}

static void parse_sort(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    request_t *r = request;
    const char *member = r->query.resource->member, *order = parameter->value ? parameter->value : "";
    const char *const orders[] = {member, "count", NULL};
    const char *message = apr_psprintf(p->pool, "must be %s or count, optionally preceded by -", member);

    r->query.descending = *order == '-';
    r->query.order = cat_parameters_choose(p, parameter, order + r->query.descending, orders, message) == 1
                         ? CAT_VALUES_BY_COUNT
                         : CAT_VALUES_BY_VALUE;
}

static void parse_prefix(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    request_t *r = request;
    const cat_field_t *field = &r->query.fields->all[r->query.field];

    if (!parameter->value) {
        cat_parameters_add_error(p, parameter->name, "encoding", "must be percent-encoded UTF-8");
    } else if (field->kind == CAT_NUMBER || field->kind == CAT_BOOLEAN) {
        cat_parameters_add_error(p, parameter->name, "type", "must be left out: the values of this field are not text");
    } else {
        const char *prefix = cat_fields_spell(p->pool, field->rule, parameter->value);
        r->query.prefix = cat_fold_text(p->pool, prefix);
    }
}

static json_t *describe_sort(const cat_conf_t *)
{
    static const char *const orders[] = {"value", "-value", "count", "-count", NULL};

    return cat_description_words(orders, 0);
}

static json_t *describe_sort_of_categories(const cat_conf_t *)
{
    static const char *const orders[] = {"category", "-category", "count", "-count", NULL};

    return cat_description_words(orders, 0);
}

/* THE PARAMETERS of GET /fields/:name/values, then the parameters of GET /categories. An invalid page or limit counts
 * as the default, as in GET /products. */
static const cat_parameter_row_t parameters[] = {
    {"page", 1, parse_page, cat_parameters_describe_page, CAT_PARAMETERS_PAGE, "2"},
    {"limit", 1, parse_limit, cat_parameters_describe_limit, CAT_PARAMETERS_LIMIT, "20"},
    {"sort", 0, parse_sort, describe_sort,
     "The order: by value or by number of products, with `-` for descending order", "\"-count\""},
    {"prefix", 0, parse_prefix, cat_parameters_describe_text,
     "Only values that begin with this text, without regard to case and accents", "\"ki\""},
    CAT_PARAMETERS_END,
};
static const cat_parameter_row_t of_categories[] = {
    {"page", 1, parse_page, cat_parameters_describe_page, CAT_PARAMETERS_PAGE, "2"},
    {"limit", 1, parse_limit, cat_parameters_describe_limit, CAT_PARAMETERS_LIMIT, "20"},
    {"sort", 0, parse_sort, describe_sort_of_categories,
     "The order: by name or by number of products, with `-` for descending order", "\"-count\""},
    {"category[prefix]", 0, parse_prefix, cat_parameters_describe_text,
     "Only categories that begin with this text, without regard to case and accents", "\"ki\""},
    CAT_PARAMETERS_END,
};

_Static_assert(sizeof(of_categories) == sizeof(parameters), "both resources have the same parameters");

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

static void write_page(cat_buffer_t *b, const cat_value_page_query_t *query, const cat_value_page_t *page)
{
    cat_pagination_t pagination = describe_page(query, page);

    CAT_BUFFER_LITERAL(b, "{\"success\":true,\"data\":[");
    for (int i = 0; i < page->values->nelts; i++) {
        const cat_value_count_t *value = &APR_ARRAY_IDX(page->values, i, cat_value_count_t);
        cat_buffer_add_text(b, i ? ",{\"" : "{\"");
        cat_buffer_add_text(b, query->resource->member);
        CAT_BUFFER_LITERAL(b, "\":");
        cat_field_values_write(b, &query->fields->all[query->field], value->value);
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
        cat_buffer_add_text(&text, query->order == CAT_VALUES_BY_COUNT ? "count" : query->resource->member);
    }
    if (*query->prefix) {
        cat_buffer_add_text(&text, query->resource->prefix);
        cat_parameters_write(&text, query->prefix);
    }
    cat_pagination_write_headers(b, &pagination, cat_buffer_text(&text));
}

static const cat_value_page_resource_t values = {"value", "&prefix=", write_page, write_headers};
static const cat_value_page_resource_t categories = {"category", "&category%5Bprefix%5D=", write_page, write_headers};

/* Returns the index of the field, or all->count if no field of this name has a list of values. */
static int find_field(const cat_conf_t *conf, const char *name)
{
    const cat_fields_t *all = cat_product_fields_of(conf);
    int field = cat_field_list_find(all, name, strlen(name));
    int has_values = field == CAT_PRODUCT_CATEGORY || (field < all->count && all->all[field].flags & CAT_FACET);

    return has_values ? field : all->count;
}

/* Returns NULL if the values can be read, otherwise the response that refuses the request. */
static cat_answer_t *refuse_field(cat_request_t *q, const cat_value_page_query_t *query)
{
    int is_ready, percent, field = query->field;
    cat_list_query_t read = query->of ? *query->of : (cat_list_query_t){.all = query->fields};
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
    return is_ready ? NULL : cat_indexing_answer(q, percent);
}

static cat_answer_t *answer_page(cat_request_t *q, const cat_value_page_resource_t *resource,
                                 const cat_parameter_row_t *rows, int field)
{
    cat_cached_list_t list;
    cat_answer_t *refusal;
    cat_list_query_t visible; /* The products that readers see, if CatalogVisible hides some. */
    request_t r = {.query = {.resource = resource,
                             .fields = cat_product_fields_of(q->conf),
                             .field = field,
                             .prefix = "",
                             .page = 1,
                             .limit = q->conf->default_limit},
                   .conf = q->conf};
    apr_status_t rv;

    cat_parameters_init(&r.parameters, q->pool, q->strict, q->query);
    cat_parameters_parse(&r.parameters, rows, &r);
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
    rv = cat_value_page_answer(q->db, &r.query, q->now, &list);
    return rv == APR_SUCCESS ? cat_pagination_answer(q->pool, &list, r.parameters.ignored)
                             : cat_failure_answer(q->pool, rv);
}

cat_answer_t *cat_field_values_get(cat_request_t *q)
{
    int field = find_field(q->conf, q->params[0]);

    return field == cat_product_fields_of(q->conf)->count ? cat_answer_problem(q->pool, CAT_PROBLEM_FIELD_UNKNOWN, NULL)
                                                          : answer_page(q, &values, parameters, field);
}

cat_answer_t *cat_field_values_categories(cat_request_t *q)
{
    return answer_page(q, &categories, of_categories, CAT_PRODUCT_CATEGORY);
}

/* ---- descriptions ---- */

static const cat_shape_t text = {.kind = CAT_SHAPE_SCALAR, .example = "\"kitchen\""};
static const cat_member_t value_members[] = {
    {"value", &text, CAT_ALWAYS, "The value"},
    {"count", &cat_schema_whole, CAT_ALWAYS, "How many products have it"},
    CAT_MEMBER_END,
};
static const cat_shape_t value = {.kind = CAT_SHAPE_OBJECT, .name = "FieldValue", .members = value_members};
static const cat_shape_t value_list = {.kind = CAT_SHAPE_LIST, .of = &value};
static const cat_member_t members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &value_list, CAT_ALWAYS, "The values of the page"},
    CAT_PAGINATION_MEMBER,
    CAT_MEMBER_END,
};
static const cat_shape_t shape = {.kind = CAT_SHAPE_OBJECT, .name = "FieldValueList", .members = members};
static const cat_problem_t problems[] = {CAT_PROBLEM_FIELD_UNKNOWN, CAT_PROBLEM_NOT_INDEXED, CAT_PROBLEM_INDEXING,
                                         CAT_PROBLEM_COUNT};

const cat_description_t cat_field_values_about = {
    .id = "listFieldValues",
    .tag = "Products",
    .summary = "List the values of a field",
    .about = "Of `category` and of each field with the option `facet`. Products without a value are not counted.",
    .param = "The field's name",
    .param_example = "category",
    .group = "values",
    .parameters = parameters,
    .status = 200,
    .answered = "A page of the list",
    .shape = &shape,
    .headers = CAT_HEADER_ETAG | CAT_HEADER_LINK,
    .problems = problems,
};

static const cat_shape_t name = {.kind = CAT_SHAPE_TEXT, .example = "\"kitchen\""};
static const cat_member_t category_members[] = {
    {"category", &name, CAT_ALWAYS, "The category"},
    {"count", &cat_schema_whole, CAT_ALWAYS, "How many products it has"},
    CAT_MEMBER_END,
};
static const cat_shape_t category = {.kind = CAT_SHAPE_OBJECT, .name = "Category", .members = category_members};
static const cat_shape_t category_list = {.kind = CAT_SHAPE_LIST, .of = &category};
static const cat_member_t list_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &category_list, CAT_ALWAYS, "The categories of the page"},
    CAT_PAGINATION_MEMBER,
    CAT_MEMBER_END,
};
static const cat_shape_t list_shape = {.kind = CAT_SHAPE_OBJECT, .name = "CategoryList", .members = list_members};
static const cat_problem_t list_problems[] = {CAT_PROBLEM_NOT_INDEXED, CAT_PROBLEM_INDEXING, CAT_PROBLEM_COUNT};

const cat_description_t cat_field_values_about_categories = {
    .id = "listCategories",
    .tag = "Categories",
    .summary = "List the categories",
    .about = "Products without a category are not counted.",
    .group = "categories",
    .parameters = of_categories,
    .status = 200,
    .answered = "A page of the list",
    .shape = &list_shape,
    .headers = CAT_HEADER_ETAG | CAT_HEADER_LINK,
    .problems = list_problems,
};
