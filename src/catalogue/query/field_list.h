/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_FIELD_LIST_H
#define CAT_CATALOGUE_FIELD_LIST_H

#include "catalogue/product/product.h"
#include "http/parameters.h"

/* Fields of products as parameters name them: "name,price". `all`: the mount's fields; a field is an index of it. */

/* A set of fields. */
typedef struct cat_field_set_t {
    apr_uint64_t bits[(CAT_FIELDS_MAX + 63) / 64];
} cat_field_set_t;

static inline int cat_field_set_has(const cat_field_set_t *set, int field)
{
    return (int)(set->bits[field / 64] >> field % 64 & 1);
}

static inline void cat_field_set_add(cat_field_set_t *set, int field)
{
    set->bits[field / 64] |= APR_UINT64_C(1) << field % 64;
}

static inline int cat_field_set_is_empty(const cat_field_set_t *set)
{
    return !(set->bits[0] | set->bits[1]);
}

static inline int cat_field_set_is_same(const cat_field_set_t *one, const cat_field_set_t *other)
{
    return one->bits[0] == other->bits[0] && one->bits[1] == other->bits[1];
}

/* The fields without any of these flags; with all of the others. */
cat_field_set_t cat_field_list_without(const cat_fields_t *all, int flags);
cat_field_set_t cat_field_list_with(const cat_fields_t *all, int flags);

/* The field with the name, of `length` octets; all->count: there is none. */
int cat_field_list_find(const cat_fields_t *all, const char *name, apr_size_t length);

/* The fields that a list names, whose first parameter has been read; each must be one of the allowed. After a fault, which
 * is added to p, they are the allowed ones. Never empty. */
cat_field_set_t cat_field_list_parse(cat_parameters_t *p, const cat_fields_t *all, const char *name,
                                     const cat_parameter_t *parameter, const cat_field_set_t *allowed);

/* The same of names that have been read (const char *; NULL: one that could not be). */
cat_field_set_t cat_field_list_take(cat_parameters_t *p, const cat_fields_t *all, const char *name,
                                    const apr_array_header_t *names, const cat_field_set_t *allowed);

/* The schema of such a parameter: an array. */
json_t *cat_field_list_describe(const cat_fields_t *all, const cat_field_set_t *allowed);

/* Writes them in the product's own order. */
void cat_field_list_write(cat_buffer_t *b, const cat_fields_t *all, const cat_field_set_t *fields);

/* Copies the values of these fields from a record (catalogue/product/product.h); the others are NULL, as if not set. */
void cat_field_list_select(const cat_fields_t *all, const cat_field_set_t *fields, const char *const *product,
                           const char *selected[CAT_FIELDS_MAX]);

#endif
