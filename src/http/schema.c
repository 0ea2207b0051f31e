/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON Schemas for the description of the API, made from field tables and from the shapes of answers. The row that
 * describes a field also checks it, so description and check cannot differ.
 */
#include "http/schema.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lib/number.h"
#include "lib/time.h"

/* A pattern for CAT_VISIBLE: a character that lib/fields.c does not count as white space. */
#define VISIBLE "[^ \\t\\n\\v\\f\\r]"

const cat_shape_t cat_schema_text = {.kind = CAT_SHAPE_TEXT}, cat_schema_whole = {.kind = CAT_SHAPE_WHOLE},
                  cat_schema_flag = {.kind = CAT_SHAPE_FLAG}, cat_schema_time = {.kind = CAT_SHAPE_TIME},
                  cat_schema_true = {.kind = CAT_SHAPE_TRUE, .name = "Success", .about = "The request succeeded"},
                  cat_schema_done = {.kind = CAT_SHAPE_TEXT,
                                     .name = "Message",
                                     .about = "What was done, in a sentence for people"},
                  cat_schema_false = {.kind = CAT_SHAPE_FALSE};

static const char *const gte[] = {"gte", NULL};
static const cat_text_rule_t gte_rule = {.words = gte};
const cat_shape_t cat_schema_gte = {.kind = CAT_SHAPE_TEXT, .rule = &gte_rule};

json_t *cat_schema_refer(const char *kind, const char *name)
{
    return json_pack("{s:o}", "$ref", json_sprintf("#/components/%s/%s", kind, name));
}

static void add_description(json_t *schema, const char *about)
{
    if (about) {
        json_object_set_new(schema, "description", json_sprintf("%s.", about));
    }
}

/* ---- fields ---- */

static json_t *write_number(double value)
{
    return value == floor(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *list_words(const char *const *words)
{
    json_t *list = json_array();

    for (; *words; words++) {
        json_array_append_new(list, json_string(*words));
    }
    return list;
}

/* Adds the format, the pattern and the words of a rule. */
static void add_rule(json_t *schema, const cat_text_rule_t *rule)
{
    if (rule && rule->format) {
        json_object_set_new(schema, "format", json_string(rule->format));
    }
    if (rule && rule->pattern) {
        json_object_set_new(schema, "pattern", json_string(rule->pattern));
    }
    if (rule && rule->words) {
        json_object_set_new(schema, "enum", list_words(rule->words));
    }
}

void cat_schema_add_rule(json_t *schema, const cat_text_rule_t *rule)
{
    if (rule && rule->schema) {
        json_object_del(schema, "type");
        json_object_update_new(schema, cat_schema_refer("schemas", rule->schema));
    } else {
        add_rule(schema, rule);
    }
}

void cat_schema_name_rule(json_t *schemas, const cat_text_rule_t *rule)
{
    json_t *schema = json_pack("{s:s}", "type", "string");

    add_rule(schema, rule);
    json_object_set_new(schemas, rule->schema, schema);
}

static json_t *describe_text(const cat_field_t *field)
{
    json_t *schema = json_pack("{s:s}", "type", field->flags & CAT_EMBEDDED ? "object" : "string");

    if (field->most > 0 && !cat_fields_has_measure(field->rule)) {
        if (field->least > 0) {
            json_object_set_new(schema, "minLength", write_number(field->least));
        }
        json_object_set_new(schema, "maxLength", write_number(field->most));
    }
    if (field->flags & CAT_VISIBLE) {
        json_object_set_new(schema, "pattern", json_string(VISIBLE));
    }
    cat_schema_add_rule(schema, field->rule);
    return schema;
}

static json_t *describe_number(const cat_field_t *field)
{
    json_t *schema = json_pack("{s:s}", "type", field->flags & CAT_WHOLE ? "integer" : "number");

    if (field->most > field->least) {
        if (field->least > -DBL_MAX) {
            json_object_set_new(schema, "minimum", write_number(field->least));
        }
        if (field->most < DBL_MAX) {
            json_object_set_new(schema, "maximum", write_number(field->most));
        }
    }
    return schema;
}

/* An empty array clears the field, if null does. */
static json_t *describe_list(const cat_field_t *field)
{
    json_t *text =
        json_pack("{s:s, s:i, s:i}", "type", "string", "minLength", 1, "maxLength", CAT_FIELDS_LIST_TEXT_MAX);
    json_t *schema = json_pack("{s:s, s:o, s:i, s:b}", "type", "array", "items", text, "maxItems", CAT_FIELDS_LIST_MAX,
                               "uniqueItems", 1);

    if (field->flags & CAT_REQUIRED) {
        json_object_set_new(schema, "minItems", json_integer(1));
    }
    return schema;
}

json_t *cat_schema_of_value(const cat_field_t *field)
{
    switch (field->kind) {
    case CAT_NUMBER:
        return describe_number(field);
    case CAT_BOOLEAN:
        return json_pack("{s:s}", "type", "boolean");
    case CAT_TIME:
        return json_pack("{s:s, s:s}", "type", "string", "format", "date-time");
    case CAT_LIST:
        return describe_list(field);
    case CAT_VALUE:
        return json_object();
    case CAT_STRING:
        break;
    }
    return describe_text(field);
}

static json_t *write_time(const char *milliseconds)
{
    char text[CAT_TIME_LENGTH + 1];
    apr_int64_t time = 0;

    cat_number_parse_integer(milliseconds, &time);
    cat_time_format(text, time);
    return json_string(text);
}

/* Returns the JSON value of a record's text. */
static json_t *write_record_text(const cat_field_t *field, const char *text)
{
    switch (field->kind) {
    case CAT_NUMBER:
    case CAT_LIST:
    case CAT_VALUE:
        return json_loads(text, JSON_DECODE_ANY, NULL);
    case CAT_BOOLEAN:
        return json_boolean(*text == '1');
    case CAT_TIME:
        return write_time(text);
    default:
        return json_string(text);
    }
}

json_t *cat_schema_field_example(const cat_field_t *field)
{
    switch (field->kind) {
    case CAT_LIST:
        return json_loads(field->example ? field->example : "[]", 0, NULL);
    case CAT_NUMBER:
    case CAT_BOOLEAN:
    case CAT_VALUE:
        return json_loads(field->example ? field->example : "0", JSON_DECODE_ANY, NULL);
    default:
        if (field->flags & CAT_EMBEDDED) {
            return json_loads(field->example ? field->example : "{}", 0, NULL);
        }
        return json_string(field->example ? field->example : "");
    }
}

/* Adds null to the types and words of a schema. A schema without a type allows any value already. */
static void allow_null(json_t *schema)
{
    json_t *type = json_object_get(schema, "type"), *words = json_object_get(schema, "enum");

    if (type) {
        json_object_set_new(schema, "type", json_pack("[O, s]", type, "null"));
    }
    if (words) {
        json_array_append_new(words, json_null());
    }
}

static json_t *describe_input(const cat_field_t *field, cat_purpose_t purpose)
{
    json_t *schema = cat_schema_of_value(field);

    add_description(schema, field->about);
    if (purpose == CAT_CREATE && field->absent) {
        json_object_set_new(schema, "default", write_record_text(field, field->absent));
    }
    if (field->flags & CAT_CLEARABLE) {
        allow_null(schema);
    }
    if (field->flags & CAT_SECRET) {
        json_object_set_new(schema, "writeOnly", json_true());
    }
    return schema;
}

void cat_schema_require_more(json_t *schema)
{
    size_t required = json_array_size(json_object_get(schema, "required"));

    json_object_set_new(schema, "minProperties", json_integer((json_int_t)required + 1));
}

json_t *cat_schema_of_input(const cat_field_t *fields, int count, cat_purpose_t purpose)
{
    json_t *properties = json_object(), *required = json_array();
    json_t *schema = json_pack("{s:s, s:o}", "type", "object", "properties", properties);

    for (int i = 0; i < count; i++) {
        if (!(fields[i].flags & CAT_SERVER)) {
            json_object_set_new(properties, fields[i].name, describe_input(&fields[i], purpose));
        }
        if (fields[i].flags & CAT_REQUIRED) {
            json_array_append_new(required, json_string(fields[i].name));
        }
    }
    if (purpose == CAT_UPDATE) {
        cat_schema_require_more(schema);
    } else if (json_array_size(required)) {
        json_object_set(schema, "required", required);
    }
    json_decref(required);
    return schema;
}

json_t *cat_schema_input_example(const cat_field_t *fields, int count)
{
    json_t *example = json_object();

    for (int i = 0; i < count; i++) {
        if (!(fields[i].flags & CAT_SERVER) && fields[i].example) {
            json_object_set_new(example, fields[i].name, cat_schema_field_example(&fields[i]));
        }
    }
    return example;
}

/* ---- shapes ---- */

static json_t *describe_member(json_t *schemas, const cat_member_t *member)
{
    json_t *value = cat_schema_of_shape(schemas, member->shape);

    add_description(value, member->about);
    return value;
}

/* Returns the schema of a value in an answer. A value of an own field may have been stored when its CatalogField line
 * had other limits, words or patterns, so these are left out. */
static json_t *describe_stored(const cat_field_t *field)
{
    const cat_text_rule_t form = {.format = field->rule ? field->rule->format : NULL};
    cat_field_t stored = *field;

    if (field->flags & CAT_OWN) {
        stored.least = stored.most = 0;
        stored.flags &= ~(CAT_REQUIRED | CAT_VISIBLE);
        stored.rule = &form;
    }
    return cat_schema_of_value(&stored);
}

static void describe_field(json_t *properties, json_t *required, const cat_field_t *field)
{
    json_t *value = describe_stored(field);

    if (field->flags & CAT_NULLABLE) {
        allow_null(value);
    }
    add_description(value, field->about);
    json_object_set_new(properties, field->name, value);
    if (!(field->flags & (CAT_CLEARABLE | CAT_OPTIONAL | CAT_OWN))) { /* Products may be older than an own field. */
        json_array_append_new(required, json_string(field->name));
    }
}

/* Returns the schema of an object with the shape's fields and members. */
static json_t *describe_object(json_t *schemas, const cat_shape_t *shape)
{
    json_t *properties = json_object(), *required = json_array();
    json_t *schema = json_pack("{s:s, s:o}", "type", "object", "properties", properties);

    for (int i = 0; i < shape->count; i++) {
        if (!(shape->fields[i].flags & CAT_SECRET)) {
            describe_field(properties, required, &shape->fields[i]);
        }
    }
    for (const cat_member_t *member = shape->members; member && member->name; member++) {
        json_object_set_new(properties, member->name, describe_member(schemas, member));
        if (member->presence == CAT_ALWAYS) {
            json_array_append_new(required, json_string(member->name));
        }
    }
    if (json_array_size(required)) {
        json_object_set(schema, "required", required);
    }
    json_decref(required);
    return schema;
}

static json_t *describe_shape(json_t *schemas, const cat_shape_t *shape)
{
    json_t *schema;

    switch (shape->kind) {
    case CAT_SHAPE_TEXT:
        schema = json_pack("{s:s}", "type", "string");
        cat_schema_add_rule(schema, shape->rule);
        return schema;
    case CAT_SHAPE_NUMBER:
        return json_pack("{s:s}", "type", "number");
    case CAT_SHAPE_WHOLE:
        return json_pack("{s:s, s:i}", "type", "integer", "minimum", 0);
    case CAT_SHAPE_FLAG:
        return json_pack("{s:s}", "type", "boolean");
    case CAT_SHAPE_TRUE:
    case CAT_SHAPE_FALSE:
        return json_pack("{s:s, s:b}", "type", "boolean", "const", shape->kind == CAT_SHAPE_TRUE);
    case CAT_SHAPE_TIME:
        return json_pack("{s:s, s:s}", "type", "string", "format", "date-time");
    case CAT_SHAPE_SCALAR:
        return json_pack("{s:[s, s, s]}", "type", "string", "number", "boolean");
    case CAT_SHAPE_ANY:
        return json_object();
    case CAT_SHAPE_LIST:
        return json_pack("{s:s, s:o}", "type", "array", "items", cat_schema_of_shape(schemas, shape->of));
    case CAT_SHAPE_MAP:
        return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                         cat_schema_of_shape(schemas, shape->of));
    default:
        return describe_object(schemas, shape);
    }
}

static json_t *make_record_example(const cat_shape_t *shape)
{
    json_t *example = json_object();

    for (int i = 0; i < shape->count; i++) {
        const cat_field_t *field = &shape->fields[i];
        int has_none = field->flags & CAT_OWN && !field->example;
        if (!(field->flags & CAT_SECRET) && !has_none) {
            json_object_set_new(example, field->name, cat_schema_field_example(field));
        }
    }
    return example;
}

/* Returns the example of a record, or of another shape that has one, otherwise NULL. Programs combine these into
 * examples of objects and lists. */
static json_t *make_example(const cat_shape_t *shape)
{
    if (shape->example) {
        return json_loads(shape->example, JSON_DECODE_ANY, NULL);
    }
    return shape->kind == CAT_SHAPE_RECORD ? make_record_example(shape) : NULL;
}

/* Puts the example into the schema, so that it is in the document once, however many answers have the schema. */
static json_t *describe_with_example(json_t *schemas, const cat_shape_t *shape)
{
    json_t *schema = describe_shape(schemas, shape), *example = make_example(shape);

    add_description(schema, shape->about);
    if (example) {
        json_object_set_new(schema, "examples", json_pack("[o]", example));
    }
    return schema;
}

json_t *cat_schema_of_shape(json_t *schemas, const cat_shape_t *shape)
{
    if (!shape->name) {
        return describe_with_example(schemas, shape);
    }
    if (!json_object_get(schemas, shape->name)) {
        json_object_set_new(schemas, shape->name, describe_with_example(schemas, shape));
    }
    return cat_schema_refer("schemas", shape->name);
}
