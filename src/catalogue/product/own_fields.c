/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of the shop's own. A line of the configuration is split into words, and becomes a row of the field table: what checks, stores
 * and describes the built-in fields does the same for it.
 *
 *     weight number index min=0 label="Gross weight"
 *     name   type   options
 *
 * THE TYPE TABLE says of each type how its values look in JSON, which options it may have, and their bounds. A new type is a row
 * there; one whose values have another form in JSON than those of lib/fields.h is a kind there, too.
 *
 * The options are collected before any is applied, so their order does not matter: a default is checked against the bounds, the values
 * and the pattern by the check that the values of clients go through.
 */
#include "catalogue/product/own_fields.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "catalogue/product/product.h"
#include "lib/json.h"
#include "lib/list_text.h"
#include "lib/number.h"
#include "lib/pattern.h"
#include "lib/text.h"
#include "lib/time.h"

#define NAME_MAX_LENGTH 40
#define STRING_MAX 1000
#define TEXT_MAX 30000
#define CHOICES_MAX 99 /* their places have two digits */
#define CHOICE_MAX 100 /* characters */
#define LABEL_MAX 100
#define HELP_MAX 500

/* ---- the rules of texts ---- */

/* The rule of one field. */
typedef struct own_rule_t {
    cat_text_rule_t rule;                /* must be first: lib/fields.c has a pointer to this */
    const char *(*refuse)(const char *); /* what all fields of the type refuse; NULL: nothing */
    const cat_pattern_t *pattern;        /* NULL: none */
    const char *mismatch;                /* what is said of a text that the pattern or the words refuse */
} own_rule_t;

static const char *refuse_text(const cat_text_rule_t *rule, const char *text)
{
    const own_rule_t *own = (const own_rule_t *)(const void *)rule;
    const char *message = own->refuse ? own->refuse(text) : NULL;
    cat_pattern_outcome_t outcome = CAT_PATTERN_MATCHES;

    if (message) {
        return message;
    }
    if (rule->words) {
        return rule->words[cat_text_find(rule->words, text)] ? NULL : own->mismatch;
    }
    if (own->pattern) {
        outcome = cat_pattern_match(own->pattern, text);
    }
    return outcome == CAT_PATTERN_MATCHES   ? NULL
           : outcome == CAT_PATTERN_DIFFERS ? own->mismatch
                                            : "must be simpler: comparing it with the field's pattern takes too long";
}

/* The octets of the scheme of an absolute URL, with "//"; 0: another scheme, or none. */
static apr_size_t measure_scheme(const char *url)
{
    return !strncasecmp(url, "https://", 8) ? 8 : !strncasecmp(url, "http://", 7) ? 7 : 0;
}

static const char *refuse_url(const char *text)
{
    static const char message[] = "must be a URL that begins with https:// or http:// and a host, without spaces";
    apr_size_t scheme = measure_scheme(text);
    apr_size_t host = strcspn(text + scheme, "/?#");

    for (const char *at = text; *at; at++) {
        if ((unsigned char)*at <= ' ' || strchr("<>\"\\^`{|}\x7f", *at)) {
            return message;
        }
    }
    return scheme && host && text[scheme] != ':' ? NULL : message;
}

static const char *refuse_date(const char *text)
{
    char time[sizeof("2026-11-21T00:00:00Z")];
    apr_int64_t milliseconds;

    apr_snprintf(time, sizeof(time), "%sT00:00:00Z", text);
    return strlen(text) == strlen("2026-11-21") && cat_time_parse(time, &milliseconds)
               ? NULL
               : "must be a date such as 2026-11-21";
}

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
    [LABEL] = {"label=", 0},
    [HELP] = {"help=", 0},
};

#define O(option) (1u << (option))
#define SHOWN (O(DETAIL) | O(PRIVATE) | O(LABEL) | O(HELP))
#define INPUT (SHOWN | O(REQUIRED) | O(DEFAULT))
#define BOUNDS (O(MIN) | O(MAX))
#define KEYED (O(INDEX) | O(UNIQUE))

/* ---- the types ---- */

/* A type of fields. */
typedef struct type_t {
    const char *name;
    cat_kind_t kind;
    int flags;
    double least, most;     /* as in cat_field_t, unless min and max say other */
    double lowest, highest; /* that min and max may be */
    const char *(*refuse)(const char *);
    const char *format; /* of JSON Schema */
    unsigned options;   /* that it may have */
    const char *example;
} type_t;

#define SAFE ((double)CAT_NUMBER_SAFE_MAX)

/* THE TYPE TABLE. */
/* clang-format off */
static const type_t types[] = {
    /*name        kind         flags          least     most     lowest    highest     refuse       format  options, example */
    {"string",   CAT_STRING,  0,             0,        200,     0,        STRING_MAX, NULL,        NULL,
        INPUT | BOUNDS | KEYED | O(PATTERN) | O(SEARCH) | O(FACET) | O(FROM), "text"},
    {"text",     CAT_STRING,  0,             0,        5000,    0,        TEXT_MAX,   NULL,        NULL,
        INPUT | BOUNDS | O(PATTERN) | O(SEARCH), "text"},
    {"url",      CAT_STRING,  0,             0,        STRING_MAX, 0,     STRING_MAX, refuse_url,  "uri",
        INPUT | BOUNDS | KEYED | O(PATTERN) | O(FACET), "https://shop.example.com/"},
    {"number",   CAT_NUMBER,  0,             -DBL_MAX, DBL_MAX, -DBL_MAX, DBL_MAX,    NULL,        NULL,
        INPUT | BOUNDS | KEYED, "2.5"},
    {"integer",  CAT_NUMBER,  CAT_WHOLE,     -SAFE,    SAFE,    -SAFE,    SAFE,       NULL,        NULL,
        INPUT | BOUNDS | KEYED | O(FACET), "3"},
    {"boolean",  CAT_BOOLEAN, 0,             0,        0,       0,        0,          NULL,        NULL,
        INPUT | O(INDEX) | O(FACET), "true"},
    {"choice",   CAT_STRING,  0,             0,        CHOICE_MAX, 0,     0,          NULL,        NULL,
        INPUT | KEYED | O(VALUES) | O(SEARCH) | O(FACET), NULL},
    {"time",     CAT_TIME,    0,             0,        0,       0,        0,          NULL,        NULL,
        INPUT | KEYED, "2026-11-21T16:17:07.877Z"},
    {"date",     CAT_STRING,  0,             0,        CHOICE_MAX, 0,     0,          refuse_date, "date",
        INPUT | KEYED | O(FACET), "2026-11-21"},
    {"strings",  CAT_LIST,    0,             0, CAT_FIELDS_LIST_MAX, 0,   0,          NULL,        NULL,
        INPUT | O(INDEX) | O(SEARCH) | O(FACET), "[\"red\",\"blue\"]"},
    {"json",     CAT_VALUE,   0,             0,        0,       0,        0,          NULL,        NULL,
        INPUT, "{\"width\":20}"},
    {"modified", CAT_TIME,    CAT_SERVER | CAT_MODIFIED | CAT_OPTIONAL, 0, 0, 0, 0,   NULL,        NULL,
        SHOWN | O(INDEX), "2026-11-21T16:17:07.877Z"},
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
    const type_t *type;
    unsigned given;              /* options: bits */
    const char *values[OPTIONS]; /* of those that have one */
    cat_field_t field;
    cat_own_field_t own;
} line_t;

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *text)
{
    while (is_blank(*text)) {
        text++;
    }
    return text;
}

/* The text between quotation marks, as httpd's own directives have it: a backslash stands before a quotation mark or a backslash that is part
 * of the text; before all else it is itself. *at: behind the first mark, then behind the last. NULL: there is no last one. */
static const char *take_quoted(apr_pool_t *pool, const char **at)
{
    char *text = apr_palloc(pool, strlen(*at) + 1), *end = text;

    for (; **at && **at != '"'; ++*at) {
        if (**at == '\\' && ((*at)[1] == '"' || (*at)[1] == '\\')) {
            ++*at;
        }
        *end++ = **at;
    }
    *end = '\0';
    return *(*at) ? (++*at, text) : NULL;
}

/* The name of an option, with "=" if it has that, on the pool; then *at is behind it. */
static const char *take_name(apr_pool_t *pool, const char **at)
{
    const char *begin = *at;
    apr_size_t length = strcspn(begin, " \t=");

    length += begin[length] == '=';
    *at += length;
    return apr_pstrmemdup(pool, begin, length);
}

static const char *take_value(line_t *l, const char *name, const char **at, const char **value)
{
    apr_size_t length;

    if (**at == '"') {
        ++*at;
        *value = take_quoted(l->pool, at);
        if (!*value) {
            return apr_psprintf(l->pool, "the quotation mark behind %s has no other one", name);
        }
        return !**at || is_blank(**at)
                   ? NULL
                   : apr_psprintf(l->pool,
                                  "a blank must follow the value of %s; write \\\" for a quotation mark within it",
                                  name);
    }
    length = strcspn(*at, " \t");
    *value = apr_pstrmemdup(l->pool, *at, length);
    *at += length;
    return NULL;
}

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

static const char *note_option(line_t *l, int option, const char *name, const char *value)
{
    int has_value = options[option].flags == 0;

    if (!(l->type->options & O(option))) {
        return apr_psprintf(l->pool, "the type %s cannot have the option %s; it can have %s", l->type->name,
                            options[option].name, name_options(l->pool, l->type->options));
    }
    if (l->given & O(option)) {
        return apr_psprintf(l->pool, "the option %s is there twice", options[option].name);
    }
    if (has_value && (!strchr(name, '=') || !*value)) {
        return apr_psprintf(l->pool, "the option %s requires a value", options[option].name);
    }
    if (!has_value && strchr(name, '=')) {
        return apr_psprintf(l->pool, "the option %s takes no value", options[option].name);
    }
    l->given |= O(option);
    l->values[option] = value;
    l->field.flags |= options[option].flags;
    return NULL;
}

static const char *take_options(line_t *l, const char *text)
{
    const char *fault = NULL;

    while (!fault && *(text = skip_blanks(text))) {
        const char *name = take_name(l->pool, &text), *value = "";
        int option = find_option(name);
        fault = strchr(name, '=') ? take_value(l, name, &text, &value) : NULL;
        if (!fault) {
            fault = option == OPTIONS ? apr_psprintf(l->pool, "there is no option %s; the type %s can have %s", name,
                                                     l->type->name, name_options(l->pool, l->type->options))
                                      : note_option(l, option, name, value);
        }
    }
    return fault;
}

/* ---- what the options say ---- */

/* Options that say different things of a product that a client creates without the field, or that no two products could have. */
static const char *check_contradictions(line_t *l)
{
    static const unsigned pairs[] = {O(REQUIRED) | O(DEFAULT), O(REQUIRED) | O(FROM), O(DEFAULT) | O(FROM),
                                     O(DEFAULT) | O(UNIQUE)};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if ((l->given & pairs[i]) == pairs[i]) {
            int first = 0, second;
            while (!(pairs[i] & O(first))) {
                first++;
            }
            for (second = first + 1; !(pairs[i] & O(second));) {
                second++;
            }
            return apr_psprintf(l->pool, "the options %s and %s contradict each other", options[first].name,
                                options[second].name);
        }
    }
    return NULL;
}

static const char *write_bound(line_t *l, double bound)
{
    return cat_number_format(l->pool, cat_json_own(l->pool, json_real(bound)));
}

static const char *take_bound(line_t *l, int option, double *bound)
{
    const char *text = l->values[option];
    int is_whole = l->type->kind != CAT_NUMBER || l->type->flags & CAT_WHOLE;

    if (!text) {
        return NULL;
    }
    if (!cat_number_parse_real(text, bound) || (is_whole && *bound != floor(*bound))) {
        return apr_psprintf(l->pool, "%s%s is no %s", options[option].name, text, is_whole ? "whole number" : "number");
    }
    if (*bound < l->type->lowest || *bound > l->type->highest) {
        return apr_psprintf(l->pool, "%s%s must be from %s to %s for the type %s", options[option].name, text,
                            write_bound(l, l->type->lowest), write_bound(l, l->type->highest), l->type->name);
    }
    return NULL;
}

/* A text that is required has a character, because an empty one would be as good as none. */
static const char *take_bounds(line_t *l)
{
    cat_field_t *field = &l->field;
    const char *fault = take_bound(l, MIN, &field->least);

    fault = fault ? fault : take_bound(l, MAX, &field->most);
    if (field->kind == CAT_STRING && l->given & O(REQUIRED) && field->least < 1) {
        field->least = 1;
    }
    if (fault || field->least <= field->most) {
        return fault;
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

static const char *take_values(line_t *l)
{
    apr_array_header_t *values;
    const char *fault = NULL;

    if (!(l->type->options & O(VALUES))) {
        return NULL;
    }
    values = cat_list_text_split(l->pool, l->values[VALUES] ? l->values[VALUES] : "", '|');
    if (values->nelts == 0 || values->nelts > CHOICES_MAX) {
        return "the type choice requires one value at least, and " APR_STRINGIFY(
            CHOICES_MAX) " at most, such as values=\"red|green|blue\"";
    }
    l->own.values = (const char *const *)values->elts;
    for (int i = 0; i < values->nelts && !fault; i++) {
        const char *value = l->own.values[i];
        fault = check_words(l, "each of values=", value, CHOICE_MAX);
        for (int j = 0; j < i && !fault; j++) {
            fault = strcmp(value, l->own.values[j]) ? NULL : apr_psprintf(l->pool, "values= has %s twice", value);
        }
    }
    APR_ARRAY_PUSH(values, const char *) = NULL;
    l->own.values = (const char *const *)values->elts;
    return fault;
}

static const char *take_rule(line_t *l)
{
    own_rule_t *rule = apr_pcalloc(l->pool, sizeof(*rule));
    const char *pattern = l->values[PATTERN], *fault;

    rule->rule = (cat_text_rule_t){.refuse = refuse_text, .format = l->type->format, .words = l->own.values};
    rule->refuse = l->type->refuse;
    if (rule->rule.words) {
        rule->mismatch = apr_pstrcat(l->pool, "must be ", cat_text_join(l->pool, rule->rule.words), NULL);
    }
    if (pattern) {
        fault = cat_pattern_compile(l->pool, pattern, &rule->pattern);
        if (fault) {
            return apr_psprintf(l->pool, "pattern=%s: %s", pattern, fault);
        }
        rule->rule.pattern = apr_pstrcat(l->pool, "^(?:", pattern, ")$", NULL);
        rule->mismatch = apr_pstrcat(l->pool, "must match the pattern ", pattern, NULL);
        l->own.pattern = pattern;
    }
    l->field.rule = rule->refuse || rule->rule.words || pattern ? &rule->rule : NULL;
    return NULL;
}

/* What JSON would have; NULL: none. */
static json_t *read_default(line_t *l)
{
    const char *text = l->values[DEFAULT], *why;
    apr_array_header_t *texts;
    json_t *list;

    if (l->field.kind == CAT_STRING || l->field.kind == CAT_TIME) {
        return cat_json_own(l->pool, json_string(text));
    }
    if (l->field.kind == CAT_LIST) {
        list = cat_json_own(l->pool, json_array());
        texts = cat_list_text_split(l->pool, text, '|');
        for (int i = 0; i < texts->nelts; i++) {
            json_array_append_new(list, json_string(APR_ARRAY_IDX(texts, i, const char *)));
        }
        return list;
    }
    text = apr_pstrcat(l->pool, "[", text, "]", NULL);
    list = cat_json_parse_exact(l->pool, text, strlen(text), &why);
    return json_array_size(list) == 1 ? json_array_get(list, 0) : NULL;
}

static const char *take_default(line_t *l)
{
    cat_field_fault_t fault = {.code = "type", .message = "must be JSON"};
    const json_t *value;

    if (!l->values[DEFAULT]) {
        return NULL;
    }
    value = read_default(l);
    if (value && !json_is_null(value)) {
        fault = cat_fields_read_value(l->pool, &l->field, value, &l->field.absent);
    }
    return fault.code ? apr_psprintf(l->pool, "default=%s %s", l->values[DEFAULT], fault.message) : NULL;
}

/* The field of this name, whatever its case; the count: there is none. */
static int find_field(const cat_fields_t *fields, const char *name)
{
    int i = 0;

    while (i < fields->count && strcasecmp(fields->all[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* Can a text be made of it? */
static const char *check_source(apr_pool_t *pool, const cat_field_t *source)
{
    return source->kind == CAT_STRING && !(source->flags & CAT_SERVER)
               ? NULL
               : apr_psprintf(pool, "from=%s must name a field of texts", source->name);
}

/* A field that is not there may be that of an outer section: cat_own_fields_check looks again. */
static const char *take_from(line_t *l)
{
    const char *from = l->values[FROM];
    int source = from ? find_field(l->before, from) : l->before->count;

    l->own.from = from;
    return source < l->before->count && !strcmp(l->before->all[source].name, from)
               ? check_source(l->pool, &l->before->all[source])
               : NULL;
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
    const char *text;
    const json_t *value;

    l->field.example = l->own.values ? l->own.values[0] : l->type->example;
    if (l->field.kind == CAT_STRING &&
        cat_fields_read_value(l->pool, &l->field, cat_json_own(l->pool, json_string(l->field.example)), &text).code) {
        l->field.example = NULL;
    }
    if (l->field.kind == CAT_NUMBER) {
        value = cat_json_own(l->pool, json_loads(l->field.example, JSON_DECODE_ANY, NULL));
        if (cat_fields_read_value(l->pool, &l->field, value, &text).code) {
            l->field.example = write_bound(l, l->given & O(MIN) ? l->field.least : l->field.most);
        }
    }
    return NULL;
}

static const char *take_meanings(line_t *l)
{
    static const char *(*const steps[])(line_t *) = {check_contradictions, take_bounds, take_values, take_rule,
                                                     take_default,         take_from,   take_words,  take_example};
    const char *fault = NULL;

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !fault; i++) {
        fault = steps[i](l);
    }
    return fault;
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
    int same = find_field(l->before, name);

    if (!has_form_of_name(name)) {
        return "a name is a letter and at most 39 more letters and digits of ASCII";
    }
    for (int i = 0; reserved[i]; i++) {
        if (!strcasecmp(reserved[i], name)) {
            return "the API has a parameter, or a member of its answers, of this name; choose another one";
        }
    }
    if (same < l->before->count) {
        return l->before->all[same].flags & CAT_OWN
                   ? apr_psprintf(l->pool, "this section has a field %s already", l->before->all[same].name)
                   : "each product has a field of this name already; choose another one";
    }
    return l->before->count - CAT_PRODUCT_FIELDS < CAT_OWN_FIELDS_MAX
               ? NULL
               : "there may be at most " APR_STRINGIFY(CAT_OWN_FIELDS_MAX) " fields";
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
    return apr_psprintf(l->pool, "there is no type %s; the types are %s", name, cat_text_join(l->pool, names));
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

static void begin_field(line_t *l, const char *name)
{
    const type_t *type = l->type;

    l->field = (cat_field_t){
        .name = name, .kind = type->kind, .flags = type->flags | CAT_OWN, .least = type->least, .most = type->most};
    l->own.type = type->name;
}

static const char *parse_line(line_t *l, const char *text)
{
    const char *name, *type, *fault;

    text = skip_blanks(text);
    name = apr_pstrmemdup(l->pool, text, strcspn(text, " \t"));
    text = skip_blanks(text + strlen(name));
    type = apr_pstrmemdup(l->pool, text, strcspn(text, " \t"));
    text += strlen(type);
    if (!*type) {
        return "CatalogField takes a name, a type and options, such as: CatalogField weight number index min=0";
    }
    fault = is_clean(l->own.line) ? check_name(l, name) : "the line must be UTF-8 without control characters";
    fault = fault ? fault : find_type(l, type);
    if (!fault) {
        begin_field(l, name);
        fault = take_options(l, text);
    }
    fault = fault ? fault : take_meanings(l);
    if (!(l->field.flags & (CAT_REQUIRED | CAT_SERVER))) {
        l->field.flags |= CAT_CLEARABLE;
    }
    return fault ? apr_psprintf(l->pool, "CatalogField %s: %s", cat_text_shorten(l->pool, name, 2 * NAME_MAX_LENGTH),
                                fault)
                 : NULL;
}

/* ---- the table ---- */

static const cat_fields_t *built_in_fields(void)
{
    static const cat_conf_t none;

    return cat_product_fields_of(&none);
}

/* A table with room for more fields. */
typedef struct table_t {
    cat_fields_t fields;
    cat_field_t *all;
    const cat_own_field_t **own;
} table_t;

static table_t *copy_table(apr_pool_t *pool, const cat_fields_t *from, int more)
{
    table_t *table = apr_pcalloc(pool, sizeof(*table));
    apr_size_t count = (apr_size_t)from->count;

    table->all = apr_pcalloc(pool, (count + (apr_size_t)more) * sizeof(*table->all));
    table->own = apr_pcalloc(pool, (count + (apr_size_t)more) * sizeof(*table->own));
    memcpy(table->all, from->all, count * sizeof(*table->all));
    if (from->own) {
        memcpy(table->own, from->own, count * sizeof(*table->own));
    }
    table->fields = (cat_fields_t){table->all, from->count, table->own};
    return table;
}

static void put_field(table_t *table, int place, const cat_field_t *field, const cat_own_field_t *own)
{
    table->all[place] = *field;
    table->own[place] = own;
    table->fields.count += place == table->fields.count;
}

const char *cat_own_fields_add(apr_pool_t *pool, const cat_fields_t *before, const char *line,
                               const cat_fields_t **after)
{
    line_t l = {.pool = pool, .before = before ? before : built_in_fields(), .own.line = apr_pstrdup(pool, line)};
    const char *fault = parse_line(&l, line);
    table_t *table;

    if (fault) {
        return fault;
    }
    table = copy_table(pool, l.before, 1);
    put_field(table, table->fields.count, &l.field, apr_pmemdup(pool, &l.own, sizeof(l.own)));
    *after = &table->fields;
    return NULL;
}

const cat_fields_t *cat_own_fields_merge(apr_pool_t *pool, const cat_fields_t *base, const cat_fields_t *over)
{
    table_t *table = copy_table(pool, base, over->count);

    for (int i = CAT_PRODUCT_FIELDS; i < over->count; i++) {
        put_field(table, find_field(&table->fields, over->all[i].name), &over->all[i], over->own[i]);
    }
    return &table->fields;
}

/* A text is made of a field that comes before its own, so that no two are made of each other. */
static const char *check_from(apr_pool_t *pool, const cat_fields_t *fields, int place)
{
    const char *from = fields->own[place]->from;

    for (int i = 0; from && i < place; i++) {
        if (!strcmp(fields->all[i].name, from)) {
            return check_source(pool, &fields->all[i]);
        }
    }
    return from ? apr_psprintf(pool, "from=%s must name a field that comes before this one", from) : NULL;
}

const char *cat_own_fields_check(apr_pool_t *pool, const cat_fields_t *fields, const char **line)
{
    const char *fault = NULL;

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count && !fault; i++) {
        *line = fields->own[i]->line;
        fault = i - CAT_PRODUCT_FIELDS < CAT_OWN_FIELDS_MAX
                    ? check_from(pool, fields, i)
                    : "there may be at most " APR_STRINGIFY(CAT_OWN_FIELDS_MAX) " fields, with those of outer sections";
    }
    return fault;
}
