/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_SCHEMA_H
#define CAT_HTTP_SCHEMA_H

#include <jansson.h>

#include "lib/fields.h"

/*
 * JSON Schemas (2020-12, as in OpenAPI 3.1) and examples, made from the tables that check requests and write answers. A
 * function returns a new reference, which the caller owns. It returns NULL only if there is no memory.
 */

/* The kind of a value in an answer. */
typedef enum {
    CAT_SHAPE_TEXT,
    CAT_SHAPE_NUMBER,
    CAT_SHAPE_WHOLE, /* A number without a fraction, 0 or more. */
    CAT_SHAPE_FLAG,
    CAT_SHAPE_TRUE,  /* Always true. */
    CAT_SHAPE_FALSE, /* Always false. */
    CAT_SHAPE_TIME,
    CAT_SHAPE_SCALAR, /* A text, a number, or true or false. */
    CAT_SHAPE_ANY,
    CAT_SHAPE_LIST,
    CAT_SHAPE_MAP, /* An object whose members have any names. */
    CAT_SHAPE_OBJECT,
    CAT_SHAPE_RECORD /* An object as cat_fields_write writes a record. */
} cat_shape_kind_t;

typedef struct cat_shape_t cat_shape_t;

/* A member of an object. */
typedef struct cat_member_t {
    const char *name;
    const cat_shape_t *shape;
    enum {
        CAT_ALWAYS,
        CAT_USUALLY, /* May be absent. */
        CAT_RARELY   /* May be absent, and mostly is. */
    } presence;
    const char *about; /* A sentence without full stop. */
} cat_member_t;

struct cat_shape_t {
    cat_shape_kind_t kind;
    const char *name; /* Name of a schema to which others refer. NULL if the schema is written where it is used. */
    const cat_member_t *members; /* For CAT_SHAPE_OBJECT, or in addition to `fields`. The last member has no name. */
    const cat_shape_t *of;       /* CAT_SHAPE_LIST: shape of its elements. CAT_SHAPE_MAP: shape of its members. */
    const cat_field_t *fields;   /* CAT_SHAPE_RECORD: its field table. */
    int count;                   /* Number of fields. */
    /* JSON text. If it is NULL, a record has the example of its fields, and other shapes have none. */
    const char *example;
    const cat_text_rule_t *rule; /* For CAT_SHAPE_TEXT. NULL if any text is valid. */
    const char *about; /* For a shape with a name: a sentence without full stop. NULL if the members describe it. */
};

/* Scalars without a name of their own. */
extern const cat_shape_t cat_schema_text, cat_schema_whole, cat_schema_flag, cat_schema_time;

/* The word "gte", which says that a number is not exact. */
extern const cat_shape_t cat_schema_gte;

/* The members "success" and "message", which most answers have. */
extern const cat_shape_t cat_schema_true, cat_schema_done, cat_schema_false;
#define CAT_MEMBER_SUCCESS {"success", &cat_schema_true, CAT_ALWAYS, NULL}
#define CAT_MEMBER_MESSAGE {"message", &cat_schema_done, CAT_ALWAYS, NULL}
#define CAT_MEMBER_END {NULL, NULL, CAT_ALWAYS, NULL}

/* Returns the schema of a shape, with its example. If the shape has a name, adds the schema to `schemas` and returns a
 * reference to it. */
json_t *cat_schema_of_shape(json_t *schemas, const cat_shape_t *shape);

/* Returns the schema of one value of a field, without its description. */
json_t *cat_schema_of_value(const cat_field_t *field);

/* Return the schema of the body that cat_fields_check accepts, and an example of such a body. */
json_t *cat_schema_of_input(const cat_field_t *fields, int count, cat_purpose_t purpose);
json_t *cat_schema_input_example(const cat_field_t *fields, int count);

/* Adds that an object has one more member than its required ones. If the object has optional members, the description
 * must say which. Does not use anyOf and not, which would say it, because programs that generate types from schemas
 * fail on them. */
void cat_schema_require_more(json_t *schema);

/* Adds the constraints of a rule to the schema of a text. If the rule has a name, adds a reference to its schema
 * instead of the type. Adds nothing if `rule` is NULL. */
void cat_schema_add_rule(json_t *schema, const cat_text_rule_t *rule);

/* Adds the schema of a rule that has a name to `schemas`. */
void cat_schema_name_rule(json_t *schemas, const cat_text_rule_t *rule);

json_t *cat_schema_field_example(const cat_field_t *field);

/* Returns a reference to a component, such as "schemas/Product". */
json_t *cat_schema_refer(const char *kind, const char *name);

#endif
