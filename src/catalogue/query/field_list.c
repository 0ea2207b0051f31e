/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/query/field_list.h"

#include <apr_strings.h>
#include <string.h>

#define NAMES_SIZE 64 /* octets: a guess of the names of all fields */

int cat_field_list_find(const char *name, apr_size_t length)
{
    int i = 0;

    while (i < CAT_PRODUCT_FIELDS &&
           (strncmp(cat_product_fields[i].name, name, length) != 0 || cat_product_fields[i].name[length])) {
        i++;
    }
    return i;
}

/* 0: one of the names is that of no allowed field. */
static unsigned parse_names(const apr_array_header_t *names, unsigned allowed)
{
    unsigned fields = 0;

    for (int i = 0; i < names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(names, i, const char *);
        unsigned field = name ? CAT_FIELD_LIST_OF(cat_field_list_find(name, strlen(name))) & allowed : 0;
        if (!field) {
            return 0;
        }
        fields |= field;
    }
    return fields;
}

static const char *name_allowed(apr_pool_t *pool, unsigned allowed)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, NAMES_SIZE);
    cat_field_list_write(&b, allowed);
    return cat_buffer_text(&b);
}

unsigned cat_field_list_parse(cat_parameters_t *p, const char *name, const cat_parameter_t *parameter, unsigned allowed)
{
    unsigned fields = parse_names(cat_parameters_list(p, name, parameter), allowed);

    if (!fields) {
        cat_parameters_add_error(
            p, name, "unknown",
            apr_pstrcat(p->pool, "must name only these fields: ", name_allowed(p->pool, allowed), NULL));
    }
    return fields ? fields : allowed;
}

void cat_field_list_write(cat_buffer_t *b, unsigned fields)
{
    const char *separator = "";

    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        if (fields & CAT_FIELD_LIST_OF(i)) {
            cat_buffer_add_text(b, separator);
            cat_buffer_add_text(b, cat_product_fields[i].name);
            separator = ",";
        }
    }
}

void cat_field_list_select(unsigned fields, const char *const *product, const char *selected[CAT_PRODUCT_FIELDS])
{
    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        selected[i] = fields & CAT_FIELD_LIST_OF(i) ? product[i] : NULL;
    }
}

json_t *cat_field_list_describe(unsigned allowed)
{
    json_t *names = json_array();

    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        if (allowed & CAT_FIELD_LIST_OF(i)) {
            json_array_append_new(names, json_string(cat_product_fields[i].name));
        }
    }
    return json_pack("{s:s, s:{s:s, s:o}, s:i}", "type", "array", "items", "type", "string", "enum", names, "minItems",
                     1);
}
