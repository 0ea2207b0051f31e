/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_OWN_FIELD_H
#define CAT_CATALOGUE_OWN_FIELD_H

#include "lib/fields.h"

/* What a line says beyond cat_field_t. */
typedef struct cat_own_field_t {
    const char *line;          /* the line itself */
    const char *type;          /* as in the line: "number" */
    const char *label, *help;  /* for people; NULL: none */
    const char *const *values; /* of a choice, in their order; ends with NULL. NULL: of another type */
    const char *pattern;       /* the regular expression that a whole value must match; NULL: none */
    const char *preset;        /* " default=\"true\"", as a definition has it; NULL: none, or over 3,000 bytes */
    const char *from;          /* the field that a missing value is made of; NULL: none */
    const char *by;            /* the field by which the products of one value are in order; NULL: none */
    const char *of; /* of a pair (catalogue/product/own_fields.h): the field whose values they are; else NULL */
} cat_own_field_t;

/*
 * Reads a line of CatalogField: "weight number index min=0". *field and *own are on the pool, as cat_own_fields_add wants them. before: the
 * fields that there are. NULL, or what is wrong with the line, in words for the administrator.
 */
const char *cat_own_field_read(apr_pool_t *pool, const cat_fields_t *before, const char *line, cat_field_t *field,
                               cat_own_field_t *own);

/* The number of values of a choice, and of characters of its definition: in a line, and together with the lines that the database knows.
 * catalogue/product/own_keys.c writes places of values with three digits, and the schema has room for the definition. */
#define CAT_OWN_CHOICES 99
#define CAT_OWN_DEFINITION 12000
#define CAT_OWN_CHOICES_KNOWN 999
#define CAT_OWN_DEFINITION_KNOWN 16000

/* Returns the definition of a field as a line has it after the name, on the pool: the type, the values of a choice, the flags that decide which
 * keys the field has, and the preset. */
const char *cat_own_field_define(apr_pool_t *pool, const cat_own_field_t *own, int flags);

/* Has the choice at most these numbers of values, and of characters of its definition? 1 for other types. */
int cat_own_field_check_values(apr_pool_t *pool, const cat_own_field_t *own, int most, int characters);

/* The field for a value that is to find products, not to be stored: as its type has it, without the bounds, the pattern and the values of its
 * line, because products may have been stored under another line. Of a choice, any text. */
cat_field_t cat_own_field_widen(const cat_field_t *field);

/* The field of this name, whatever its case; the count: there is none. */
int cat_own_field_find(const cat_fields_t *fields, const char *name);

/* For `from`: can the field's text be made of the source's? NULL, or what is wrong. */
const char *cat_own_field_check_source(apr_pool_t *pool, const cat_field_t *field, const cat_field_t *source);

/* For `by`: has the field an order of a fixed length? NULL, or what is wrong. */
const char *cat_own_field_check_order(apr_pool_t *pool, const cat_field_t *order);

#endif
