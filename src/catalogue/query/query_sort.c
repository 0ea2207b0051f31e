/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the order of a list, `-price,name`, and writes it in its canonical spelling.
 *
 * Ties are always ordered by createdAt, then by id, in the direction of the first field, and nothing after id orders
 * anything. So a field that does not change the order is left out, and orders that are the same have one spelling:
 *
 *     -price,-createdAt,-id   is   -price
 *     id,name                 is   id
 *     -price,createdAt        stays: the tie is ordered the other way
 */
#include "catalogue/query/query_sort.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/query/field_list.h"
#include "catalogue/query/query_conditions.h"

#define NAMES_SIZE 128 /* octets: a guess of the names of all fields */

/* A list and any JSON value have none. */
static int has_order(const cat_conf_t *conf, int field)
{
    const cat_field_t *row = &cat_product_fields_of(conf)->all[field];

    return row->kind != CAT_LIST && row->kind != CAT_VALUE;
}

static int is_sortable(const cat_conf_t *conf, int field)
{
    return has_order(conf, field) && cat_query_conditions_has_index(conf, field);
}

static cat_field_fault_t refuse_name(apr_pool_t *pool, const cat_conf_t *conf)
{
    const cat_fields_t *fields = cat_product_fields_of(conf);
    cat_field_set_t all = {{0}};
    cat_buffer_t b;

    for (int i = 0; i < fields->count; i++) {
        if (is_sortable(conf, i)) {
            cat_field_set_add(&all, i);
        }
    }

    cat_buffer_init(&b, pool, NAMES_SIZE);
    CAT_BUFFER_LITERAL(&b, "must name only these fields: ");
    cat_field_list_write(&b, fields, &all);
    CAT_BUFFER_LITERAL(&b, ", each with \"-\" before it for descending order");
    return (cat_field_fault_t){"unknown", cat_buffer_text(&b)};
}

static int is_sorted_by(const cat_query_sort_t *sort, int count, int field)
{
    for (int i = 0; i < count; i++) {
        if (sort[i].field == field) {
            return 1;
        }
    }
    return 0;
}

static cat_field_fault_t check_field(apr_pool_t *pool, const cat_conf_t *conf, const cat_query_sort_t *sort, int count)
{
    const cat_fields_t *fields = cat_product_fields_of(conf);
    int field = sort[count].field;

    if (field == fields->count) {
        return refuse_name(pool, conf);
    }
    if (is_sorted_by(sort, count, field)) {
        return (cat_field_fault_t){"duplicate", "must name each field only once"};
    }
    if (!is_sortable(conf, field)) {
        return (cat_field_fault_t){
            "no_index", apr_pstrcat(pool, "cannot use ", fields->all[field].name, ", which ",
                                    has_order(conf, field) ? "is not indexed on this server" : "has no order", NULL)};
    }
    return cat_fields_no_fault;
}

/* Is the last field what ties are ordered by anyway: createdAt, then id, in the direction of the first field? */
static int is_redundant(const cat_query_sort_t *sort, int count)
{
    const cat_query_sort_t *last = &sort[count - 1];

    return count > 1 && last->descending == sort[0].descending &&
           (last->field == CAT_PRODUCT_CREATED_AT ||
            (last->field == CAT_PRODUCT_ID && is_sorted_by(sort, count - 1, CAT_PRODUCT_CREATED_AT)));
}

/* No two products have the same id, so nothing after it orders them. */
static int drop_redundant(const cat_query_sort_t *sort, int count)
{
    for (int i = 0; i < count; i++) {
        if (sort[i].field == CAT_PRODUCT_ID) {
            count = i + 1;
        }
    }
    while (is_redundant(sort, count)) {
        count--;
    }
    return count;
}

static cat_field_fault_t read_fields(apr_pool_t *pool, const cat_conf_t *conf, const apr_array_header_t *items,
                                     cat_query_sort_t *sort)
{
    cat_field_fault_t fault = cat_fields_no_fault;

    for (int i = 0; i < items->nelts && !fault.code; i++) {
        const char *item = APR_ARRAY_IDX(items, i, const char *);
        const char *name = item ? item + (*item == '-') : "";
        if (i == CAT_LIST_SORT_MAX) {
            return (cat_field_fault_t){"too_many", "must have at most " APR_STRINGIFY(CAT_LIST_SORT_MAX) " fields"};
        }
        sort[i] = (cat_query_sort_t){cat_field_list_find(cat_product_fields_of(conf), name, strlen(name)),
                                     item && name > item};
        fault = check_field(pool, conf, sort, i);
    }
    return fault;
}

static int has_relevance(const apr_array_header_t *items)
{
    for (int i = 0; i < items->nelts; i++) {
        const char *item = APR_ARRAY_IDX(items, i, const char *);
        if (item && !strcmp(item, CAT_QUERY_RELEVANCE)) {
            return 1;
        }
    }
    return 0;
}

int cat_query_sort_parse(cat_parameters_t *p, const cat_conf_t *conf, const cat_parameter_t *parameter,
                         cat_query_sort_t *sort, int *is_by_relevance)
{
    static const char name[] = "sort";
    const apr_array_header_t *items = cat_parameters_list(p, name, parameter);
    cat_field_fault_t fault = {"invalid", "must have " CAT_QUERY_RELEVANCE " alone"};

    *is_by_relevance = has_relevance(items) && items->nelts == 1;
    if (*is_by_relevance) {
        return cat_query_sort_by_default(sort);
    }
    if (!has_relevance(items)) {
        fault = read_fields(p->pool, conf, items, sort);
    }
    if (fault.code) {
        cat_parameters_add_error(p, name, fault.code, fault.message);
        return 0;
    }
    return drop_redundant(sort, items->nelts);
}

int cat_query_sort_by_default(cat_query_sort_t *sort)
{
    sort[0] = (cat_query_sort_t){CAT_PRODUCT_CREATED_AT, 1};
    return 1;
}

int cat_query_sort_is_default(const cat_query_sort_t *sort, int count)
{
    return count == 1 && sort->field == CAT_PRODUCT_CREATED_AT && sort->descending;
}

void cat_query_sort_write(cat_buffer_t *b, const cat_fields_t *fields, const cat_query_sort_t *sort, int count)
{
    for (int i = 0; i < count; i++) {
        cat_buffer_add_text(b, i ? "," : "");
        cat_buffer_add_text(b, sort[i].descending ? "-" : "");
        cat_buffer_add_text(b, fields->all[sort[i].field].name);
    }
}

json_t *cat_query_sort_describe(const cat_conf_t *conf)
{
    const cat_fields_t *fields = cat_product_fields_of(conf);
    json_t *names = json_array();

    for (int i = 0; i < fields->count; i++) {
        if (is_sortable(conf, i)) {
            json_array_append_new(names, json_string(fields->all[i].name));
            json_array_append_new(names, json_sprintf("-%s", fields->all[i].name));
        }
    }
    return json_pack("{s:s, s:{s:s, s:o}, s:i, s:i, s:[s]}", "type", "array", "items", "type", "string", "enum", names,
                     "minItems", 1, "maxItems", CAT_LIST_SORT_MAX, "default", "-createdAt");
}

void cat_query_sort_add_relevance(json_t *schema)
{
    json_t *names = json_object_get(json_object_get(schema, "items"), "enum");

    json_array_append_new(names, json_string(CAT_QUERY_RELEVANCE));
}
