/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GET /fields: lists the fields of a product, first the built-in fields, then the fields of CatalogField. The response
 * is made from the field table that also checks and writes products. A member without a value is left out, and so is a
 * property that is not true:
 *
 *     {"name": "weight", "type": "number", "label": "Gross weight", "index": true, "min": 0}
 *
 * Pictures are left out, because a form has no input for them and they are the same in every shop. Readers do not see
 * private fields, because each request uses the field table of its user (catalogue/query/visible.h).
 */
#include "api/field_table.h"

#include <float.h>

#include "catalogue/lists.h"
#include "catalogue/store.h"
#include "http/answer.h"
#include "http/request.h"
#include "lib/json.h"
#include "lib/number.h"

#define FIELD_SIZE 128 /* Estimated bytes of one field's JSON. */

/* A field, and the configuration of the request. */
typedef struct row_t {
    const cat_conf_t *conf;
    int place; /* Index of the field in the field table. */
    const cat_field_t *field;
    const cat_own_field_t *own; /* Never NULL. All its members are NULL for a built-in field. */
} row_t;

/* ---- properties ---- */

static int is_id(const row_t *row)
{
    return row->place == CAT_PRODUCT_ID;
}

static int is_indexed(const row_t *row)
{
    return cat_query_conditions_has_index(row->conf, row->place);
}

static int is_searched(const row_t *row)
{
    return (row->place == CAT_PRODUCT_NAME || row->place == CAT_PRODUCT_CATEGORY) &&
           (!row->conf->index || *row->conf->index & CAT_INDEX_SEARCH);
}

static int is_facet(const row_t *row)
{
    const cat_field_set_t facets = cat_query_facets(row->conf);

    return cat_field_set_has(&facets, row->place);
}

/* THE PROPERTIES of a field that are true or absent, in the order of the response. A field has the property if it has
 * the flag, or if `has` returns true. */
static const struct {
    const char *name;
    int flag;                     /* Flag of cat_field_t. 0 if there is none. */
    int (*has)(const row_t *row); /* NULL if only the flag counts. */
} properties[] = {
    {"required", CAT_REQUIRED, NULL},      {"unique", CAT_UNIQUE, is_id},  {"index", 0, is_indexed},
    {"search", CAT_SEARCHED, is_searched}, {"facet", 0, is_facet},         {"detail", CAT_DETAIL, NULL},
    {"private", CAT_PRIVATE, NULL},        {"readOnly", CAT_SERVER, NULL},
};

#define PROPERTIES (sizeof(properties) / sizeof(properties[0]))

/* Leaves out the bounds of the id, because the length of an id is fixed. */
static int has_bounds(const row_t *row)
{
    const cat_own_type_t *type = row->own->type;

    return type ? type->lowest < type->highest
                : row->field->kind == CAT_NUMBER || (row->field->kind == CAT_STRING && row->place != CAT_PRODUCT_ID);
}

/* ---- JSON ---- */

static void add_text(cat_buffer_t *b, const char *name, const char *text)
{
    if (text) {
        cat_json_add_member(b, name, text);
    }
}

static void add_bound(cat_buffer_t *b, const char *name, const cat_field_t *field, double bound)
{
    if (cat_fields_has_measure(field->rule)) {
        cat_json_add_member(b, name, field->rule->form->write(b->pool, bound));
    } else {
        cat_buffer_add_text(b, name);
        cat_buffer_add_text(b, cat_number_format_real(b->pool, bound));
    }
}

static void add_bounds(cat_buffer_t *b, const row_t *row)
{
    const cat_field_t *field = row->field;

    if (has_bounds(row) && field->least > (field->kind == CAT_NUMBER ? -DBL_MAX : 0)) {
        add_bound(b, ",\"min\":", field, field->least);
    }
    if (has_bounds(row) && field->most < DBL_MAX) {
        add_bound(b, ",\"max\":", field, field->most);
    }
}

static void add_values(cat_buffer_t *b, const char *const *values)
{
    for (int i = 0; values && values[i]; i++) {
        cat_buffer_add_text(b, i ? "," : ",\"values\":[");
        cat_json_add_string(b, values[i]);
    }
    cat_buffer_add_text(b, values ? "]" : "");
}

static void add_field(cat_buffer_t *b, const row_t *row)
{
    static const char *const types[] = {[CAT_STRING] = "string", [CAT_NUMBER] = "number", [CAT_BOOLEAN] = "boolean",
                                        [CAT_TIME] = "time",     [CAT_LIST] = "strings",  [CAT_VALUE] = "json"};

    cat_json_add_member(b, "{\"name\":", row->field->name);
    cat_json_add_member(b, ",\"type\":", row->own->type ? row->own->type->name : types[row->field->kind]);
    add_text(b, ",\"label\":", row->own->label);
    add_text(b, ",\"help\":", row->own->type ? row->own->help : row->field->about);
    for (size_t i = 0; i < PROPERTIES; i++) {
        if (row->field->flags & properties[i].flag || (properties[i].has && properties[i].has(row))) {
            cat_buffer_add_text(b, ",\"");
            cat_buffer_add_text(b, properties[i].name);
            CAT_BUFFER_LITERAL(b, "\":true");
        }
    }
    add_bounds(b, row);
    add_text(b, ",\"pattern\":", row->own->pattern);
    add_values(b, row->own->values);
    if (row->field->absent) {
        CAT_BUFFER_LITERAL(b, ",\"default\":");
        cat_fields_write_value(b, row->field, row->field->absent);
    }
    CAT_BUFFER_LITERAL(b, "}");
}

cat_answer_t *cat_field_table_get(cat_request_t *q)
{
    static const cat_own_field_t built_in;
    const cat_fields_t *fields = cat_product_fields_of(q->conf);
    cat_answer_t *answer;
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, (apr_size_t)fields->count * FIELD_SIZE);
    for (int i = 0; i < fields->count; i++) {
        const cat_own_field_t *own = fields->own ? fields->own[i] : NULL;
        const row_t row = {q->conf, i, &fields->all[i], own ? own : &built_in};
        if (!(row.field->flags & CAT_IMAGES)) {
            cat_buffer_add_text(&b, i ? "," : "[");
            add_field(&b, &row);
        }
    }
    CAT_BUFFER_LITERAL(&b, "]");
    answer = cat_answer_success(q->pool, 200, &b, NULL);
    answer->tag = CAT_TAG_STRONG;
    return answer;
}

/* ---- description ---- */

static const cat_shape_t name = {.kind = CAT_SHAPE_TEXT, .example = "\"price\""};
static const cat_shape_t type = {.kind = CAT_SHAPE_TEXT, .example = "\"number\""};
static const cat_shape_t bound = {.kind = CAT_SHAPE_ANY, .example = "0"};
static const cat_shape_t any = {.kind = CAT_SHAPE_ANY, .example = "true"};
static const cat_shape_t texts = {.kind = CAT_SHAPE_LIST, .of = &cat_schema_text};
static const cat_member_t members[] = {
    {"name", &name, CAT_ALWAYS, "Its name in products"},
    {"type", &type, CAT_ALWAYS, "Its type, as `CatalogField` has it"},
    {"label", &cat_schema_text, CAT_RARELY, "What people call it"},
    {"help", &cat_schema_text, CAT_RARELY, "What it means, for people"},
    {"required", &cat_schema_flag, CAT_RARELY, "A product that is created must have it"},
    {"unique", &cat_schema_flag, CAT_RARELY, "No two products have the same value"},
    {"index", &cat_schema_flag, CAT_RARELY, "Lists can have conditions on it, and be ordered by it"},
    {"search", &cat_schema_flag, CAT_RARELY, "`q` finds its words"},
    {"facet", &cat_schema_flag, CAT_RARELY, "`facets` counts its values"},
    {"detail", &cat_schema_flag, CAT_RARELY, "Lists leave it out unless `fields` names it"},
    {"private", &cat_schema_flag, CAT_RARELY, "Only users who may write products see it"},
    {"readOnly", &cat_schema_flag, CAT_RARELY, "The server sets it"},
    {"min", &bound, CAT_USUALLY, "The least number, duration, or number of characters"},
    {"max", &bound, CAT_RARELY, "The greatest number, duration, or number of characters"},
    {"pattern", &cat_schema_text, CAT_RARELY, "The regular expression that a whole value must match"},
    {"values", &texts, CAT_RARELY, "The values of a `choice`, in their order"},
    {"default", &any, CAT_RARELY, "The value that a product without it is created with"},
    CAT_MEMBER_END,
};
static const cat_shape_t field = {.kind = CAT_SHAPE_OBJECT, .name = "Field", .members = members};
static const cat_shape_t list = {.kind = CAT_SHAPE_LIST, .of = &field};
static const cat_member_t list_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &list, CAT_ALWAYS, "The fields, first those of every catalogue"},
    CAT_MEMBER_END,
};
static const cat_shape_t shape = {.kind = CAT_SHAPE_OBJECT, .name = "FieldList", .members = list_members};

const cat_description_t cat_field_table_about = {
    .id = "listFields",
    .tag = "Products",
    .summary = "List the fields of a product",
    .status = 200,
    .answered = "The fields",
    .shape = &shape,
    .headers = CAT_HEADER_ETAG,
    .needs_no_database = 1,
};
