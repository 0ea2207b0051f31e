/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a body against a field table, and writes records as JSON.
 *
 * The check reports all faults of a body at once: first those of the table's fields, in the table's order, then members
 * that are not in the table. Each valid value becomes a text of the record, as the database stores it (lib/fields.h).
 *
 *     {"name": " ", "price": "x", "colour": "red"}
 *     name blank: must not be blank | price type: must be a number | colour: ignored, or unknown if strict
 */
#include "lib/fields.h"

#include <math.h>
#include <string.h>

#include <apr_strings.h>

#include "lib/json.h"
#include "lib/number.h"
#include "lib/opaque.h"
#include "lib/suggestion.h"
#include "lib/time.h"

const cat_field_fault_t cat_fields_no_fault = {NULL, NULL};

const cat_text_rule_t cat_fields_id = {
    .format = "uuid", .pattern = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$", .schema = "Id"};

const char *cat_fields_spell(apr_pool_t *pool, const cat_text_rule_t *rule, const char *text)
{
    return rule && rule->form && rule->form->spell ? rule->form->spell(pool, text) : text;
}

int cat_fields_has_measure(const cat_text_rule_t *rule)
{
    return rule && rule->form && rule->form->measure;
}

static apr_size_t count_characters(const char *text)
{
    apr_size_t count = 0;
    for (; *text; text++) {
        count += (*text & 0xc0) != 0x80; /* not a UTF-8 continuation byte */
    }
    return count;
}

static cat_field_fault_t refuse_bound(apr_pool_t *pool, const char *code, const char *words, double bound,
                                      const char *unit)
{
    const char *text = cat_number_format_real(pool, bound);
    const char *plural = *unit && bound != 1 ? "s" : "";
    return (cat_field_fault_t){code, apr_pstrcat(pool, "must ", words, " ", text, unit, plural, NULL)};
}

cat_field_fault_t cat_fields_check_length(apr_pool_t *pool, const cat_field_t *field, const char *text)
{
    double length = (double)count_characters(text);

    if (length < field->least) {
        return refuse_bound(pool, "too_short", "have at least", field->least, " character");
    }
    return length > field->most ? refuse_bound(pool, "too_long", "have at most", field->most, " character")
                                : cat_fields_no_fault;
}

static cat_field_fault_t check_measure(apr_pool_t *pool, const cat_field_t *field, const char *text)
{
    const cat_text_form_t *form = field->rule->form;
    double measure = form->measure(text);

    if (measure < field->least) {
        return (cat_field_fault_t){"too_small",
                                   apr_pstrcat(pool, "must be at least ", form->write(pool, field->least), NULL)};
    }
    return measure > field->most ? (cat_field_fault_t){"too_large", apr_pstrcat(pool, "must be at most ",
                                                                                form->write(pool, field->most), NULL)}
                                 : cat_fields_no_fault;
}

static cat_field_fault_t check_string(apr_pool_t *pool, const cat_field_t *field, const char *text)
{
    int has_measure = cat_fields_has_measure(field->rule);
    cat_field_fault_t fault = has_measure ? cat_fields_no_fault : cat_fields_check_length(pool, field, text);
    const char *message;

    if ((field->flags & CAT_VISIBLE) && *text && !text[strspn(text, " \t\n\v\f\r")]) {
        return (cat_field_fault_t){"blank", "must not be blank"};
    }
    message = !fault.code && field->rule && field->rule->refuse ? field->rule->refuse(field->rule, text) : NULL;
    if (message) {
        return (cat_field_fault_t){"format", message};
    }
    return has_measure ? check_measure(pool, field, text) : fault;
}

static cat_field_fault_t check_number(apr_pool_t *pool, const cat_field_t *field, double value)
{
    if (value < field->least) {
        return refuse_bound(pool, "too_small", "be at least", field->least, "");
    }
    if (value > field->most) {
        return refuse_bound(pool, "too_large", "be at most", field->most, "");
    }
    return cat_fields_no_fault;
}

/* Returns true if the value is a text such as "1,299", written with a comma as spreadsheets do in some languages. The
 * server does not guess whether the comma separates thousands or decimals. */
static int is_number_with_comma(const json_t *value)
{
    const char *text = json_string_value(value);

    return text && strchr(text, ',') && strpbrk(text, "0123456789") && !text[strspn(text, "+-0123456789.,' ")];
}

static cat_field_fault_t refuse_number(apr_pool_t *pool, const json_t *value)
{
    const char *inexact = cat_json_inexact(value);

    if (inexact) {
        return (cat_field_fault_t){"precision", cat_number_explain(pool, inexact)};
    }
    return (cat_field_fault_t){"type", is_number_with_comma(value)
                                           ? "must be a number with a decimal point and without a comma, such as 2.5"
                                           : "must be a number"};
}

static cat_field_fault_t read_string(apr_pool_t *pool, const cat_field_t *field, const json_t *value, const char **text)
{
    if (!json_is_string(value)) {
        return (cat_field_fault_t){"type", "must be a string"};
    }
    *text = apr_pstrdup(pool, json_string_value(value));
    if (field->flags & CAT_OPAQUE) {
        *text = cat_opaque_prepare(pool, *text);
    }
    *text = cat_fields_spell(pool, field->rule, *text);
    return check_string(pool, field, *text);
}

int cat_fields_is_whole(const json_t *value)
{
    return json_is_integer(value) || (json_is_real(value) && json_real_value(value) == floor(json_real_value(value)));
}

static cat_field_fault_t read_number(apr_pool_t *pool, const cat_field_t *field, const json_t *value, const char **text)
{
    if (!json_is_number(value)) {
        return refuse_number(pool, value);
    }
    if (field->flags & CAT_WHOLE && !cat_fields_is_whole(value)) {
        return (cat_field_fault_t){"type", "must be a whole number"};
    }
    *text = cat_number_format(pool, value);
    return check_number(pool, field, json_number_value(value));
}

static cat_field_fault_t read_boolean(const json_t *value, const char **text)
{
    if (!json_is_boolean(value)) {
        return (cat_field_fault_t){"type", "must be true or false"};
    }
    *text = json_is_true(value) ? "1" : "0";
    return cat_fields_no_fault;
}

static cat_field_fault_t read_time(apr_pool_t *pool, const json_t *value, const char **text)
{
    apr_int64_t milliseconds;

    if (!json_is_string(value)) {
        return (cat_field_fault_t){"type", "must be a string with a time, such as 2026-11-21T16:17:07Z"};
    }
    if (!cat_time_parse(json_string_value(value), &milliseconds)) {
        return (cat_field_fault_t){"format", "must be a time of RFC 3339 with its offset from UTC, such as "
                                             "2026-11-21T16:17:07.877Z"};
    }
    *text = cat_number_write(pool, milliseconds);
    return cat_fields_no_fault;
}

/* ---- lists ---- */

static cat_field_fault_t check_element(const json_t *list, size_t place)
{
    const json_t *element = json_array_get(list, place);
    apr_size_t length = json_is_string(element) ? count_characters(json_string_value(element)) : 0;

    if (!json_is_string(element)) {
        return (cat_field_fault_t){"type", "must be an array of strings"};
    }
    if (length == 0) {
        return (cat_field_fault_t){"too_short", "must have no empty string"};
    }
    if (length > CAT_FIELDS_LIST_TEXT_MAX) {
        return (cat_field_fault_t){
            "too_long", "must have strings of at most " APR_STRINGIFY(CAT_FIELDS_LIST_TEXT_MAX) " characters"};
    }
    for (size_t i = 0; i < place; i++) {
        if (json_equal(json_array_get(list, i), element)) {
            return (cat_field_fault_t){"duplicate", "must not have a string twice"};
        }
    }
    return cat_fields_no_fault;
}

static cat_field_fault_t read_list(apr_pool_t *pool, const json_t *value, const char **text)
{
    cat_field_fault_t fault = cat_fields_no_fault;
    cat_buffer_t b;

    if (!json_is_array(value)) {
        return (cat_field_fault_t){"type", "must be an array of strings"};
    }
    if (json_array_size(value) == 0) {
        return (cat_field_fault_t){"too_short", "must have at least one string"};
    }
    if (json_array_size(value) > CAT_FIELDS_LIST_MAX) {
        return (cat_field_fault_t){"too_many", "must have at most " APR_STRINGIFY(CAT_FIELDS_LIST_MAX) " strings"};
    }
    for (size_t i = 0; i < json_array_size(value) && !fault.code; i++) {
        fault = check_element(value, i);
    }
    cat_buffer_init(&b, pool, 64);
    cat_json_add_value(&b, value);
    *text = cat_buffer_text(&b);
    return fault;
}

/* ---- any JSON ---- */

static cat_field_fault_t read_json(apr_pool_t *pool, const json_t *value, const char **text)
{
    const char *inexact;
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    inexact = cat_json_add_value(&b, value);
    if (inexact) {
        return (cat_field_fault_t){"precision", cat_number_explain(pool, inexact)};
    }
    if (b.length > CAT_FIELDS_VALUE_MAX) {
        return (cat_field_fault_t){
            "too_long", "must have at most " APR_STRINGIFY(CAT_FIELDS_VALUE_MAX) " octets, as JSON without spaces"};
    }
    *text = cat_buffer_text(&b);
    return cat_fields_no_fault;
}

cat_field_fault_t cat_fields_read_value(apr_pool_t *pool, const cat_field_t *field, const json_t *value,
                                        const char **text)
{
    switch (field->kind) {
    case CAT_STRING:
        return read_string(pool, field, value, text);
    case CAT_NUMBER:
        return read_number(pool, field, value, text);
    case CAT_BOOLEAN:
        return read_boolean(value, text);
    case CAT_TIME:
        return read_time(pool, value, text);
    case CAT_LIST:
        return read_list(pool, value, text);
    case CAT_VALUE:
        break;
    }
    return read_json(pool, value, text);
}

/* Returns true if the value clears the field. A form sends "" or [] for a control that its user has left empty. */
static int is_nothing(const cat_field_t *field, const json_t *value)
{
    int is_free_text = field->kind == CAT_STRING && !field->rule && field->least <= 0;

    return json_is_null(value) || (field->flags & CAT_OWN && field->flags & CAT_CLEARABLE &&
                                   ((is_free_text && json_is_string(value) && json_string_length(value) == 0) ||
                                    (field->kind == CAT_LIST && json_is_array(value) && json_array_size(value) == 0)));
}

/* Checks the value of one field. `value` is NULL if the body does not have the member. */
static cat_field_fault_t check_field(apr_pool_t *pool, const cat_field_t *field, cat_purpose_t purpose,
                                     const json_t *value, const char **text, unsigned char *cleared)
{
    if (!value) {
        if (purpose == CAT_UPDATE) {
            return cat_fields_no_fault;
        }
        *text = field->absent;
        return field->flags & CAT_REQUIRED ? (cat_field_fault_t){"required", "is required"} : cat_fields_no_fault;
    }
    if (!is_nothing(field, value)) {
        return cat_fields_read_value(pool, field, value, text);
    }
    if (field->flags & CAT_CLEARABLE) {
        *cleared = purpose == CAT_UPDATE;
        *text = purpose == CAT_CREATE ? field->absent : NULL;
        return cat_fields_no_fault;
    }
    return (cat_field_fault_t){"null", "must not be null"};
}

static const char *name_of(const json_t *error)
{
    return json_string_value(json_object_get(error, "field"));
}

/* Returns the index of the field with this name. Returns input->count if no field has it. */
static int find_field(const cat_input_t *input, const char *name)
{
    int i = 0;

    while (i < input->count && strcmp(input->fields[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* Returns the names of the fields that a client may set, with NULL at the end, on the pool. */
static const char *const *list_names(apr_pool_t *pool, const cat_input_t *input)
{
    const char **names = apr_palloc(pool, ((apr_size_t)input->count + 1) * sizeof(*names));
    int count = 0;

    for (int i = 0; i < input->count; i++) {
        if (!(input->fields[i].flags & CAT_SERVER)) {
            names[count++] = input->fields[i].name;
        }
    }
    names[count] = NULL;
    return names;
}

static void check_unknown(apr_pool_t *pool, int strict, const json_t *body, cat_input_t *input)
{
    const char *const *names = NULL;
    const char *name;
    json_t *value;
    int unknown = 0;

    json_object_foreach ((json_t *)body, name, value) {
        if (find_field(input, name) < input->count) {
            continue;
        }
        if (++unknown > CAT_FIELDS_UNKNOWN_MAX) {
            return;
        }
        if (strict) {
            names = names ? names : list_names(pool, input);
            cat_fields_add_error(pool, input, name, "unknown",
                                 cat_suggestion_add(pool, "is not a known field", name, names));
        } else {
            APR_ARRAY_PUSH(input->ignored, const char *) = apr_pstrdup(pool, name);
        }
    }
}

void cat_fields_check(apr_pool_t *pool, const cat_field_t *fields, int count, cat_purpose_t purpose, int strict,
                      const json_t *body, cat_input_t *input)
{
    input->fields = fields;
    input->count = count;
    input->values = apr_pcalloc(pool, count * sizeof(*input->values));
    input->cleared = apr_pcalloc(pool, count * sizeof(*input->cleared));
    input->made = NULL;
    input->given = 0;
    input->patches = NULL;
    input->hidden = NULL;
    input->errors = NULL;
    input->ignored = apr_array_make(pool, 0, sizeof(const char *));

    if (!json_is_object(body)) {
        cat_fields_add_error(pool, input, "", "type", "must be a JSON object");
        return;
    }
    for (int i = 0; i < count; i++) {
        const json_t *value = json_object_get(body, fields[i].name);
        cat_field_fault_t fault;
        if (fields[i].flags & CAT_SERVER) {
            continue;
        }
        input->given += value != NULL;
        fault = check_field(pool, &fields[i], purpose, value, &input->values[i], &input->cleared[i]);
        if (fault.code) {
            cat_fields_add_error(pool, input, fields[i].name, fault.code, fault.message);
        }
    }
    check_unknown(pool, strict, body, input);
}

json_t *cat_fields_make_error(const char *field, const char *code, const char *message)
{
    return json_pack("{s:s, s:s, s:s}", "field", field, "code", code, "message", message);
}

void cat_fields_add_error(apr_pool_t *pool, cat_input_t *input, const char *field, const char *code,
                          const char *message)
{
    int row = find_field(input, field);
    size_t place;

    if (!input->errors) {
        input->errors = cat_json_own(pool, json_array());
    }
    place = json_array_size(input->errors);
    while (place > 0 && find_field(input, name_of(json_array_get(input->errors, place - 1))) > row) {
        place--;
    }
    json_array_insert_new(input->errors, place, cat_fields_make_error(field, code, message));
}

const char *cat_fields_summary(apr_pool_t *pool, const json_t *errors)
{
    cat_buffer_t b;
    size_t i;
    json_t *error;

    cat_buffer_init(&b, pool, 256);
    json_array_foreach (errors, i, error) {
        const char *field = name_of(error);
        cat_buffer_add_text(&b, i ? "; " : "");
        cat_buffer_add_text(&b, *field ? field : "the body");
        cat_buffer_add_text(&b, " ");
        cat_buffer_add_text(&b, json_string_value(json_object_get(error, "message")));
    }
    return cat_buffer_text(&b);
}

static void add_time(cat_buffer_t *b, const char *milliseconds)
{
    char text[CAT_TIME_LENGTH + 1];
    apr_int64_t time = 0;

    cat_number_parse_integer(milliseconds, &time);
    cat_time_format(text, time);
    CAT_BUFFER_LITERAL(b, "\"");
    cat_buffer_add(b, text, CAT_TIME_LENGTH);
    CAT_BUFFER_LITERAL(b, "\"");
}

static void add_value(cat_buffer_t *b, const cat_field_t *field, const char *value)
{
    switch (field->kind) {
    case CAT_STRING:
        if (field->flags & CAT_EMBEDDED) {
            cat_buffer_add_text(b, value);
        } else {
            cat_json_add_string(b, value);
        }
        break;
    case CAT_VALUE:
        if (field->rule && field->rule->write) {
            field->rule->write(field->rule, b, value);
            break;
        } /* fall through */
    case CAT_NUMBER:
    case CAT_LIST:
        cat_buffer_add_text(b, value);
        break;
    case CAT_BOOLEAN:
        cat_buffer_add_text(b, *value == '1' ? "true" : "false");
        break;
    case CAT_TIME:
        add_time(b, value);
        break;
    }
}

void cat_fields_write_value(cat_buffer_t *b, const cat_field_t *field, const char *value)
{
    add_value(b, field, value);
}

const char *cat_fields_value_text(apr_pool_t *pool, const cat_field_t *field, const char *value)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    add_value(&b, field, value);
    return cat_buffer_text(&b);
}

void cat_fields_write(cat_buffer_t *b, const cat_field_t *fields, int count, const char *const *values)
{
    char before = '{';

    for (int i = 0; i < count; i++) {
        if ((!values[i] && !(fields[i].flags & CAT_NULLABLE)) || fields[i].flags & CAT_SECRET) {
            continue;
        }
        cat_buffer_add(b, &before, 1);
        CAT_BUFFER_LITERAL(b, "\""); /* names need no escapes */
        cat_buffer_add_text(b, fields[i].name);
        CAT_BUFFER_LITERAL(b, "\":");
        if (values[i]) {
            add_value(b, &fields[i], values[i]);
        } else {
            CAT_BUFFER_LITERAL(b, "null");
        }
        before = ',';
    }
    if (before == '{') {
        CAT_BUFFER_LITERAL(b, "{");
    }
    CAT_BUFFER_LITERAL(b, "}");
}
