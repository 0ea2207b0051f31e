/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Query strings: splits and decodes them, and runs the parameters through a table of rows. Collects faults and unknown
 * names, so that a client learns of all of them at once. A list may be sent in three ways:
 *
 *     sort=-price,name    sort[]=-price&sort[]=name    sort=-price&sort=name
 */
#include "http/parameters.h"

#include <apr_escape.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "lib/fields.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/suggestion.h"

void cat_parameters_init(cat_parameters_t *p, apr_pool_t *pool, int strict, const char *text)
{
    *p = (cat_parameters_t){.pool = pool, .rest = text, .strict = strict};
}

static int is_utf8(const char *text)
{
    json_t *string = json_string(text);

    json_decref(string);
    return string != NULL;
}

static int is_plain_ascii(const char *text)
{
    while (*text && !(*text & 0x80) && *text != '%' && *text != '+') {
        text++;
    }
    return !*text;
}

/* Returns NULL if the text has a bad percent-encoding, a NUL, or is not UTF-8. */
static const char *decode_text(apr_pool_t *pool, const char *text)
{
    const char *decoded;

    if (is_plain_ascii(text)) {
        return text;
    }
    decoded = apr_punescape_url(pool, text, NULL, NULL, 1);
    return decoded && is_utf8(decoded) ? decoded : NULL;
}

/* Removes the text up to the next "&" from the rest, and returns it. */
static char *take_parameter(cat_parameters_t *p)
{
    apr_size_t length = strcspn(p->rest, "&");
    char *text = apr_pstrmemdup(p->pool, p->rest, length);

    p->rest += length + (p->rest[length] == '&');
    return text;
}

int cat_parameters_next(cat_parameters_t *p, cat_parameter_t *parameter)
{
    while (p->rest && *p->rest) {
        char *text = take_parameter(p), *equals = strchr(text, '=');
        const char *name;

        if (equals) {
            *equals = '\0';
        }
        if (!*text && !(equals && p->strict)) {
            continue;
        }
        name = decode_text(p->pool, text);
        parameter->name = name && *name ? name : text;
        parameter->value = equals ? decode_text(p->pool, equals + 1) : "";
        return 1;
    }
    return 0;
}

/* ---- lists ---- */

int cat_parameters_is_list(const cat_parameter_t *parameter, const char *name)
{
    apr_size_t length = strlen(name);

    return !strncmp(parameter->name, name, length) &&
           (!parameter->name[length] || !strcmp(parameter->name + length, "[]"));
}

/* Removes the text up to the next comma from the rest, in place, and returns it. The rest becomes NULL at the end. A
 * backslash escapes only a comma or another backslash. */
static const char *take_item(char **rest)
{
    char *item = *rest, *end = item;
    const char *at = item;

    for (; *at && *at != ','; at++) {
        if (*at == '\\' && (at[1] == ',' || at[1] == '\\')) {
            at++;
        }
        *end++ = *at;
    }
    *rest = *at ? item + (at - item) + 1 : NULL;
    *end = '\0';
    return item;
}

apr_array_header_t *cat_parameters_list(const cat_parameters_t *p, const char *name, const cat_parameter_t *first)
{
    apr_array_header_t *items = apr_array_make(p->pool, 4, sizeof(const char *));
    cat_parameters_t ahead = *p;
    cat_parameter_t next;

    APR_ARRAY_PUSH(items, const char *) = first->value;
    while (cat_parameters_next(&ahead, &next)) {
        if (cat_parameters_is_list(&next, name)) {
            APR_ARRAY_PUSH(items, const char *) = next.value;
        }
    }
    if (items->nelts == 1 && first->value && !strcmp(first->name, name)) {
        char *rest = apr_pstrdup(p->pool, first->value);
        items->nelts = 0;
        while (rest) {
            APR_ARRAY_PUSH(items, const char *) = take_item(&rest);
        }
    }
    return items;
}

/* ---- faults ---- */

/* Percent-encodes a name that is not UTF-8, which JSON must not contain. */
static const char *make_printable(apr_pool_t *pool, const char *name)
{
    cat_buffer_t b;

    if (is_utf8(name)) {
        return name;
    }
    cat_buffer_init(&b, pool, 3 * strlen(name) + 1);
    cat_parameters_write(&b, name);
    return cat_buffer_text(&b);
}

void cat_parameters_add_error(cat_parameters_t *p, const char *name, const char *code, const char *message)
{
    if (!p->errors) {
        p->errors = cat_json_own(p->pool, json_array());
    }
    json_array_append_new(p->errors, cat_fields_make_error(make_printable(p->pool, name), code, message));
}

void cat_parameters_add_repeated(cat_parameters_t *p, const char *name)
{
    cat_parameters_add_error(p, name, "duplicate", "must be given only once");
}

static void refuse_unknown(cat_parameters_t *p, const char *name, const char *message)
{
    if (++p->unknown <= CAT_FIELDS_UNKNOWN_MAX) {
        cat_parameters_add_error(p, name, "unknown", cat_suggestion_add(p->pool, message, name, p->names));
    }
}

void cat_parameters_add_unknown(cat_parameters_t *p, const char *name)
{
    if (p->strict) {
        refuse_unknown(p, name, "is not a known parameter");
        return;
    }
    if (++p->unknown > CAT_FIELDS_UNKNOWN_MAX) {
        return;
    }
    if (!p->ignored) {
        p->ignored = apr_array_make(p->pool, 1, sizeof(const char *));
    }
    APR_ARRAY_PUSH(p->ignored, const char *) = name;
}

/* Returns NULL if no row has the name. */
static const cat_parameter_row_t *find_row(const cat_parameter_row_t *rows, const char *name)
{
    while (rows->name && strcmp(rows->name, name) != 0) {
        rows++;
    }
    return rows->name ? rows : NULL;
}

/* Returns true if an unknown name with brackets is a mistyped condition: the table has conditions, and the name does
 * not begin with the name of a row that may repeat, such as page or limit. */
static int is_wrong_condition(const cat_parameter_row_t *rows, const char *name)
{
    size_t length = strcspn(name, "[");
    int has_conditions = 0;

    for (int i = 0; rows[i].name && name[length]; i++) {
        if (rows[i].flags & CAT_PARAMETER_REPEATS && !strncmp(rows[i].name, name, length) && !rows[i].name[length]) {
            return 0;
        }
        has_conditions |= strchr(rows[i].name, '[') != NULL;
    }
    return has_conditions;
}

static const char *const *list_names(apr_pool_t *pool, const cat_parameter_row_t *rows)
{
    apr_array_header_t *names = apr_array_make(pool, 8, sizeof(const char *));

    for (; rows->name; rows++) {
        APR_ARRAY_PUSH(names, const char *) = rows->name;
    }
    APR_ARRAY_PUSH(names, const char *) = NULL;
    return (const char *const *)names->elts;
}

void cat_parameters_parse(cat_parameters_t *p, const cat_parameter_row_t *rows, void *query)
{
    cat_parameter_t parameter;
    unsigned given = 0;

    while (cat_parameters_next(p, &parameter)) {
        const cat_parameter_row_t *row = find_row(rows, parameter.name);
        unsigned bit = row ? 1U << (row - rows) : 0;
        p->names = row || p->names ? p->names : list_names(p->pool, rows);
        if (!row && is_wrong_condition(rows, parameter.name)) {
            refuse_unknown(p, parameter.name, "is not a known condition");
        } else if (!row) {
            cat_parameters_add_unknown(p, parameter.name);
        } else if (!(given & bit)) {
            given |= bit;
            row->parse(query, p, &parameter);
        } else if (!(row->flags & CAT_PARAMETER_REPEATS)) {
            cat_parameters_add_repeated(p, parameter.name);
        }
    }
    for (int i = 0; rows[i].name; i++) {
        if (rows[i].flags & CAT_PARAMETER_REQUIRED && !(given & 1U << i)) {
            cat_parameters_add_error(p, rows[i].name, "required", "is required");
        }
    }
}

int cat_parameters_choose(cat_parameters_t *p, const cat_parameter_t *parameter, const char *value,
                          const char *const *choices, const char *message)
{
    for (int i = 0; value && choices[i]; i++) {
        if (!strcmp(choices[i], value)) {
            return i;
        }
    }
    cat_parameters_add_error(p, parameter->name, "invalid", message);
    return -1;
}

static apr_int64_t parse_positive(const cat_parameter_t *parameter, apr_int64_t otherwise)
{
    apr_int64_t number;

    return cat_number_parse_integer(parameter->value, &number) && number > 0 ? number : otherwise;
}

apr_int64_t cat_parameters_parse_page(const cat_parameter_t *parameter)
{
    return parse_positive(parameter, 1);
}

apr_int64_t cat_parameters_parse_limit(const cat_parameter_t *parameter, apr_int64_t otherwise, apr_int64_t most)
{
    apr_int64_t limit = parse_positive(parameter, otherwise);

    return limit < most ? limit : most;
}

/* ---- description ---- */

void cat_parameters_describe(cat_describer_t *d, const cat_parameter_row_t *rows)
{
    for (const cat_parameter_row_t *row = rows; row->name; row++) {
        d->is_required = (row->flags & CAT_PARAMETER_REQUIRED) != 0;
        cat_description_add_parameter(d, row->name, row->about, row->describe(d->conf),
                                      json_loads(row->example, JSON_DECODE_ANY, NULL));
    }
}

json_t *cat_parameters_describe_text(const cat_conf_t *)
{
    return json_pack("{s:s}", "type", "string");
}

json_t *cat_parameters_describe_time(const cat_conf_t *)
{
    return json_pack("{s:s, s:s}", "type", "string", "format", "date-time");
}

json_t *cat_parameters_describe_page(const cat_conf_t *)
{
    return json_pack("{s:s, s:i, s:i}", "type", "integer", "minimum", 1, "default", 1);
}

json_t *cat_parameters_describe_limit(const cat_conf_t *conf)
{
    return json_pack("{s:s, s:i, s:i, s:i}", "type", "integer", "minimum", 1, "maximum", conf->max_limit, "default",
                     conf->default_limit);
}

/* ---- writing ---- */

void cat_parameters_write(cat_buffer_t *b, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        const char encoded[3] = {'%', digits[c >> 4], digits[c & 15]};
        if (c < 0x80 && (apr_isalnum(c) || strchr("-._~,", c))) {
            cat_buffer_add(b, text, 1);
        } else {
            cat_buffer_add(b, encoded, sizeof(encoded));
        }
    }
}
