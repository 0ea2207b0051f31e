/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_OWN_FIELD_H
#define CAT_CATALOGUE_OWN_FIELD_H

#include "lib/fields.h"

/* The operators of conditions. */
typedef enum {
    CAT_EQ,     /* exact text; number, boolean, time */
    CAT_NE,     /* the same */
    CAT_EXISTS, /* values[0].key 1: the field is set; 0: it is not. Only of fields that can be unset */
    CAT_LT,     /* LT to GTE: folded text; number, time. Not of id and booleans */
    CAT_LTE,
    CAT_GT,
    CAT_GTE,
    CAT_IN,     /* EQ with one of the values; 1 to CAT_QUERY_VALUES_MAX, all different, in ascending order of text */
    CAT_PREFIX, /* folded text, which is not empty */
    CAT_ALL     /* CAT_LIST: has each of the values, which are as those of CAT_IN */
} cat_operator_t;

/* Which operators fields have: bits. Fields that can be unset have CAT_EXISTS besides. */
#define CAT_OPERATOR(op) (1u << (op))
#define CAT_OPERATORS_NONE 0u
#define CAT_OPERATORS_SAME (CAT_OPERATOR(CAT_EQ) | CAT_OPERATOR(CAT_IN))
#define CAT_OPERATORS_WORDS (CAT_OPERATORS_SAME | CAT_OPERATOR(CAT_NE))
#define CAT_OPERATORS_ORDER                                                                                            \
    (CAT_OPERATORS_WORDS | CAT_OPERATOR(CAT_LT) | CAT_OPERATOR(CAT_LTE) | CAT_OPERATOR(CAT_GT) | CAT_OPERATOR(CAT_GTE))
#define CAT_OPERATORS_TEXT (CAT_OPERATORS_ORDER | CAT_OPERATOR(CAT_PREFIX))
#define CAT_OPERATORS_LIST (CAT_OPERATORS_SAME | CAT_OPERATOR(CAT_ALL))

/* A type of fields. */
typedef struct cat_own_type_t {
    const char *name;
    cat_kind_t kind;
    int flags;
    double least, most;          /* as in cat_field_t, unless min= and max= say other */
    double lowest, highest;      /* that min= and max= may be; both 0 if the type has no bounds */
    const cat_text_form_t *form; /* NULL: any text */
    unsigned operators;          /* of conditions: bits */
    unsigned options;            /* that a line may have: bits */
    const char *example;
} cat_own_type_t;

/* What a line says beyond cat_field_t. */
typedef struct cat_own_field_t {
    const char *line; /* the line itself */
    const cat_own_type_t *type;
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
