/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/query_sort.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/field_list.h"
#include "catalogue/query_conditions.h"

#define FIELDS (CAT_FIELD_LIST_ALL & ~CAT_FIELD_LIST_OF(CAT_PRODUCT_ID))
#define NAMES_SIZE 128 /* octets: a guess of the names of all fields */

/* Why a field is refused; code NULL: it is not. */
typedef struct fault_t {
    const char *code, *message;
} fault_t;

static const fault_t no_fault = {NULL, NULL};

static fault_t refuse_name(apr_pool_t *pool)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, NAMES_SIZE);
    CAT_BUFFER_LITERAL(&b, "must name fields out of ");
    cat_field_list_write(&b, FIELDS);
    CAT_BUFFER_LITERAL(&b, ", each with \"-\" before it for descending order");
    return (fault_t){"unknown", cat_buffer_text(&b)};
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

static fault_t check_field(apr_pool_t *pool, const int *index, const cat_query_sort_t *sort, int count)
{
    int field = sort[count].field;

    if (field == CAT_PRODUCT_FIELDS || !(FIELDS & CAT_FIELD_LIST_OF(field))) {
        return refuse_name(pool);
    }
    if (is_sorted_by(sort, count, field)) {
        return (fault_t){"duplicate", "must have each field once"};
    }
    if (!cat_query_conditions_has_index(index, field)) {
        return (fault_t){"no_index", apr_pstrcat(pool, "must do without ", cat_product_fields[field].name,
                                                 ", which has no index on this server", NULL)};
    }
    return no_fault;
}

/* Ties are ordered by createdAt in the direction of the first field. */
static int drop_redundant(const cat_query_sort_t *sort, int count)
{
    const cat_query_sort_t *last = &sort[count - 1];
    int is_redundant = count > 1 && last->field == CAT_PRODUCT_CREATED_AT && last->descending == sort[0].descending;

    return count - is_redundant;
}

static fault_t read_fields(apr_pool_t *pool, const int *index, const char *at, cat_query_sort_t *sort, int *count)
{
    fault_t fault = no_fault;

    for (*count = 0; at && !fault.code; ++*count) {
        apr_size_t length = strcspn(at, ","), sign = *at == '-';
        if (*count == CAT_LIST_SORT_MAX) {
            return (fault_t){"too_many", "must have at most " APR_STRINGIFY(CAT_LIST_SORT_MAX) " fields"};
        }
        sort[*count] = (cat_query_sort_t){cat_field_list_find(at + sign, length - sign), (int)sign};
        fault = check_field(pool, index, sort, *count);
        at = at[length] ? at + length + 1 : NULL;
    }
    return fault;
}

int cat_query_sort_parse(cat_parameters_t *p, const int *index, const cat_parameter_t *parameter,
                         cat_query_sort_t *sort)
{
    int count;
    fault_t fault = read_fields(p->pool, index, parameter->value ? parameter->value : "", sort, &count);

    if (fault.code) {
        cat_parameters_add_error(p, parameter->name, fault.code, fault.message);
        return 0;
    }
    return drop_redundant(sort, count);
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
        if (FIELDS & CAT_FIELD_LIST_OF(i) && cat_query_conditions_has_index(index, i)) {
            json_array_append_new(names, json_string(cat_product_fields[i].name));
            json_array_append_new(names, json_sprintf("-%s", cat_product_fields[i].name));
        }
    }
    return json_pack("{s:s, s:{s:s, s:o}, s:i, s:i, s:[s]}", "type", "array", "items", "type", "string", "enum", names,
                     "minItems", 1, "maxItems", CAT_LIST_SORT_MAX, "default", "-createdAt");
}
