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

static cat_field_fault_t refuse_name(apr_pool_t *pool)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, NAMES_SIZE);
    CAT_BUFFER_LITERAL(&b, "must name only these fields: ");
    cat_field_list_write(&b, CAT_FIELD_LIST_ALL);
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

static cat_field_fault_t check_field(apr_pool_t *pool, const int *index, const cat_query_sort_t *sort, int count)
{
    int field = sort[count].field;

    if (field == CAT_PRODUCT_FIELDS) {
        return refuse_name(pool);
    }
    if (is_sorted_by(sort, count, field)) {
        return (cat_field_fault_t){"duplicate", "must name each field only once"};
    }
    if (!cat_query_conditions_has_index(index, field)) {
        return (cat_field_fault_t){"no_index", apr_pstrcat(pool, "cannot use ", cat_product_fields[field].name,
                                                           ", which is not indexed on this server", NULL)};
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

static cat_field_fault_t read_fields(apr_pool_t *pool, const int *index, const apr_array_header_t *items,
                                     cat_query_sort_t *sort)
{
    cat_field_fault_t fault = cat_fields_no_fault;

    for (int i = 0; i < items->nelts && !fault.code; i++) {
        const char *item = APR_ARRAY_IDX(items, i, const char *);
        const char *name = item ? item + (*item == '-') : "";
        if (i == CAT_LIST_SORT_MAX) {
            return (cat_field_fault_t){"too_many", "must have at most " APR_STRINGIFY(CAT_LIST_SORT_MAX) " fields"};
        }
        sort[i] = (cat_query_sort_t){cat_field_list_find(name, strlen(name)), item && name > item};
        fault = check_field(pool, index, sort, i);
    }
    return fault;
}

int cat_query_sort_parse(cat_parameters_t *p, const int *index, const cat_parameter_t *parameter,
                         cat_query_sort_t *sort)
{
    static const char name[] = "sort";
    const apr_array_header_t *items = cat_parameters_list(p, name, parameter);
    cat_field_fault_t fault = read_fields(p->pool, index, items, sort);

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

void cat_query_sort_write(cat_buffer_t *b, const cat_query_sort_t *sort, int count)
{
    for (int i = 0; i < count; i++) {
        cat_buffer_add_text(b, i ? "," : "");
        cat_buffer_add_text(b, sort[i].descending ? "-" : "");
        cat_buffer_add_text(b, cat_product_fields[sort[i].field].name);
    }
}

json_t *cat_query_sort_describe(const int *index)
{
    json_t *names = json_array();

    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        if (cat_query_conditions_has_index(index, i)) {
            json_array_append_new(names, json_string(cat_product_fields[i].name));
            json_array_append_new(names, json_sprintf("-%s", cat_product_fields[i].name));
        }
    }
    return json_pack("{s:s, s:{s:s, s:o}, s:i, s:i, s:[s]}", "type", "array", "items", "type", "string", "enum", names,
                     "minItems", 1, "maxItems", CAT_LIST_SORT_MAX, "default", "-createdAt");
}
