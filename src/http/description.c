/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Common parts of the handlers' descriptions for /openapi.json: the bodies of simple successes and of failures,
 * parameters, and schemas.
 *
 * Each query parameter is a component of the document, named after the group of its route: "price[gte]" of a list of
 * products is "products.price.gte". If an equal component exists already, the parameter refers to that component, so
 * each is in the document once.
 */
#include "http/description.h"

#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

static const cat_member_t done[] = {CAT_MEMBER_SUCCESS, CAT_MEMBER_MESSAGE, CAT_MEMBER_END};
const cat_shape_t cat_description_done = {.kind = CAT_SHAPE_OBJECT, .name = "Done", .members = done};

static const char *const codes[] = {
#define CODE(name) name,
#include "http/field_errors.def"
    NULL};
static const cat_text_rule_t code_rule = {.words = codes};
static const cat_shape_t code = {.kind = CAT_SHAPE_TEXT, .rule = &code_rule};
static const cat_member_t error[] = {
    {"field", &cat_schema_text, CAT_ALWAYS, "The field or the parameter; empty for the body as a whole"},
    {"code", &code, CAT_ALWAYS, "What is wrong with it, for programs"},
    {"message", &cat_schema_text, CAT_ALWAYS, "What is wrong with it, for people, to be read after the field's name"},
    {"id", &cat_schema_text, CAT_RARELY, "The product, in a change of all products that match"},
    {"row", &cat_schema_whole, CAT_RARELY, "The row of the file, in an import"},
    {"line", &cat_schema_whole, CAT_RARELY, "The line of the body on which the row begins, in an import"},
    {"begin", &cat_schema_whole, CAT_RARELY, "The byte of the body at which the row begins, in an import in parts"},
    {"end", &cat_schema_whole, CAT_RARELY,
     "The byte after the row, in an import in parts; absent if the rest cannot be read"},
    CAT_MEMBER_END,
};
static const cat_shape_t one_error = {.kind = CAT_SHAPE_OBJECT, .name = "FieldError", .members = error};
const cat_shape_t cat_description_errors = {.kind = CAT_SHAPE_LIST, .of = &one_error};

static const cat_member_t problem[] = {CAT_DESCRIPTION_PROBLEM, CAT_MEMBER_END};
const cat_shape_t cat_description_problem = {.kind = CAT_SHAPE_OBJECT, .name = "Problem", .members = problem};

/* Returns the name of a parameter's component, such as "products.price.gte" for "price[gte]". */
static const char *name_component(const cat_describer_t *d, const char *name)
{
    char *component = apr_pstrcat(d->pool, d->group, ".", name, NULL), *end = component;

    for (const char *at = component; *at; at++) {
        if (*at != ']') {
            *end++ = *at == '[' ? '.' : *at;
        }
    }
    *end = '\0';
    return component;
}

/* Returns the name of the component that equals the parameter. If there is none, adds the parameter under its own name,
 * followed by a number if another route has a different parameter with this name. */
static const char *share_parameter(const cat_describer_t *d, const char *own_name, json_t *parameter)
{
    json_t *components = d->components;
    const char *other, *name = own_name;
    const json_t *component;

    json_object_foreach (components, other, component) {
        if (json_equal(component, parameter)) {
            json_decref(parameter);
            return other;
        }
    }
    for (int i = 2; json_object_get(components, name); i++) {
        name = apr_psprintf(d->pool, "%s.%d", own_name, i);
    }
    json_object_set_new(components, name, parameter);
    return name;
}

void cat_description_add_parameter(cat_describer_t *d, const char *name, const char *about, json_t *schema,
                                   json_t *example)
{
    const char *component = name_component(d, name), *type = json_string_value(json_object_get(schema, "type"));
    json_t *parameter = json_pack("{s:s, s:s, s:o, s:o}", "name", name, "in", "query", "description",
                                  json_sprintf("%s.", about), "schema", schema);

    if (type && !strcmp(type, "array")) {
        json_object_set_new(parameter, "explode", json_true());
    }
    if (example) {
        json_object_set_new(parameter, "example", example);
    }
    if (d->is_required) {
        json_object_set_new(parameter, "required", json_true());
        d->is_required = 0;
    }
    json_array_append_new(d->parameters, cat_schema_refer("parameters", share_parameter(d, component, parameter)));
}

json_t *cat_description_words(const char *const *words, int chosen)
{
    json_t *schema = json_pack("{s:s}", "type", "string");

    cat_schema_add_rule(schema, &(cat_text_rule_t){.words = words});
    if (chosen >= 0) {
        json_object_set_new(schema, "default", json_string(words[chosen]));
    }
    return schema;
}

json_t *cat_description_add_schema(cat_describer_t *d, const char *name, json_t *schema)
{
    if (!json_object_get(d->schemas, name)) {
        json_object_set(d->schemas, name, schema);
    }
    json_decref(schema);
    return cat_schema_refer("schemas", name);
}
