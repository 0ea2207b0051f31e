/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses conditions, such as `category=tea` and `price[gte]=5`, and writes them in their canonical spelling.
 *
 * The name before the brackets is a field, and the name in them an operator. Which operators a field has follows from its
 * row in the field table (db/dialects/product.def) and from the operator table below: `price[prefix]` is refused because price is
 * a number. A value is read as its field's kind, and kept as the database compares it:
 *
 *     price[gte]=5            field price, CAT_GTE, the bits of 5.0
 *     name[prefix]=Kettle     field name, CAT_PREFIX, "kettle", folded
 *     category[in]=tea,mugs   field category, CAT_IN, "mugs", "tea": sorted, each once
 *     tags[all]=red,steel     field tags, a list: CAT_ALL, elements
 *
 * Conditions are kept in the order of field and operator, whatever the order in the query string.
 */
#include "catalogue/query/query_conditions.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/product/own_field.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/query/field_list.h"
#include "lib/fold.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/time.h"

/* ---- the operators ---- */

#define EXACTLY "; texts are compared exactly"
#define FOLDED "; texts are compared folded"

/* THE OPERATOR TABLE: the name in brackets, and what it says of a field, after its name: of texts in addition, of a list, and of others. */
static const struct operator_row_t {
    const char *name, *of_text, *of_list, *about;
} operators[] = {
    [CAT_EQ] = {"", EXACTLY, "has this value", "is this value"},
    [CAT_NE] = {"ne", EXACTLY, NULL, "is set, and is another value"},
    [CAT_EXISTS] = {"exists", NULL, "is set, or, with `false`, is not", "is set, or, with `false`, is not"},
    [CAT_LT] = {"lt", FOLDED, NULL, "comes before this value"},
    [CAT_LTE] = {"lte", FOLDED, NULL, "is this value, or comes before it"},
    [CAT_GT] = {"gt", FOLDED, NULL, "comes after this value"},
    [CAT_GTE] = {"gte", FOLDED, NULL, "is this value, or comes after it"},
    [CAT_IN] = {"in", EXACTLY, "has one of these values, of which one at least is not empty",
                "is one of these values, of which one at least is not empty"},
    [CAT_PREFIX] = {"prefix", NULL, NULL, "begins with this text, without regard to case and accents"},
    [CAT_ALL] = {"all", NULL, "has all of these values, of which one at least is not empty", NULL},
};

#define OPERATORS ((int)(sizeof(operators) / sizeof(operators[0])))

/* The id is a text that has no order and no parts. */
static int has_operator(const cat_fields_t *fields, int field, int op)
{
    static const unsigned by_kind[] = {
        [CAT_STRING] = CAT_OPERATORS_TEXT, [CAT_NUMBER] = CAT_OPERATORS_ORDER, [CAT_BOOLEAN] = CAT_OPERATORS_SAME,
        [CAT_TIME] = CAT_OPERATORS_ORDER,  [CAT_LIST] = CAT_OPERATORS_LIST,    [CAT_VALUE] = CAT_OPERATORS_NONE};
    const cat_field_t *row = &fields->all[field];
    unsigned has = row->flags & CAT_OWN      ? fields->own[field]->type->operators
                   : field == CAT_PRODUCT_ID ? CAT_OPERATORS_SAME
                                             : by_kind[row->kind];

    has |= row->flags & (CAT_CLEARABLE | CAT_OWN) ? CAT_OPERATOR(CAT_EXISTS) : 0;
    return (has & CAT_OPERATOR(op)) != 0;
}

/* "must have one of the operators ne, lt", or "must have the operator in": those in brackets. */
static const char *name_operators(apr_pool_t *pool, const cat_fields_t *fields, int field)
{
    const char *names = "";
    int count = 0;

    for (int op = CAT_NE; op < OPERATORS; op++) {
        if (has_operator(fields, field, op)) {
            names = apr_pstrcat(pool, names, count++ ? ", " : "", operators[op].name, NULL);
        }
    }
    if (!count) { /* pictures */
        return "has no conditions";
    }
    return apr_pstrcat(pool, count == 1 ? "must have the operator " : "must have one of the operators ", names, NULL);
}

int cat_query_conditions_has_index(const cat_conf_t *conf, int field)
{
    return field < CAT_PRODUCT_FIELDS ? !(cat_product_keys_part(field) & ~(conf->index ? *conf->index : CAT_INDEX_ALL))
                                      : (cat_product_fields_of(conf)->all[field].flags & CAT_INDEXED) != 0;
}

/* ---- a value ---- */

static cat_field_fault_t read_text(apr_pool_t *pool, const cat_field_t *field, const char *text,
                                   cat_query_value_t *value)
{
    value->text = text;
    value->folded = cat_fold_text(pool, text);
    return cat_fields_check_length(pool, field, text);
}

static double longest_text(const cat_field_t *field)
{
    return field->kind == CAT_LIST ? CAT_FIELDS_LIST_TEXT_MAX : cat_own_field_widen(field).most;
}

/* A product may have a text that its line does not allow any more, and a short text may begin others. */
static cat_field_fault_t read_own_text(apr_pool_t *pool, const cat_field_t *field, int op, const char *text,
                                       cat_query_value_t *value)
{
    const cat_field_t longest = {.most = longest_text(field)};
    int has_words = field->rule && field->rule->words;
    const cat_text_form_t *form = field->rule ? field->rule->form : NULL;
    const char *message = form && form->is_compared && op != CAT_PREFIX ? form->refuse(text) : NULL;

    text = !message && form && form->write ? form->write(pool, form->measure(text))
                                           : cat_fields_spell(pool, field->rule, text);
    value->text = text;
    value->folded = has_words || field->kind == CAT_LIST ? NULL : cat_fold_text(pool, text);
    return message ? (cat_field_fault_t){"format", message} : cat_fields_check_length(pool, &longest, text);
}

static cat_field_fault_t read_number(apr_pool_t *pool, const char *text, cat_query_value_t *value)
{
    double number;

    if (!cat_number_parse_real(text, &number)) {
        return (cat_field_fault_t){"type", "must be a number"};
    }
    if (!cat_number_is_exact(pool, text, strlen(text))) {
        return (cat_field_fault_t){"precision", cat_number_explain(pool, text)};
    }
    value->text = cat_number_format_real(pool, number);
    if (number < 0) {
        value->key = CAT_QUERY_BELOW_ALL;
    } else {
        memcpy(&value->key, &number, sizeof(value->key));
    }
    return cat_fields_no_fault;
}

static cat_field_fault_t read_boolean(const char *text, cat_query_value_t *value)
{
    value->key = strcmp(text, "true") == 0;
    value->text = value->key ? "1" : "0";
    return value->key || strcmp(text, "false") == 0 ? cat_fields_no_fault
                                                    : (cat_field_fault_t){"type", "must be true or false"};
}

static cat_field_fault_t read_time(apr_pool_t *pool, const char *text, cat_query_value_t *value)
{
    if (!cat_time_parse(text, &value->key)) {
        return (cat_field_fault_t){"format", "must be a time such as 2026-11-21T09:30:00.000Z"};
    }
    value->text = apr_off_t_toa(pool, value->key);
    return cat_fields_no_fault;
}

static cat_field_fault_t read_value(apr_pool_t *pool, const cat_field_t *row, int op, const char *text,
                                    cat_query_value_t *value)
{
    if (op == CAT_EXISTS) {
        return read_boolean(text, value);
    }
    if (row->rule == &cat_fields_id) {
        value->text = cat_id_fold(pool, text);
        return cat_id_check(value->text) ? cat_fields_no_fault
                                         : (cat_field_fault_t){"format", "must be the id of a product"};
    }
    switch (row->kind) {
    case CAT_NUMBER:
        return read_number(pool, text, value);
    case CAT_BOOLEAN:
        return read_boolean(text, value);
    case CAT_TIME:
        return read_time(pool, text, value);
    case CAT_STRING:
    case CAT_LIST:
    case CAT_VALUE:
        break;
    }
    return row->flags & CAT_OWN ? read_own_text(pool, row, op, text, value) : read_text(pool, row, text, value);
}

/* ---- the values of a condition ---- */

static int compare_values(const void *one, const void *other)
{
    return strcmp(((const cat_query_value_t *)one)->text, ((const cat_query_value_t *)other)->text);
}

/* In ascending order, each once. */
static int sort_values(cat_query_value_t *values, int count)
{
    int kept = 1;

    qsort(values, (size_t)count, sizeof(*values), compare_values);
    for (int i = 1; i < count; i++) {
        if (compare_values(&values[kept - 1], &values[i]) != 0) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

static const cat_field_fault_t bad_encoding = {"encoding", "must be percent-encoded UTF-8"};

/* Returns true if all values are empty. A program that joins an empty list sends an empty text, which does not ask for the products whose value is
 * empty. */
static int is_empty_list(const apr_array_header_t *items)
{
    for (int i = 0; i < items->nelts; i++) {
        const char *text = APR_ARRAY_IDX(items, i, const char *);
        if (!text || *text) {
            return 0;
        }
    }
    return 1;
}

static cat_field_fault_t read_items(apr_pool_t *pool, const cat_field_t *field, cat_query_condition_t *condition,
                                    const apr_array_header_t *items)
{
    cat_query_value_t *values = apr_pcalloc(pool, (apr_size_t)items->nelts * sizeof(*values));

    if (is_empty_list(items)) {
        return (cat_field_fault_t){"too_short", "must have at least one value"};
    }
    for (int i = 0; i < items->nelts; i++) {
        const char *text = APR_ARRAY_IDX(items, i, const char *);
        cat_field_fault_t fault =
            i == CAT_QUERY_VALUES_MAX
                ? (cat_field_fault_t){"too_many", "must have at most " APR_STRINGIFY(CAT_QUERY_VALUES_MAX) " values"}
            : text ? read_value(pool, field, condition->op, text, &values[i])
                   : bad_encoding;
        if (fault.code) {
            return fault;
        }
    }
    condition->count = sort_values(values, items->nelts);
    condition->values = values;
    return cat_fields_no_fault;
}

static cat_field_fault_t read_single(apr_pool_t *pool, const cat_field_t *field, cat_query_condition_t *condition,
                                     const char *text)
{
    cat_query_value_t *value = apr_pcalloc(pool, sizeof(*value));
    cat_field_fault_t fault = read_value(pool, field, condition->op, text, value);

    if (!fault.code && condition->op == CAT_PREFIX && !*value->folded) {
        return (cat_field_fault_t){"too_short", "must have at least 1 character"};
    }
    condition->count = 1;
    condition->values = value;
    return fault;
}

static int takes_list(int op)
{
    return op == CAT_IN || op == CAT_ALL;
}

/* ---- the name of a condition ---- */

/* "price[gte]" */
static const char *write_name(apr_pool_t *pool, const char *name, int op)
{
    return op == CAT_EQ ? name : apr_pstrcat(pool, name, "[", operators[op].name, "]", NULL);
}

/* brackets: "[gte]", or "[in][]" of a list. OPERATORS: the field has none of the name. */
static int find_operator(const cat_fields_t *fields, int field, const char *brackets)
{
    for (int op = CAT_NE; op < OPERATORS; op++) {
        apr_size_t length = strlen(operators[op].name);
        const char *end = brackets + 1 + length;
        if (strncmp(brackets + 1, operators[op].name, length) == 0 && has_operator(fields, field, op) &&
            (strcmp(end, "]") == 0 || (takes_list(op) && strcmp(end, "][]") == 0))) {
            return op;
        }
    }
    return OPERATORS;
}

/* ---- a condition ---- */

int cat_query_conditions_compare(const void *one, const void *other)
{
    const cat_query_condition_t *a = one, *b = other;

    return a->field != b->field ? a->field - b->field : (int)a->op - (int)b->op;
}

static void insert_condition(cat_query_conditions_t *conditions, apr_pool_t *pool,
                             const cat_query_condition_t *condition)
{
    int at = conditions->count++;

    if (!conditions->all) {
        conditions->all = apr_palloc(pool, CAT_QUERY_CONDITIONS_MAX * sizeof(*conditions->all));
    }
    for (; at > 0 && cat_query_conditions_compare(&conditions->all[at - 1], condition) > 0; at--) {
        conditions->all[at] = conditions->all[at - 1];
    }
    conditions->all[at] = *condition;
}

/* 0: there is such a condition already. That of a list has read all its values. */
static int note_sent(cat_query_conditions_t *conditions, cat_parameters_t *p, const char *name,
                     const cat_query_condition_t *condition)
{
    unsigned bit = 1U << condition->op;

    if (!(conditions->sent[condition->field] & bit)) {
        conditions->sent[condition->field] |= bit;
        return 1;
    }
    if (!takes_list(condition->op) && !(conditions->repeated[condition->field] & bit)) {
        conditions->repeated[condition->field] |= bit;
        cat_parameters_add_repeated(p, name);
    }
    return 0;
}

static void take_condition(cat_query_conditions_t *conditions, cat_parameters_t *p, const cat_field_t *field,
                           const cat_parameter_t *parameter, cat_query_condition_t *condition)
{
    const char *name = write_name(p->pool, field->name, condition->op);
    cat_field_fault_t fault;

    if (!note_sent(conditions, p, name, condition)) {
        return;
    }
    if (conditions->taken++ == CAT_QUERY_CONDITIONS_MAX) {
        cat_parameters_add_error(
            p, name, "too_many",
            "is one too many: at most " APR_STRINGIFY(CAT_QUERY_CONDITIONS_MAX) " conditions are allowed");
    }
    if (conditions->taken > CAT_QUERY_CONDITIONS_MAX) {
        return;
    }
    fault = takes_list(condition->op) ? read_items(p->pool, field, condition, cat_parameters_list(p, name, parameter))
            : parameter->value        ? read_single(p->pool, field, condition, parameter->value)
                                      : bad_encoding;
    if (fault.code) {
        cat_parameters_add_error(p, name, fault.code, fault.message);
    } else {
        insert_condition(conditions, p->pool, condition);
    }
}

/* Each of them is named, up to a number that no condition well meant exceeds. */
static void refuse_name(cat_query_conditions_t *conditions, cat_parameters_t *p, const char *name, const char *code,
                        const char *message)
{
    if (conditions->refused++ < CAT_FIELDS_UNKNOWN_MAX) {
        cat_parameters_add_error(p, name, code, message);
    }
}

int cat_query_conditions_take(cat_query_conditions_t *conditions, cat_parameters_t *p, const cat_conf_t *conf,
                              const cat_parameter_t *parameter)
{
    const cat_fields_t *fields = cat_product_fields_of(conf);
    const char *brackets = strchr(parameter->name, '[');
    apr_size_t length = brackets ? (apr_size_t)(brackets - parameter->name) : strlen(parameter->name);
    cat_query_condition_t condition = {.field = cat_field_list_find(fields, parameter->name, length)};
    int op = CAT_EQ;

    if (condition.field == fields->count) {
        if (brackets) {
            refuse_name(conditions, p, parameter->name, "unknown", "is not a condition on a known field");
        }
        return brackets != NULL;
    }
    if (brackets && (op = find_operator(fields, condition.field, brackets)) == OPERATORS) {
        refuse_name(conditions, p, parameter->name, "operator", name_operators(p->pool, fields, condition.field));
        return 1;
    }
    if (!cat_query_conditions_has_index(conf, condition.field)) {
        refuse_name(conditions, p, parameter->name, "no_index",
                    "is not available: this server has no index for the field");
        return 1;
    }
    condition.op = (cat_operator_t)op;
    take_condition(conditions, p, &fields->all[condition.field], parameter, &condition);
    return 1;
}

/* ---- the canonical spelling ---- */

/* What cat_parameters_list reads as the text. */
static const char *escape_item(apr_pool_t *pool, const char *text)
{
    char *escaped = apr_palloc(pool, 2 * strlen(text) + 1), *end = escaped;

    for (; *text; text++) {
        if (*text == ',' || *text == '\\') {
            *end++ = '\\';
        }
        *end++ = *text;
    }
    *end = '\0';
    return escaped;
}

static void write_value(cat_buffer_t *b, const cat_field_t *field, const cat_query_condition_t *condition,
                        const cat_query_value_t *value)
{
    cat_kind_t kind = condition->op == CAT_EXISTS ? CAT_BOOLEAN : field->kind;
    char time[CAT_TIME_LENGTH + 1];

    switch (kind) {
    case CAT_BOOLEAN:
        cat_buffer_add_text(b, value->key ? "true" : "false");
        return;
    case CAT_TIME:
        cat_time_format(time, value->key);
        cat_parameters_write(b, time);
        return;
    case CAT_STRING:
    case CAT_NUMBER:
    case CAT_LIST:
    case CAT_VALUE:
        break;
    }
    cat_parameters_write(b, takes_list(condition->op) ? escape_item(b->pool, value->text) : value->text);
}

static void write_condition(cat_buffer_t *b, const cat_field_t *field, const cat_query_condition_t *condition)
{
    CAT_BUFFER_LITERAL(b, "&");
    cat_buffer_add_text(b, field->name);
    if (condition->op != CAT_EQ) {
        CAT_BUFFER_LITERAL(b, "%5B");
        cat_buffer_add_text(b, operators[condition->op].name);
        CAT_BUFFER_LITERAL(b, "%5D");
    }
    CAT_BUFFER_LITERAL(b, "=");
    for (int i = 0; i < condition->count; i++) {
        cat_buffer_add_text(b, i ? "," : "");
        write_value(b, field, condition, &condition->values[i]);
    }
}

void cat_query_conditions_write(cat_buffer_t *b, const cat_fields_t *fields, const cat_query_condition_t *conditions,
                                int count)
{
    for (int i = 0; i < count; i++) {
        write_condition(b, &fields->all[conditions[i].field], &conditions[i]);
    }
}

/* ---- the description ---- */

static int is_own_text(const cat_field_t *row)
{
    return row->flags & CAT_OWN && (row->kind == CAT_LIST || row->kind == CAT_STRING);
}

/* A condition may compare with a value that no product has, as long as it is of the field's kind. */
static json_t *describe_value(const cat_field_t *row, int op)
{
    json_t *schema;

    if (op == CAT_EXISTS) {
        return json_pack("{s:s}", "type", "boolean");
    }
    if (row->kind == CAT_NUMBER) {
        return json_pack("{s:s}", "type", "number");
    }
    if (is_own_text(row)) {
        return json_pack("{s:s, s:i, s:i}", "type", "string", "minLength", op == CAT_PREFIX, "maxLength",
                         (int)longest_text(row));
    }
    schema = cat_schema_of_value(row);
    if (row->flags & CAT_VISIBLE) {
        json_object_del(schema, "pattern");
    }
    if (op == CAT_PREFIX) {
        json_object_set_new(schema, "minLength", json_integer(1));
    }
    return schema;
}

static json_t *give_example(const cat_field_t *row, int op)
{
    json_t *example = op == CAT_EXISTS ? json_true() : cat_schema_field_example(row), *list = example;

    if (json_is_array(list)) {
        example = json_incref(json_array_get(list, 0));
        json_decref(list);
    }
    return example;
}

static const char *explain_operator(apr_pool_t *pool, const cat_field_t *row, int op)
{
    const struct operator_row_t *o = &operators[op];
    int is_text = (row->kind == CAT_STRING && !cat_fields_has_measure(row->rule)) || row->kind == CAT_LIST;
    const char *of_text = is_text ? o->of_text : NULL;

    return apr_pstrcat(pool, "`", row->name, "` ", row->kind == CAT_LIST ? o->of_list : o->about, of_text, NULL);
}

static void describe_condition(cat_describer_t *d, const cat_field_t *row, int op)
{
    json_t *schema = describe_value(row, op), *example = give_example(row, op);

    if (takes_list(op)) {
        schema = json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", schema, "minItems", 1, "maxItems",
                           CAT_QUERY_VALUES_MAX);
        example = json_pack("[o]", example);
    }
    cat_description_add_parameter(d, write_name(d->pool, row->name, op), explain_operator(d->pool, row, op), schema,
                                  example);
}

void cat_query_conditions_describe(cat_describer_t *d)
{
    const cat_fields_t *fields = cat_product_fields_of(d->conf);

    for (int field = 0; field < fields->count; field++) {
        for (int op = 0; op < OPERATORS && cat_query_conditions_has_index(d->conf, field); op++) {
            if (has_operator(fields, field, op)) {
                describe_condition(d, &fields->all[field], op);
            }
        }
    }
}
