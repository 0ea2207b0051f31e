/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GET /products: parses the query. The catalogue answers it from its cache, or reads the rows and calls the functions
 * below, which write the list as JSON. So the first response and a cached response have the same bytes.
 *
 *     begin_body    {"success":true,"data":[
 *     add_product   {"id":"...","name":"Kettle",...}       for each row
 *     end_body      ],"pagination":{...},"facets":{...},"corrected":{...}}
 */
#include "api/listing.h"

#include <apr_strings.h>
#include <string.h>

#include "api/failure.h"
#include "api/field_values.h"
#include "api/indexing.h"
#include "api/pagination.h"
#include "api/products.h"
#include "catalogue/lists.h"
#include "catalogue/store.h"
#include "http/answer.h"
#include "http/request.h"
#include "lib/json.h"

/* ---- JSON ---- */

static void begin_body(cat_buffer_t *b)
{
    CAT_BUFFER_LITERAL(b, "{\"success\":true,\"data\":[");
}

/* Adds the member etag to the object that was written last. */
static void add_etag(cat_buffer_t *b, const cat_fields_t *fields, const char *const *product)
{
    const char *tag = cat_products_tag(b->pool, fields, product);

    b->length--; /* removes the object's final brace */
    cat_buffer_add_text(b, b->data[b->length - 1] == '{' ? "\"etag\":\"\\\"" : ",\"etag\":\"\\\"");
    cat_buffer_add(b, tag + 1, strlen(tag) - 2);
    CAT_BUFFER_LITERAL(b, "\\\"\"}");
}

static void add_product(cat_buffer_t *b, const cat_list_query_t *query, const char *const *product)
{
    const char *selected[CAT_FIELDS_MAX];
    const char *const *shown = product;

    if (!query->has_all_fields) {
        cat_field_list_select(query->all, &query->fields, product, selected);
        shown = selected;
    }
    if (b->data[b->length - 1] != '[') {
        CAT_BUFFER_LITERAL(b, ",");
    }
    cat_fields_write(b, query->all->all, query->all->count, shown);
    if (query->has_etags) {
        add_etag(b, query->all, product);
    }
}

static void add_facet(cat_buffer_t *b, const cat_field_t *field, const cat_search_facet_t *facet)
{
    CAT_BUFFER_LITERAL(b, "\"");
    cat_buffer_add_text(b, field->name);
    CAT_BUFFER_LITERAL(b, "\":[");
    for (int i = 0; i < facet->count; i++) {
        cat_buffer_add_text(b, i ? ",{\"value\":" : "{\"value\":");
        cat_field_values_write(b, field, facet->values[i].value);
        CAT_BUFFER_LITERAL(b, ",\"count\":");
        cat_buffer_add_int(b, facet->values[i].count);
        CAT_BUFFER_LITERAL(b, "}");
    }
    CAT_BUFFER_LITERAL(b, "]");
}

/* Lists the fields that have more values than the response contains. */
static void add_cut(cat_buffer_t *b, const cat_fields_t *fields, const cat_list_end_t *end)
{
    int count = 0;

    for (int i = 0; i < end->found.facet_count; i++) {
        if (end->found.facets[i].is_cut) {
            cat_buffer_add_text(b, count++ ? "," : ",\"facetsMore\":[");
            cat_json_add_string(b, fields->all[end->found.facets[i].field].name);
        }
    }
    cat_buffer_add_text(b, count ? "]" : "");
}

static void add_facets(cat_buffer_t *b, const cat_fields_t *fields, const cat_list_end_t *end)
{
    CAT_BUFFER_LITERAL(b, ",\"facets\":{");
    for (int i = 0; i < end->found.facet_count; i++) {
        cat_buffer_add_text(b, i ? "," : "");
        add_facet(b, &fields->all[end->found.facets[i].field], &end->found.facets[i]);
    }
    CAT_BUFFER_LITERAL(b, "}");
    if (end->found.is_sample) {
        CAT_BUFFER_LITERAL(b, ",\"facetsRelation\":\"gte\"");
    }
    add_cut(b, fields, end);
}

static void add_correction(cat_buffer_t *b, const cat_correction_t *correction)
{
    cat_json_add_string(b, correction->word);
    CAT_BUFFER_LITERAL(b, ":[");
    for (int i = 0; correction->words[i]; i++) {
        cat_buffer_add_text(b, i ? "," : "");
        cat_json_add_string(b, correction->words[i]);
    }
    CAT_BUFFER_LITERAL(b, "]");
}

static void add_corrected(cat_buffer_t *b, const cat_list_end_t *end)
{
    CAT_BUFFER_LITERAL(b, ",\"corrected\":{");
    for (int i = 0; i < end->found.correction_count; i++) {
        cat_buffer_add_text(b, i ? "," : "");
        add_correction(b, &end->found.corrections[i]);
    }
    CAT_BUFFER_LITERAL(b, "}");
}

static cat_pagination_t describe_page(const cat_list_query_t *query, const cat_list_end_t *end)
{
    return (cat_pagination_t){query->page,        query->limit,        end->found.total,
                              end->found.is_more, end->found.has_next, end->next};
}

static void end_body(cat_buffer_t *b, const cat_list_query_t *query, const cat_list_end_t *end)
{
    cat_pagination_t pagination = describe_page(query, end);

    cat_pagination_end_data(b, &pagination);
    if (end->found.facet_count) {
        add_facets(b, query->all, end);
    }
    if (end->found.correction_count) {
        add_corrected(b, end);
    }
    CAT_BUFFER_LITERAL(b, "}");
}

static void write_headers(cat_buffer_t *b, const cat_list_query_t *query, const cat_list_end_t *end)
{
    cat_pagination_t pagination = describe_page(query, end);

    cat_pagination_write_headers(b, &pagination, query->parameters);
}

static const cat_list_format_t format = {begin_body, add_product, end_body, write_headers};

/* ---- the resource ---- */

cat_answer_t *cat_listing_get(cat_request_t *q)
{
    cat_list_query_t query;
    cat_cached_list_t list;
    cat_answer_t *refusal;
    apr_status_t rv;

    switch (cat_query_parse(q->pool, q->conf, q->now, q->strict, q->query, &query)) {
    case CAT_QUERY_INVALID:
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, query.errors);
    case CAT_QUERY_CURSOR_INVALID:
        return cat_answer_problem(q->pool, CAT_PROBLEM_CURSOR, NULL);
    case CAT_QUERY_CURSOR_AND_PAGE:
        return cat_answer_problem(q->pool, CAT_PROBLEM_CURSOR, "page and cursor cannot be combined; send one of them");
    case CAT_QUERY_OK:
        break;
    }
    refusal = cat_indexing_refuse(q, &query);
    if (refusal) {
        return refusal;
    }
    rv = cat_list_get(q->db, &query, q->now, &format, &list);
    return rv == APR_SUCCESS ? cat_pagination_answer(q->pool, &list, query.ignored) : cat_failure_answer(q->pool, rv);
}

/* ---- description ---- */

static const cat_shape_t products = {.kind = CAT_SHAPE_LIST, .of = &cat_products_shape};
static const cat_shape_t value = {.kind = CAT_SHAPE_SCALAR, .example = "\"kitchen\""};
static const cat_member_t facet_members[] = {
    {"value", &value, CAT_ALWAYS, "A value of the field"},
    {"count", &cat_schema_whole, CAT_ALWAYS, "How many products have it"},
    CAT_MEMBER_END,
};
static const cat_shape_t facet = {.kind = CAT_SHAPE_OBJECT, .name = "Facet", .members = facet_members};
static const cat_shape_t facet_list = {.kind = CAT_SHAPE_LIST, .of = &facet};
static const cat_member_t facets_members[] = {
    {"category", &facet_list, CAT_USUALLY, NULL},
    CAT_MEMBER_END,
};
static const cat_shape_t names = {.kind = CAT_SHAPE_LIST, .of = &cat_schema_text};
static const cat_shape_t facets = {.kind = CAT_SHAPE_OBJECT, .name = "Facets", .members = facets_members};

void cat_listing_describe(cat_describer_t *d)
{
    const cat_fields_t *fields = cat_product_fields_of(d->conf);
    const cat_field_set_t all = cat_query_facets(d->conf);
    cat_member_t *members = apr_pcalloc(d->pool, (apr_size_t)(fields->count + 1) * sizeof(*members));
    cat_shape_t shape = facets;
    int count = 0;

    for (int i = 0; i < fields->count; i++) {
        if (cat_field_set_has(&all, i)) {
            members[count++] = (cat_member_t){fields->all[i].name, &facet_list, CAT_RARELY,
                                              apr_pstrcat(d->pool, "The values of `", fields->all[i].name, "`", NULL)};
        }
    }
    shape.members = members;
    json_decref(cat_schema_of_shape(d->schemas, &shape));
}

static const cat_shape_t corrected = {.kind = CAT_SHAPE_MAP, .of = &names, .example = "{\"ketle\": [\"kettle\"]}"};

static const cat_member_t members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &products, CAT_ALWAYS, "The products of the page; with `fields`, they have no other fields"},
    CAT_PAGINATION_MEMBER,
    {"facets", &facets, CAT_RARELY, "With `facets`: the values of its fields, the most frequent first"},
    {"facetsRelation", &cat_schema_gte, CAT_RARELY, "`gte`: only the newest products were counted for the facets"},
    {"facetsMore", &names, CAT_RARELY, "The facets that have more values than the answer"},
    {"corrected", &corrected, CAT_RARELY,
     "By word of `q`, as it is compared: words that only contain it, or are a slip away, and have found products"},
    CAT_MEMBER_END,
};
static const cat_shape_t shape = {.kind = CAT_SHAPE_OBJECT, .name = "ProductList", .members = members};
static const cat_problem_t problems[] = {CAT_PROBLEM_CURSOR, CAT_PROBLEM_NOT_INDEXED, CAT_PROBLEM_INDEXING,
                                         CAT_PROBLEM_QUERY_SLOW, CAT_PROBLEM_COUNT};

static void describe_parameters(cat_describer_t *d)
{
    cat_query_describe(d, 0);
}

#define CONDITIONS APR_STRINGIFY(CAT_QUERY_CONDITIONS_MAX)
#define BYTES APR_STRINGIFY(CAT_QUERY_OCTETS_MAX)

const cat_description_t cat_listing_about = {
    .id = "listProducts",
    .tag = "Products",
    .summary = "List products",
    .about = "Newest first, unless `sort` says otherwise. All conditions must hold, at most " CONDITIONS
             "; all parameters together have at most " BYTES " bytes. Other parameters are ignored and named in "
             "`Catalog-Ignored`.",
    .group = "products",
    .describe_parameters = describe_parameters,
    .status = 200,
    .answered = "A page of the list",
    .shape = &shape,
    .headers = CAT_HEADER_ETAG | CAT_HEADER_LINK | CAT_HEADER_CURRENCY,
    .problems = problems,
};
