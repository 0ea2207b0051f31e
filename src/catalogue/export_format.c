/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/export_format.h"

#include <string.h>

#include "catalogue/field_list.h"
#include "lib/csv.h"
#include "lib/number.h"
#include "lib/time.h"

static void begin_nothing(cat_buffer_t *b, unsigned fields)
{
    (void)b;
    (void)fields;
}

static void end_nothing(cat_buffer_t *b)
{
    (void)b;
}

static void add_object(cat_buffer_t *b, unsigned fields, const char *const *product)
{
    const char *selected[CAT_PRODUCT_FIELDS];

    cat_field_list_select(fields, product, selected);
    cat_fields_write(b, cat_product_fields, CAT_PRODUCT_FIELDS, selected);
}

/* ---- ndjson ---- */

static void add_line(cat_buffer_t *b, unsigned fields, const char *const *product, int is_first)
{
    (void)is_first;
    add_object(b, fields, product);
    CAT_BUFFER_LITERAL(b, "\n");
}

/* ---- json ---- */

static void begin_array(cat_buffer_t *b, unsigned fields)
{
    (void)fields;
    CAT_BUFFER_LITERAL(b, "[");
}

static void add_element(cat_buffer_t *b, unsigned fields, const char *const *product, int is_first)
{
    cat_buffer_add_text(b, is_first ? "\n" : ",\n");
    add_object(b, fields, product);
}

static void end_array(cat_buffer_t *b)
{
    CAT_BUFFER_LITERAL(b, "\n]\n");
}

/* ---- csv ---- */

static void add_header_row(cat_buffer_t *b, unsigned fields)
{
    cat_field_list_write(b, fields); /* no name needs quotes */
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

/* The apostrophe is within the cell's quotes, where the cell has them. */
static void add_text_cell(cat_buffer_t *b, const char *text, int is_safe)
{
    cat_buffer_t safe;

    if (!is_safe || !cat_csv_is_formula(text)) {
        cat_csv_add_cell(b, text);
        return;
    }
    cat_buffer_init(&safe, b->pool, strlen(text) + 2);
    CAT_BUFFER_LITERAL(&safe, "'");
    cat_buffer_add_text(&safe, text);
    cat_csv_add_cell(b, cat_buffer_text(&safe));
}

static void add_cell(cat_buffer_t *b, const cat_field_t *field, const char *value, int is_safe)
{
    switch (field->kind) {
    case CAT_STRING:
        add_text_cell(b, value, is_safe);
        break;
    case CAT_NUMBER:
        cat_csv_add_cell(b, value);
        break;
    case CAT_BOOLEAN:
        cat_csv_add_cell(b, *value == '1' ? "true" : "false");
        break;
    case CAT_TIME:
        add_time_cell(b, value);
        break;
    }
}

static void add_cells(cat_buffer_t *b, unsigned fields, const char *const *product, int is_safe)
{
    const char *separator = "";

    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        if (!(fields & CAT_FIELD_LIST_OF(i))) {
            continue;
        }
        cat_buffer_add_text(b, separator);
        separator = ",";
        if (product[i]) {
            add_cell(b, &cat_product_fields[i], product[i], is_safe);
        }
    }
    CAT_BUFFER_LITERAL(b, "\r\n");
}

static void add_row(cat_buffer_t *b, unsigned fields, const char *const *product, int is_first)
{
    (void)is_first;
    add_cells(b, fields, product, 0);
}

static void add_safe_row(cat_buffer_t *b, unsigned fields, const char *const *product, int is_first)
{
    (void)is_first;
    add_cells(b, fields, product, 1);
}

/* ---- all of them ---- */

#define CSV_TYPE "text/csv; charset=utf-8; header=present"

const cat_export_format_t cat_export_formats[] = {
    {"ndjson", "application/x-ndjson", begin_nothing, add_line, end_nothing},
    {"csv", CSV_TYPE, add_header_row, add_row, end_nothing},
    {"json", "application/json", begin_array, add_element, end_array},
    {NULL, NULL, NULL, NULL, NULL},
};

static const cat_export_format_t safe_csv = {"csv", CSV_TYPE, add_header_row, add_safe_row, end_nothing};

const cat_export_format_t *cat_export_format_find(const char *name, int is_safe)
{
    if (is_safe && !strcmp(name, safe_csv.name)) {
        return &safe_csv;
    }
    for (const cat_export_format_t *format = cat_export_formats; format->name; format++) {
        if (!strcmp(name, format->name)) {
            return format;
        }
    }
    return NULL;
}
