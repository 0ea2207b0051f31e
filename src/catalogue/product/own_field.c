/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of CatalogField becomes a row of the field table: what checks, stores and describes the built-in fields does the same for it.
 *
 *     weight number index min=0 label="Gross weight"
 *     name   type   options
 *
 * THE TYPE TABLE says of each type how its values look in JSON, its bounds, how its values are compared, and its options. A new type is a
 * row there, and a file with the form of its texts if it has one.
 *
 * The options are collected before any is applied, so their order does not matter: a default is checked against the bounds, the values
 * and the pattern by the check that the values of clients go through.
 */
#include "catalogue/product/own_field.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "catalogue/product/own_rule.h"
#include "catalogue/product/product.h"
#include "lib/buffer.h"
#include "lib/json.h"
#include "lib/list_text.h"
#include "lib/number.h"
#include "lib/option.h"
#include "lib/text.h"

#define NAME_MAX_LENGTH 40
#define STRING_MAX 1000
#define TEXT_MAX 30000
#define CHOICE_MAX 100 /* characters */
#define LABEL_MAX 100
#define HELP_MAX 500

/* ---- the options ---- */

enum {
    REQUIRED,
    DEFAULT,
    MIN,
    MAX,
    PATTERN,
    VALUES,
    UNIQUE,
    INDEX,
    SEARCH,
    FACET,
    DETAIL,
    PRIVATE,
    FROM,
    BY,
    LABEL,
    HELP,
    OPTIONS
};

/* THE OPTION TABLE. */
static const struct {
    const char *name;
    int flags; /* of cat_field_t; 0: the option has a value */
} options[OPTIONS] = {
    [REQUIRED] = {"required", CAT_REQUIRED},
    [DEFAULT] = {"default=", 0},
    [MIN] = {"min=", 0},
    [MAX] = {"max=", 0},
    [PATTERN] = {"pattern=", 0},
    [VALUES] = {"values=", 0},
    [UNIQUE] = {"unique", CAT_UNIQUE | CAT_INDEXED},
    [INDEX] = {"index", CAT_INDEXED},
    [SEARCH] = {"search", CAT_SEARCHED},
    [FACET] = {"facet", CAT_FACET | CAT_INDEXED},
    [DETAIL] = {"detail", CAT_DETAIL},
    [PRIVATE] = {"private", CAT_PRIVATE},
    [FROM] = {"from=", 0},
    [BY] = {"by=", 0},
    [LABEL] = {"label=", 0},
    [HELP] = {"help=", 0},
};

#define O(option) (1u << (option))
#define SHOWN (O(DETAIL) | O(PRIVATE) | O(LABEL) | O(HELP))
#define INPUT (SHOWN | O(REQUIRED) | O(DEFAULT))
#define BOUNDS (O(MIN) | O(MAX))
#define KEYED (O(INDEX) | O(UNIQUE))

/* ---- the types ---- */

#define PRESET_MAX 3000 /* longest " default=" of a definition, in bytes */

#define SAFE ((double)CAT_NUMBER_SAFE_MAX)

/* THE TYPE TABLE. */
/* clang-format off */
static const cat_own_type_t types[] = {
    /*name        kind         flags          least     most     lowest    highest     form
        operators, options, example */
    {"string",   CAT_STRING,  0,             0,        200,     0,        STRING_MAX, NULL,
        CAT_OPERATORS_TEXT, INPUT | BOUNDS | KEYED | O(PATTERN) | O(SEARCH) | O(FACET) | O(FROM) | O(BY), "text"},
    {"text",     CAT_STRING,  0,             0,        5000,    0,        TEXT_MAX,   NULL,
        CAT_OPERATORS_TEXT, INPUT | BOUNDS | O(PATTERN) | O(SEARCH), "text"},
    {"url",      CAT_STRING,  0,             0,        STRING_MAX, 0,     STRING_MAX, &cat_own_url,
        CAT_OPERATORS_TEXT, INPUT | BOUNDS | KEYED | O(PATTERN) | O(FACET), "https://shop.example.com/"},
    {"number",   CAT_NUMBER,  0,             -DBL_MAX, DBL_MAX, -DBL_MAX, DBL_MAX,    NULL,
        CAT_OPERATORS_ORDER, INPUT | BOUNDS | KEYED, "2.5"},
    {"integer",  CAT_NUMBER,  CAT_WHOLE,     -SAFE,    SAFE,    -SAFE,    SAFE,       NULL,
        CAT_OPERATORS_ORDER, INPUT | BOUNDS | KEYED | O(FACET) | O(BY), "3"},
    {"boolean",  CAT_BOOLEAN, 0,             0,        0,       0,        0,          NULL,
        CAT_OPERATORS_SAME, INPUT | O(INDEX) | O(FACET), "true"},
    {"choice",   CAT_STRING,  0,             0,        CHOICE_MAX, 0,     0,          NULL,
        CAT_OPERATORS_WORDS, INPUT | KEYED | O(VALUES) | O(SEARCH) | O(FACET), NULL},
    {"time",     CAT_TIME,    0,             0,        0,       0,        0,          NULL,
        CAT_OPERATORS_ORDER, INPUT | KEYED, "2026-11-21T16:17:07.877Z"},
    {"date",     CAT_STRING,  0,             0,        CHOICE_MAX, 0,     0,          &cat_own_date,
        CAT_OPERATORS_TEXT, INPUT | KEYED | O(FACET), "2026-11-21"},
    {"duration", CAT_STRING,  0,             0,        DBL_MAX, 0,        DBL_MAX,    &cat_own_duration,
        CAT_OPERATORS_ORDER, INPUT | BOUNDS | O(INDEX), "PT1H30M"},
    {"strings",  CAT_LIST,    0,             0, CAT_FIELDS_LIST_MAX, 0,   0,          NULL,
        CAT_OPERATORS_LIST, INPUT | O(INDEX) | O(SEARCH) | O(FACET) | O(BY), "[\"red\",\"blue\"]"},
    {"json",     CAT_VALUE,   0,             0,        0,       0,        0,          NULL,
        CAT_OPERATORS_NONE, INPUT, "{\"width\":20}"},
    {"modified", CAT_TIME,    CAT_SERVER | CAT_MODIFIED | CAT_OPTIONAL, 0, 0, 0, 0,   NULL,
        CAT_OPERATORS_ORDER, SHOWN | O(INDEX), "2026-11-21T16:17:07.877Z"},
};
/* clang-format on */

#define TYPES (sizeof(types) / sizeof(types[0]))

/* Parameters of lists and exports, and other members of answers that are beside or within a product. */
static const char *const reserved[] = {
    "page",      "limit",  "cursor", "q",         "sort",       "fields", "etags",     "count",   "facets", "match",
    "relevance", "format", "safe",   "delimiter", "decimal",    "bom",    "encoding",  "list",    "etag",   "success",
    "message",   "data",   "error",  "errors",    "pagination", "images", "corrected", "history", NULL};

/* ---- a line ---- */

typedef struct line_t {
    apr_pool_t *pool;
    const cat_fields_t *before;
    const char *line;
    const cat_own_type_t *type;
    unsigned given;              /* options: bits */
    const char *values[OPTIONS]; /* of those that have one */
    cat_field_t field;
    cat_own_field_t own;
} line_t;

/* "required, default=, min=": what has such a bit. */
static const char *name_options(apr_pool_t *pool, unsigned bits)
{
    const char *names[OPTIONS + 1] = {NULL};
    int count = 0;

    for (int i = 0; i < OPTIONS; i++) {
        if (bits & O(i)) {
            names[count++] = options[i].name;
        }
    }
    return cat_text_join(pool, names);
}

/* The option of this name, whether its "=" is there or not; OPTIONS: none. */
static int find_option(const char *name)
{
    apr_size_t length = strcspn(name, "=");
    int i = 0;

    while (i < OPTIONS && (strncmp(options[i].name, name, length) != 0 ||
                           (options[i].name[length] && options[i].name[length] != '='))) {
        i++;
    }
    return i;
}

static const char *note_option(line_t *l, int option, const char *value)
{
    int has_value = options[option].flags == 0;

    if (!(l->type->options & O(option))) {
        return apr_psprintf(l->pool, "the type %s cannot have the option %s; it can have %s", l->type->name,
                            options[option].name, name_options(l->pool, l->type->options));
    }
    if (l->given & O(option)) {
        return apr_psprintf(l->pool, "the option %s is given twice", options[option].name);
    }
    if (has_value && (!value || !*value)) {
        return apr_psprintf(l->pool, "the option %s requires a value", options[option].name);
    }
    if (!has_value && value) {
        return apr_psprintf(l->pool, "the option %s takes no value", options[option].name);
    }
    l->given |= O(option);
    l->values[option] = value;
    l->field.flags |= options[option].flags;
    return NULL;
}

static const char *take_options(line_t *l, const char *text)
{
    const char *name, *value, *fault = cat_option_take(l->pool, &text, &name, &value);

    while (!fault && *name) {
        int option = find_option(name);
        fault = option < OPTIONS ? note_option(l, option, value)
                                 : apr_psprintf(l->pool, "there is no option %s; the type %s can have %s", name,
                                                l->type->name, name_options(l->pool, l->type->options));
        fault = fault ? fault : cat_option_take(l->pool, &text, &name, &value);
    }
    return fault;
}

/* ---- what the options say ---- */

/* Options that say different things of a product that a client creates without the field, or that no two products could have. */
static const char *check_contradictions(line_t *l)
{
    static const int pairs[][2] = {{REQUIRED, DEFAULT}, {REQUIRED, FROM}, {DEFAULT, FROM}, {DEFAULT, UNIQUE}};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (l->given & O(pairs[i][0]) && l->given & O(pairs[i][1])) {
            return apr_psprintf(l->pool, "the options %s and %s cannot be combined", options[pairs[i][0]].name,
                                options[pairs[i][1]].name);
        }
    }
    return NULL;
}

/* A bound of a type whose texts have a measure is such a text. */
static const char *measure_bound(const line_t *l, int option, double *bound)
{
    const char *message = l->type->form->refuse(l->values[option]);

    *bound = l->type->form->measure(l->values[option]);
    return message ? apr_psprintf(l->pool, "%s%s %s", options[option].name, l->values[option], message) : NULL;
}

static int has_measure(const cat_own_type_t *type)
{
    return type->form && type->form->measure;
}

static const char *write_bound(const line_t *l, double bound)
{
    return has_measure(l->type) ? l->type->form->write(l->pool, bound) : cat_number_format_real(l->pool, bound);
}

static const char *take_bound(line_t *l, int option, double *bound)
{
    const char *text = l->values[option];
    int is_whole = l->type->kind != CAT_NUMBER || l->type->flags & CAT_WHOLE;

    if (!text || has_measure(l->type)) {
        return text ? measure_bound(l, option, bound) : NULL;
    }
    if (!cat_number_parse_real(text, bound) || (is_whole && *bound != floor(*bound))) {
        return apr_psprintf(l->pool, "%s%s is not a %s", options[option].name, text,
                            is_whole ? "whole number" : "number");
    }
    if (*bound < l->type->lowest || *bound > l->type->highest) {
        return apr_psprintf(l->pool, "%s%s must be from %s to %s for the type %s", options[option].name, text,
                            cat_number_format_real(l->pool, l->type->lowest),
                            cat_number_format_real(l->pool, l->type->highest), l->type->name);
    }
    return NULL;
}

/* A text that is required has a character, and is not blank, because that would be as good as none. */
static const char *take_bounds(line_t *l)
{
    cat_field_t *field = &l->field;
    int counts_characters = field->kind == CAT_STRING && !has_measure(l->type);
    const char *fault = take_bound(l, MIN, &field->least);

    fault = fault ? fault : take_bound(l, MAX, &field->most);
    if (counts_characters && l->given & O(REQUIRED) && field->least < 1) {
        field->least = 1;
        field->flags |= CAT_VISIBLE;
    }
    if (fault || field->least <= field->most) {
        return fault || !counts_characters || field->most > 0 ? fault : "max=0 allows no text";
    }
    return apr_psprintf(l->pool, "min=%s is greater than max=%s", write_bound(l, field->least),
                        write_bound(l, field->most));
}

static const char *check_words(line_t *l, const char *option, const char *text, int most)
{
    const cat_field_t length = {.most = most};
    cat_field_fault_t fault = cat_fields_check_length(l->pool, &length, text);

    return fault.code ? apr_psprintf(l->pool, "%s %s", option, fault.message) : NULL;
}

static const char *check_values(line_t *l, const char *const *values, int count)
{
    const char *fault = NULL;

    for (int i = 0; i < count && !fault; i++) {
        fault = check_words(l, "each of values=", values[i], CHOICE_MAX);
        for (int j = 0; j < i && !fault; j++) {
            fault = strcmp(values[i], values[j]) ? NULL : apr_psprintf(l->pool, "values= has %s twice", values[i]);
        }
    }
    return fault;
}

static const char *take_values(line_t *l)
{
    apr_array_header_t *values;
    int count;

    if (!(l->type->options & O(VALUES))) {
        return NULL;
    }
    values = cat_list_text_split(l->pool, l->values[VALUES] ? l->values[VALUES] : "", '|');
    count = values->nelts;
    if (count == 0 || count > CAT_OWN_CHOICES_KNOWN) {
        return "the type choice requires 1 to " APR_STRINGIFY(
            CAT_OWN_CHOICES) " values, such as values=\"red|green|blue\"";
    }
    APR_ARRAY_PUSH(values, const char *) = NULL;
    l->own.values = (const char *const *)values->elts;
    return check_values(l, l->own.values, count);
}

static const char *take_rule(line_t *l)
{
    const cat_own_limits_t limits = {l->type->form, l->own.values, l->values[PATTERN]};

    l->own.pattern = limits.pattern;
    return cat_own_rule_make(l->pool, &limits, &l->field.rule);
}

/* The value that a client would send, on the pool. Text that is not JSON, or is null, becomes a string, which the type then refuses; NULL: it
 * is for the type json, which would take a string. */
static const json_t *read_default(apr_pool_t *pool, cat_kind_t kind, const char *text)
{
    const json_t *value;

    if (kind == CAT_LIST) {
        return cat_json_own(pool, cat_list_text_json(pool, text, '|'));
    }
    value = kind == CAT_STRING || kind == CAT_TIME ? NULL : cat_json_parse_value(pool, text, strlen(text));
    if (!value || json_is_null(value)) {
        value = kind == CAT_VALUE ? NULL : cat_json_own(pool, json_string(text));
    }
    return value;
}

static void add_quoted(cat_buffer_t *b, const char *text)
{
    CAT_BUFFER_LITERAL(b, "\"");
    for (const char *at = text; *at; at++) {
        cat_buffer_add_text(b, *at == '"' || *at == '\\' ? "\\" : "");
        cat_buffer_add(b, at, 1);
    }
    CAT_BUFFER_LITERAL(b, "\"");
}

/* Returns the default as a definition stores it, or NULL if that has more than PRESET_MAX bytes. A definition has no other limits, so it stores the
 * max= of a text with the default, which may be longer than the type allows by itself. */
static const char *write_preset(const line_t *l)
{
    cat_buffer_t b;

    cat_buffer_init(&b, l->pool, 64);
    CAT_BUFFER_LITERAL(&b, " default=");
    add_quoted(&b, l->values[DEFAULT]);
    if (l->field.kind == CAT_STRING && l->values[MAX]) {
        cat_buffer_add_text(&b, apr_pstrcat(l->pool, " max=", l->values[MAX], NULL));
    }
    return b.length <= PRESET_MAX ? cat_buffer_text(&b) : NULL;
}

static const char *take_default(line_t *l)
{
    cat_field_fault_t fault = {.code = "type", .message = "must be JSON other than null"};
    const char *text = l->values[DEFAULT];
    const json_t *value = text ? read_default(l->pool, l->field.kind, text) : NULL;

    if (value) {
        fault = cat_fields_read_value(l->pool, &l->field, value, &l->field.absent);
        l->own.preset = write_preset(l);
    }
    return text && fault.code ? apr_psprintf(l->pool, "default=%s %s", text, fault.message) : NULL;
}

int cat_own_field_find(const cat_fields_t *fields, const char *name)
{
    int i = 0;

    while (i < fields->count && strcasecmp(fields->all[i].name, name) != 0) {
        i++;
    }
    return i;
}

const char *cat_own_field_check_source(apr_pool_t *pool, const cat_field_t *field, const cat_field_t *source)
{
    if (source->kind != CAT_STRING || source->flags & CAT_SERVER) {
        return apr_psprintf(pool, "from=%s must name a field whose values are strings", source->name);
    }
    return source->flags & CAT_PRIVATE && !(field->flags & CAT_PRIVATE)
               ? apr_psprintf(pool, "from=%s names a private field, so this one must be private, too", source->name)
               : NULL;
}

/* A field that is not there may be that of an outer section: cat_own_fields_check looks again. */
static const char *take_from(line_t *l)
{
    const char *from = l->values[FROM];
    int source = from ? cat_own_field_find(l->before, from) : l->before->count;

    l->own.from = from;
    return source < l->before->count && !strcmp(l->before->all[source].name, from)
               ? cat_own_field_check_source(l->pool, &l->field, &l->before->all[source])
               : NULL;
}

static const char *take_by(line_t *l)
{
    l->own.by = l->values[BY];
    return l->own.by && !(l->field.flags & CAT_INDEXED) ? "by= requires the option index, unique or facet" : NULL;
}

const char *cat_own_field_check_order(apr_pool_t *pool, const cat_field_t *order)
{
    int is_listed = order->flags & CAT_OWN ? order->flags & CAT_INDEXED : order->kind == CAT_NUMBER;

    return is_listed && (order->kind == CAT_NUMBER || order->kind == CAT_TIME)
               ? NULL
               : apr_psprintf(pool, "by=%s must name price, rating, or a field of numbers or times with index",
                              order->name);
}

/* What the API's description says ends with a full stop of its own. */
static const char *take_words(line_t *l)
{
    const char *help = l->values[HELP], *about = help ? help : l->values[LABEL], *fault = NULL;
    apr_size_t length = about ? strlen(about) : 0;

    l->own.label = l->values[LABEL];
    l->own.help = help;
    l->field.about = about ? apr_pstrmemdup(l->pool, about, length - (about[length - 1] == '.')) : NULL;
    fault = l->own.label ? check_words(l, "label=", l->own.label, LABEL_MAX) : NULL;
    return fault || !help ? fault : check_words(l, "help=", help, HELP_MAX);
}

/* Bounds and patterns may not allow the type's own example. */
static const char *take_example(line_t *l)
{
    cat_field_t *field = &l->field;
    const char *example = l->own.values ? l->own.values[0] : l->type->example, *text;
    const json_t *value = field->kind == CAT_NUMBER ? cat_json_own(l->pool, json_loads(example, JSON_DECODE_ANY, NULL))
                                                    : cat_json_own(l->pool, json_string(example));

    if ((field->kind == CAT_NUMBER || field->kind == CAT_STRING) &&
        cat_fields_read_value(l->pool, field, value, &text).code) {
        example = field->kind == CAT_STRING
                      ? NULL
                      : cat_number_format_real(l->pool, l->given & O(MIN) ? field->least : field->most);
    }
    field->example = example;
    return NULL;
}

/* ---- name and type ---- */

static int has_form_of_name(const char *name)
{
    apr_size_t length = 0;

    while (apr_isascii(name[length]) && apr_isalnum(name[length])) {
        length++;
    }
    return apr_isascii(*name) && apr_isalpha(*name) && !name[length] && length <= NAME_MAX_LENGTH;
}

/* Columns of CSV are matched without case (catalogue/transfer/row_reader.c), so names that differ in nothing else are one name. */
static const char *check_name(line_t *l, const char *name)
{
    int same = cat_own_field_find(l->before, name);

    if (!has_form_of_name(name)) {
        return "a name must be a letter, followed by at most 39 letters and digits, all of them ASCII";
    }
    for (int i = 0; reserved[i]; i++) {
        if (!strcasecmp(reserved[i], name)) {
            return "the API uses this name for a parameter or for a member of its answers; choose another one";
        }
    }
    if (same < l->before->count) {
        return l->before->all[same].flags & CAT_OWN
                   ? apr_psprintf(l->pool, "this section already has a field %s", l->before->all[same].name)
                   : "every product already has a field of this name; choose another one";
    }
    return NULL;
}

static const char *find_type(line_t *l, const char *name)
{
    const char *names[TYPES + 1] = {NULL};

    for (size_t i = 0; i < TYPES; i++) {
        names[i] = types[i].name;
        if (!strcmp(name, types[i].name)) {
            l->type = &types[i];
            return NULL;
        }
    }
    return apr_psprintf(l->pool, "there is no type %s; it must be %s", name, cat_text_join(l->pool, names));
}

/* Neither an octet that is not of UTF-8 nor a control character but a tab: what the line says is sent to clients. */
static int is_clean(const char *text)
{
    const char *end = text + strlen(text);
    apr_int32_t character;

    while (text < end) {
        apr_size_t length = cat_text_read(text, (apr_size_t)(end - text), &character);
        if ((length == 1 && (character == 0xfffd || character == 0x7f)) || (character < ' ' && character != '\t')) {
            return 0;
        }
        text += length;
    }
    return 1;
}

static const char *take_word(apr_pool_t *pool, const char **text)
{
    const char *word;

    *text += strspn(*text, " \t");
    word = apr_pstrmemdup(pool, *text, strcspn(*text, " \t"));
    *text += strlen(word);
    return word;
}

static const char *parse_line(line_t *l, const char *name, const char *type, const char *rest)
{
    static const char *(*const steps[])(line_t *) = {check_contradictions, take_bounds, take_values, take_rule,
                                                     take_default,         take_from,   take_by,     take_words,
                                                     take_example};
    const char *fault = is_clean(l->line) ? check_name(l, name) : "the line must be UTF-8 without control characters";

    fault = fault ? fault : find_type(l, type);
    if (!fault) {
        const cat_own_type_t *t = l->type;
        l->field = (cat_field_t){
            .name = name, .kind = t->kind, .flags = t->flags | CAT_OWN, .least = t->least, .most = t->most};
        l->own = (cat_own_field_t){.line = l->line, .type = t};
        fault = take_options(l, rest);
    }
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !fault; i++) {
        fault = steps[i](l);
    }
    l->field.flags |= l->field.flags & (CAT_REQUIRED | CAT_SERVER) ? 0 : CAT_CLEARABLE;
    return fault;
}

const char *cat_own_field_read(apr_pool_t *pool, const cat_fields_t *before, const char *line, cat_field_t *field,
                               cat_own_field_t *own)
{
    line_t l = {.pool = pool, .before = before, .line = apr_pstrdup(pool, line)};
    const char *rest = l.line, *name = take_word(pool, &rest), *type = take_word(pool, &rest), *fault;

    if (!*type) {
        return "CatalogField takes a name, a type and options, such as: CatalogField weight number index min=0";
    }
    fault = parse_line(&l, name, type, rest);
    *field = l.field;
    *own = l.own;
    return fault ? apr_psprintf(pool, "CatalogField %s: %s", cat_text_shorten(pool, name, 2 * NAME_MAX_LENGTH), fault)
                 : NULL;
}

cat_field_t cat_own_field_widen(const cat_field_t *field)
{
    cat_field_t wide = *field;
    int is_number = field->kind == CAT_NUMBER;

    wide.flags &= ~CAT_VISIBLE;
    wide.least = is_number ? -DBL_MAX : 0;
    wide.most = is_number ? DBL_MAX : STRING_MAX;
    wide.rule = cat_own_rule_spelling(field->rule);
    return wide;
}

/* ---- the other way ---- */

#define ALL_FLAGS (CAT_INDEXED | CAT_UNIQUE | CAT_SEARCHED | CAT_FACET)

static void add_values(cat_buffer_t *b, const char *const *values)
{
    cat_buffer_t list;

    cat_buffer_init(&list, b->pool, 64);
    for (int i = 0; values[i]; i++) {
        cat_buffer_add_text(&list, i ? "|" : "");
        cat_list_text_add(&list, values[i], '|');
    }
    CAT_BUFFER_LITERAL(b, " values=");
    add_quoted(b, cat_buffer_text(&list));
}

const char *cat_own_field_define(apr_pool_t *pool, const cat_own_field_t *own, int flags)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    cat_buffer_add_text(&b, own->type->name);
    if (own->values) {
        add_values(&b, own->values);
    }
    cat_buffer_add_text(&b, flags & CAT_INDEXED && !(flags & (CAT_UNIQUE | CAT_FACET)) ? " index" : "");
    cat_buffer_add_text(&b, flags & CAT_UNIQUE ? " unique" : "");
    cat_buffer_add_text(&b, flags & CAT_SEARCHED ? " search" : "");
    cat_buffer_add_text(&b, flags & CAT_FACET ? " facet" : "");
    cat_buffer_add_text(&b, own->preset && !(flags & CAT_UNIQUE) ? own->preset : "");
    return cat_buffer_text(&b);
}

int cat_own_field_check_values(apr_pool_t *pool, const cat_own_field_t *own, int most, int characters)
{
    const cat_field_t length = {.most = characters};
    int count = 0;

    while (own->values && own->values[count]) {
        count++;
    }
    return count <= most && !cat_fields_check_length(pool, &length, cat_own_field_define(pool, own, ALL_FLAGS)).code;
}
