/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of fields, as bits, and the parameters that name them: `fields=name,price`, `facets=brand`. They are always written in the order of
 * the field table, whatever the order in which a client names them, so equal sets have one spelling.
 */
#include "catalogue/query/field_list.h"

#include <apr_strings.h>
#include <string.h>

#define NAMES_SIZE 64 /* octets: a guess of the names of all fields */

cat_field_set_t cat_field_list_with(const cat_fields_t *all, int flags)
{
    cat_field_set_t set = {{0}};

    for (int i = 0; i < all->count; i++) {
        if ((all->all[i].flags & flags) == flags) {
            cat_field_set_add(&set, i);
        }
    }
    return set;
}

cat_field_set_t cat_field_list_without(const cat_fields_t *all, int flags)
{
    cat_field_set_t set = {{0}};

    for (int i = 0; i < all->count; i++) {
        if (!(all->all[i].flags & flags)) {
            cat_field_set_add(&set, i);
        }
    }
    return set;
}

int cat_field_list_find(const cat_fields_t *all, const char *name, apr_size_t length)
{
    int i = 0;

    while (i < all->count && (strncmp(all->all[i].name, name, length) != 0 || all->all[i].name[length])) {
        i++;
    }
    return i;
}

/* Empty: one of the names is that of no allowed field. */
static cat_field_set_t parse_names(const cat_fields_t *all, const apr_array_header_t *names,
                                   const cat_field_set_t *allowed)
{
    cat_field_set_t fields = {{0}};

    for (int i = 0; i < names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(names, i, const char *);
        int field = name ? cat_field_list_find(all, name, strlen(name)) : all->count;
        if (field == all->count || !cat_field_set_has(allowed, field)) {
            return (cat_field_set_t){{0}};
        }
        cat_field_set_add(&fields, field);
    }
    return fields;
}

cat_field_set_t cat_field_list_parse(cat_parameters_t *p, const cat_fields_t *all, const char *name,
                                     const cat_parameter_t *parameter, const cat_field_set_t *allowed)
{
    return cat_field_list_take(p, all, name, cat_parameters_list(p, name, parameter), allowed);
}

cat_field_set_t cat_field_list_take(cat_parameters_t *p, const cat_fields_t *all, const char *name,
                                    const apr_array_header_t *names, const cat_field_set_t *allowed)
{
    cat_field_set_t fields = parse_names(all, names, allowed);
    cat_buffer_t b;

    if (!cat_field_set_is_empty(&fields)) {
        return fields;
    }
    cat_buffer_init(&b, p->pool, NAMES_SIZE);
    CAT_BUFFER_LITERAL(&b, "must name only these fields: ");
    cat_field_list_write(&b, all, allowed);
    cat_parameters_add_error(p, name, "unknown", cat_buffer_text(&b));
    return *allowed;
}

void cat_field_list_write(cat_buffer_t *b, const cat_fields_t *all, const cat_field_set_t *fields)
{
    const char *separator = "";

    for (int i = 0; i < all->count; i++) {
        if (cat_field_set_has(fields, i)) {
            cat_buffer_add_text(b, separator);
            cat_buffer_add_text(b, all->all[i].name);
            separator = ",";
        }
    }
}

void cat_field_list_select(const cat_fields_t *all, const cat_field_set_t *fields, const char *const *product,
                           const char *selected[CAT_FIELDS_MAX])
{
    for (int i = 0; i < all->count; i++) {
        selected[i] = cat_field_set_has(fields, i) ? product[i] : NULL;
    }
}

json_t *cat_field_list_describe(const cat_fields_t *all, const cat_field_set_t *allowed)
{
    json_t *names = json_array();

    for (int i = 0; i < all->count; i++) {
        if (cat_field_set_has(allowed, i)) {
            json_array_append_new(names, json_string(all->all[i].name));
        }
    }
    return json_pack("{s:s, s:{s:s, s:o}, s:i}", "type", "array", "items", "type", "string", "enum", names, "minItems",
                     1);
}
