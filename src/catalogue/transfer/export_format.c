/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a file of products is written: NDJSON, CSV or JSON. Each format is a row of the table at the end.
 *
 *     ndjson   {"id":"...","name":"Kettle","price":24.9}          a line for each product
 *     csv      id,name,price                                      a header row, then a row for each product
 *     json     [{"id":"..."},                                     one array, an element a line
 *
 * A file that is written in CSV can be imported again: a cell has the value as the API spells it, except that a list has its texts between
 * "|". If the client asks for that, numbers have decimal commas, and texts that a spreadsheet would take for a formula are made safe.
 */
#include "catalogue/transfer/export_format.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/query/field_list.h"
#include "lib/csv.h"
#include "lib/list_text.h"
#include "lib/number.h"
#include "lib/time.h"

static void begin_nothing(cat_buffer_t *, const cat_export_style_t *)
{
}

static void end_nothing(cat_buffer_t *)
{
}

static void add_object(cat_buffer_t *b, const cat_export_style_t *style, const char *const *product)
{
    const char *selected[CAT_FIELDS_MAX];

    cat_field_list_select(style->all, &style->fields, product, selected);
    cat_fields_write(b, style->all->all, style->all->count, selected);
}

/* ---- ndjson ---- */

static void add_line(cat_buffer_t *b, const cat_export_style_t *style, const char *const *product, int)
{
    add_object(b, style, product);
    CAT_BUFFER_LITERAL(b, "\n");
}

/* ---- json ---- */

static void begin_array(cat_buffer_t *b, const cat_export_style_t *)
{
    CAT_BUFFER_LITERAL(b, "[");
}

static void add_element(cat_buffer_t *b, const cat_export_style_t *style, const char *const *product, int is_first)
{
    cat_buffer_add_text(b, is_first ? "\n" : ",\n");
    add_object(b, style, product);
}

static void end_array(cat_buffer_t *b)
{
    CAT_BUFFER_LITERAL(b, "\n]\n");
}

/* ---- csv ---- */

/* No name needs quotes. */
static void add_header_row(cat_buffer_t *b, const cat_export_style_t *style)
{
    apr_size_t separator = 0;

    cat_buffer_add_text(b, style->has_mark ? "\xef\xbb\xbf" : "");
    for (int i = 0; i < style->all->count; i++) {
        if (cat_field_set_has(&style->fields, i)) {
            cat_buffer_add(b, &style->delimiter, separator);
            cat_buffer_add_text(b, style->all->all[i].name);
            separator = 1;
        }
    }
    CAT_BUFFER_LITERAL(b, "\r\n");
}

static void add_time_cell(cat_buffer_t *b, const char *milliseconds)
{
    char text[CAT_TIME_LENGTH + 1];
    apr_int64_t time = 0;

    cat_number_parse_integer(milliseconds, &time);
    cat_time_format(text, time);
    cat_csv_add_cell(b, text);
}

static void add_number_cell(cat_buffer_t *b, const cat_export_style_t *style, const char *number)
{
    char *text = apr_pstrdup(b->pool, number), *point = style->has_comma ? strchr(text, '.') : NULL;

    if (point) {
        *point = ',';
    }
    cat_csv_add_cell(b, text);
}

/* "red|blue", of the record's ["red","blue"]. */
static const char *write_list(apr_pool_t *pool, const char *list)
{
    json_t *texts = json_loads(list, 0, NULL), *text;
    cat_buffer_t b;
    size_t i;

    cat_buffer_init(&b, pool, 64);
    json_array_foreach (texts, i, text) {
        cat_buffer_add_text(&b, i ? "|" : "");
        cat_list_text_add(&b, json_string_value(text), '|');
    }
    json_decref(texts);
    return cat_buffer_text(&b);
}

static void add_cell(cat_buffer_t *b, const cat_export_style_t *style, const cat_field_t *field, const char *value)
{
    switch (field->kind) {
    case CAT_LIST:
    case CAT_VALUE:
        value = field->kind == CAT_LIST ? write_list(b->pool, value)
                                        : cat_fields_value_text(b->pool, field, value); /* fall through */
    case CAT_STRING:
        (style->is_safe ? cat_csv_add_safe_cell : cat_csv_add_cell)(b, value);
        break;
    case CAT_NUMBER:
        add_number_cell(b, style, value);
        break;
    case CAT_BOOLEAN:
        cat_csv_add_cell(b, *value == '1' ? "true" : "false");
        break;
    case CAT_TIME:
        add_time_cell(b, value);
        break;
    }
}

static void add_row(cat_buffer_t *b, const cat_export_style_t *style, const char *const *product, int)
{
    apr_size_t separator = 0;

    for (int i = 0; i < style->all->count; i++) {
        if (!cat_field_set_has(&style->fields, i)) {
            continue;
        }
        cat_buffer_add(b, &style->delimiter, separator);
        separator = 1;
        if (product[i]) {
            add_cell(b, style, &style->all->all[i], product[i]);
        }
    }
    CAT_BUFFER_LITERAL(b, "\r\n");
}

/* ---- all of them ---- */

const cat_export_format_t cat_export_formats[] = {
    {"ndjson", "application/x-ndjson", begin_nothing, add_line, end_nothing},
    {"csv", "text/csv; charset=utf-8; header=present", add_header_row, add_row, end_nothing},
    {"json", "application/json", begin_array, add_element, end_array},
    {NULL, NULL, NULL, NULL, NULL},
};

const cat_export_format_t *cat_export_format_find(const char *name)
{
    for (const cat_export_format_t *format = cat_export_formats; format->name; format++) {
        if (!strcmp(name, format->name)) {
            return format;
        }
    }
    return NULL;
}
