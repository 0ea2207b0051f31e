/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_SCHEMA_H
#define CAT_HTTP_SCHEMA_H

#include <jansson.h>

#include "lib/fields.h"

/*
 * JSON Schemas (2020-12, as OpenAPI 3.1 has them) and examples, made of the tables by which requests are checked and answers are
 * written. A function returns a new reference, which the caller owns; it never returns NULL but without memory.
 */

/* What an answer has as a value. */
typedef enum {
    CAT_SHAPE_TEXT,
    CAT_SHAPE_NUMBER,
    CAT_SHAPE_WHOLE, /* a number without a fraction, 0 or more */
    CAT_SHAPE_FLAG,
    CAT_SHAPE_TRUE,  /* always true */
    CAT_SHAPE_FALSE, /* always false */
    CAT_SHAPE_TIME,
    CAT_SHAPE_SCALAR, /* a text, a number, or true or false */
    CAT_SHAPE_ANY,
    CAT_SHAPE_LIST,
    CAT_SHAPE_MAP, /* an object whose members have any names */
    CAT_SHAPE_OBJECT,
    CAT_SHAPE_RECORD /* what cat_fields_write writes of a record */
} cat_shape_kind_t;

typedef struct cat_shape_t cat_shape_t;

/* A member of an object. */
typedef struct cat_member_t {
    const char *name;
    const cat_shape_t *shape;
    enum {
        CAT_ALWAYS,
        CAT_USUALLY, /* it may be absent */
        CAT_RARELY   /* it may be absent */
    } presence;
    const char *about; /* a sentence without full stop */
} cat_member_t;

struct cat_shape_t {
    cat_shape_kind_t kind;
    const char *name;            /* of the schema that others refer to; NULL: it is written where it is used */
    const cat_member_t *members; /* CAT_SHAPE_OBJECT, or beside fields: the last has no name */
    const cat_shape_t *of;       /* CAT_SHAPE_LIST: its elements; CAT_SHAPE_MAP: its members */
    const cat_field_t *fields;   /* CAT_SHAPE_RECORD: its field table */
    int count;                   /* of fields */
    const char *example;         /* as JSON; NULL: none, or, of a record, that of its fields */
    const cat_text_rule_t *rule; /* of CAT_SHAPE_TEXT; NULL: any text */
    const char *about;           /* of what has a name, a sentence without full stop; NULL: its members say it */
};

/* Scalars without a name of their own. */
extern const cat_shape_t cat_schema_text, cat_schema_whole, cat_schema_flag, cat_schema_time;

/* The word that says that a number is not exact. */
extern const cat_shape_t cat_schema_gte;

/* The members that most answers have: "success" and "message". */
extern const cat_shape_t cat_schema_true, cat_schema_done, cat_schema_false;
#define CAT_MEMBER_SUCCESS {"success", &cat_schema_true, CAT_ALWAYS, NULL}
#define CAT_MEMBER_MESSAGE {"message", &cat_schema_done, CAT_ALWAYS, NULL}
#define CAT_MEMBER_END {NULL, NULL, CAT_ALWAYS, NULL}

/* The schema of a shape, with its example: a reference, if it has a name, to its schema in `schemas`, where it is added. */
json_t *cat_schema_of_shape(json_t *schemas, const cat_shape_t *shape);

/* The schema of one value of a field, without its description. */
json_t *cat_schema_of_value(const cat_field_t *field);

/* What cat_fields_check accepts, and an example of it. */
json_t *cat_schema_of_input(const cat_field_t *fields, int count, cat_purpose_t purpose);
json_t *cat_schema_input_example(const cat_field_t *fields, int count);

/* Adds that an object has one more member than those that are required: of an object that may have others, the description must say
 * which. Programs that make types of schemas stumble over what says more, anyOf and not. */
void cat_schema_require_more(json_t *schema);

/* Adds what the rule says of a text, or a reference to it if it has a name, instead of the type; NULL: nothing. */
void cat_schema_add_rule(json_t *schema, const cat_text_rule_t *rule);

/* Adds the schema of a rule that has a name. */
void cat_schema_name_rule(json_t *schemas, const cat_text_rule_t *rule);

/* The example of a field's value. */
json_t *cat_schema_field_example(const cat_field_t *field);

/* A reference to the component, "schemas/Product". */
json_t *cat_schema_refer(const char *kind, const char *name);

#endif
