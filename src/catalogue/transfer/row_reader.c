/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads rows of products out of a file, as it comes, in pieces. Each row becomes the JSON object that POST /products would be sent, so that
 * one place, lib/fields.c, says what a product may be:
 *
 *     Name;In stock;Price          {"name": "Kettle", "inStock": true, "price": 24.9}
 *     Kettle;ja;24,90        ->
 *     {"name":"Kettle", ...}       the same: a line of NDJSON is such an object
 *
 * A cell becomes a value of its column's kind (catalogue/transfer/cell_value.h), or stays the text that the field's check refuses.
 *
 * CSV is read as spreadsheets write it: the names of columns are matched without regard to case, blanks, _ and -, and empty cells and rows at
 * the edges of a sheet are ignored.
 */
#include "catalogue/transfer/row_reader.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "catalogue/product/product.h"
#include "catalogue/product/product_name.h"
#include "catalogue/query/field_list.h"
#include "catalogue/transfer/cell_value.h"
#include "lib/csv.h"
#include "lib/json.h"
#include "lib/list_text.h"

#define MARK "\xef\xbb\xbf" /* byte order mark */

struct cat_row_reader_t {
    apr_pool_t *pool;
    apr_pool_t *row_pool;
    cat_row_options_t options;
    cat_row_reader_take_t *take;
    void *baton;
    apr_int64_t row; /* the last one that was read */
    apr_array_header_t *ignored;
    cat_buffer_t line;  /* NDJSON: what has come of it */
    apr_int64_t lines;  /* NDJSON: that were read */
    apr_off_t position; /* octets that were read, as far as the line goes */
    cat_octets_t place; /* of the last row; its end is where the line begins */
    cat_csv_reader_t *csv;
    int *columns; /* CSV: by cell, the field's index; fields->count: unknown. NULL: no row yet */
    int count;    /* of the columns */
    int named;    /* columns up to the last one that has a name */
    int faults;   /* passed on */
    int has_bad_header;
    int is_ended; /* flag: a fault has ended the reading */
};

static apr_status_t pass_fault(cat_row_reader_t *r, const char *field, const char *code, const char *message)
{
    r->faults++;
    return r->take(r->baton, r->row, NULL, &(cat_row_fault_t){field, code, message});
}

/* Passes on a fault that ends the reading. */
static apr_status_t end_with_fault(cat_row_reader_t *r, const char *field, const char *code, const char *message)
{
    apr_status_t rv;

    r->is_ended = 1;
    rv = pass_fault(r, field, code, message);
    return rv == APR_SUCCESS ? APR_EINVAL : rv;
}

static apr_status_t refuse_long_row(cat_row_reader_t *r)
{
    return end_with_fault(r, "", "too_long",
                          apr_psprintf(r->row_pool, "must have at most %" APR_SIZE_T_FMT " octets", r->options.max));
}

/* ---- ndjson ---- */

/* Is it what JSON may have between values? */
static int is_blank(const char *text, apr_size_t length)
{
    while (length && (*text == ' ' || *text == '\t' || *text == '\r')) {
        text++;
        length--;
    }
    return length == 0;
}

/* A byte order mark may precede the first line. */
static apr_status_t take_line(cat_row_reader_t *r)
{
    const char *text = r->line.data, *why;
    apr_size_t length = r->line.length, mark = strlen(MARK);
    json_t *value;

    if (!r->lines++ && length >= mark && !memcmp(text, MARK, mark)) {
        text += mark;
        length -= mark;
    }
    if (is_blank(text, length)) {
        return APR_SUCCESS;
    }
    r->row++;
    value = cat_json_parse_exact(r->row_pool, text, length, &why);
    return value ? r->take(r->baton, r->row, value, NULL)
                 : pass_fault(r, "", "format", apr_pstrcat(r->row_pool, "must be a JSON object: ", why, NULL));
}

static void begin_line(cat_row_reader_t *r)
{
    apr_pool_clear(r->row_pool);
    cat_buffer_init(&r->line, r->row_pool, 512);
}

static void end_line(cat_row_reader_t *r)
{
    r->place = (cat_octets_t){r->place.end, r->position, r->lines + 1};
}

static apr_status_t feed_lines(cat_row_reader_t *r, const char *data, apr_size_t length)
{
    apr_status_t rv = APR_SUCCESS;

    if (length == 0) {
        end_line(r);
        return take_line(r);
    }
    while (length && rv == APR_SUCCESS) {
        const char *end = memchr(data, '\n', length);
        apr_size_t part = end ? (apr_size_t)(end - data) : length;

        if (part > r->options.max || r->line.length > r->options.max - part) {
            r->row++;
            return refuse_long_row(r);
        }
        cat_buffer_add(&r->line, data, part);
        part += end != NULL;
        r->position += (apr_off_t)part;
        data += part;
        length -= part;
        if (end) {
            end_line(r);
            rv = take_line(r);
            begin_line(r);
        }
    }
    return rv;
}

/* ---- csv: the header ---- */

/* A sheet's "In stock" or "IN_STOCK" is inStock. */
static int is_name_of(const cat_csv_cell_t *cell, const char *name)
{
    for (apr_size_t i = 0, passed; i < cell->length; i += passed ? passed : 1) {
        char c = cell->text[i];
        passed = c == '_' || c == '-' ? 1 : cat_csv_measure_blank(cell->text + i);
        if (passed) {
            continue;
        }
        if (!*name || apr_tolower(c) != apr_tolower(*name)) {
            return 0;
        }
        name++;
    }
    return !*name;
}

/* fields->count: of none, or *is_left_out. */
static int find_field(const cat_row_options_t *o, const cat_csv_cell_t *name, int *is_left_out)
{
    int i;

    for (i = 0; o->names && i < o->names->nelts; i++) {
        const cat_row_name_t *other = &APR_ARRAY_IDX(o->names, i, cat_row_name_t);
        if (is_name_of(name, other->name)) {
            *is_left_out = other->field == o->fields->count;
            return other->field;
        }
    }
    for (i = 0; i < o->fields->count && !is_name_of(name, o->fields->all[i].name);) {
        i++;
    }
    return i;
}

static int has_column(const cat_row_reader_t *r, int count, int field)
{
    for (int i = 0; i < count; i++) {
        if (r->columns[i] == field) {
            return 1;
        }
    }
    return 0;
}

/* Columns without a name are ignored: spreadsheets write them, and leave out their cells in some rows. */
static apr_status_t take_unknown_column(cat_row_reader_t *r, const cat_csv_cell_t *name)
{
    if (cat_csv_cell_is_empty(name)) {
        return APR_SUCCESS;
    }
    if (r->options.strict) {
        return pass_fault(r, name->text, "unknown", "is not a known field");
    }
    if (r->ignored->nelts < CAT_FIELDS_UNKNOWN_MAX) {
        APR_ARRAY_PUSH(r->ignored, const char *) = apr_pstrdup(r->pool, name->text);
    }
    return APR_SUCCESS;
}

static apr_status_t take_column(cat_row_reader_t *r, const cat_csv_cell_t *name)
{
    int is_left_out = 0, field = find_field(&r->options, name, &is_left_out);
    apr_status_t rv = APR_SUCCESS;

    if (field == r->options.fields->count) {
        rv = is_left_out ? APR_SUCCESS : take_unknown_column(r, name);
    } else if (has_column(r, r->count, field)) {
        rv = pass_fault(r, r->options.fields->all[field].name, "duplicate", "must be the name of only one column");
    }
    r->columns[r->count++] = field;
    r->named = cat_csv_cell_is_empty(name) ? r->named : r->count;
    return rv;
}

/* What is added to a fault that another delimiter explains: cells that were meant to be several are one. */
static const char *suggest_delimiter(const cat_row_reader_t *r, const cat_csv_cell_t *first)
{
    int used = cat_row_find_delimiter(cat_csv_reader_delimiter(r->csv));

    for (int i = 0; first->text && cat_row_delimiters[i]; i++) {
        if (i != used && strchr(first->text, cat_row_delimiter(i))) {
            return apr_pstrcat(r->row_pool, "; the first cell has a ", cat_row_delimiters[i],
                               ", so the delimiter may be ", cat_row_delimiters[i], ", not ", cat_row_delimiters[used],
                               NULL);
        }
    }
    return "";
}

/* Rows with an id may do without the fields that a new product needs. */
static apr_status_t check_columns(cat_row_reader_t *r, const cat_csv_cell_t *first)
{
    const cat_fields_t *fields = r->options.fields;
    const char *fault = apr_pstrcat(r->row_pool, "must be a column", suggest_delimiter(r, first), NULL);
    apr_status_t rv = APR_SUCCESS;

    if (r->options.may_update && has_column(r, r->count, r->options.key)) {
        return APR_SUCCESS;
    }
    for (int i = 0; i < fields->count && rv == APR_SUCCESS; i++) {
        if (fields->all[i].flags & CAT_REQUIRED && !has_column(r, r->count, i)) {
            rv = pass_fault(r, fields->all[i].name, "required", fault);
        }
    }
    return rv;
}

/* A header that was read with the delimiter has shown that it is the file's. */
static apr_status_t refuse_cells(cat_row_reader_t *r, const char *measure, const cat_csv_cell_t *cells, int count)
{
    return pass_fault(r, "", "format",
                      apr_psprintf(r->row_pool, "must have as many cells as %s: %d, not %d%s", measure, r->count, count,
                                   count == 1 && r->options.columns ? suggest_delimiter(r, cells) : ""));
}

/* Takes the columns that the caller names; the first row must have as many cells. */
static apr_status_t take_options(cat_row_reader_t *r, const cat_csv_cell_t *cells, int count)
{
    r->columns = apr_pmemdup(r->pool, r->options.columns, (apr_size_t)r->options.count * sizeof(*r->columns));
    r->count = r->options.count;
    for (int i = 0; i < r->count; i++) {
        r->named = r->columns[i] == r->options.fields->count ? r->named : i + 1;
    }
    return cat_csv_count_cells(cells, count, r->count) == r->count || r->options.lacks_header
               ? APR_SUCCESS
               : refuse_cells(r, "`columns` names", cells, count);
}

static apr_status_t take_names(cat_row_reader_t *r, const cat_csv_cell_t *names, int count)
{
    apr_status_t rv = APR_SUCCESS;

    r->columns = apr_palloc(r->pool, (apr_size_t)count * sizeof(*r->columns));
    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        rv = take_column(r, &names[i]);
    }
    return rv;
}

/* All faults of the header are passed on before the reading ends. */
static apr_status_t take_header(cat_row_reader_t *r, const cat_csv_cell_t *names, int count)
{
    apr_status_t rv = r->options.columns ? take_options(r, names, count) : take_names(r, names, count);

    rv = rv == APR_SUCCESS ? check_columns(r, names) : rv;
    r->has_bad_header = rv == APR_SUCCESS && r->faults;
    return r->has_bad_header ? APR_EINVAL : rv;
}

/* ---- csv: rows ---- */

static int is_update(const cat_row_reader_t *r, const cat_csv_cell_t *cells, int count)
{
    for (int i = 0; i < count && r->options.may_update; i++) {
        if (r->columns[i] == r->options.key && cells[i].length) {
            return 1;
        }
    }
    return 0;
}

/* Two quotes are an empty text; where there cannot be one they say no more than nothing at all. */
static int is_absent(cat_row_reader_t *r, const cat_csv_cell_t *cell, const cat_field_t *field)
{
    json_t *empty;
    const char *text;

    if (!cell->text || field->kind != CAT_STRING) {
        return !cell->text || cat_csv_cell_is_empty(cell);
    }
    if (cell->length || ~field->flags & (CAT_OWN | CAT_CLEARABLE)) {
        return 0;
    }
    empty = cat_json_own(r->row_pool, json_string(""));
    return cat_fields_read_value(r->row_pool, field, empty, &text).code != NULL;
}

/* Adds the cell's field to the object. A fault: the cell has none that JSON could have. */
static const char *add_cell(cat_row_reader_t *r, json_t *object, const cat_csv_cell_t *cell, const cat_field_t *field,
                            int updates)
{
    const cat_row_options_t *o = &r->options;
    json_t *value;

    if (is_absent(r, cell, field)) {
        if (updates && field->flags & CAT_CLEARABLE) {
            json_object_set_new(object, field->name, json_null());
        }
        return NULL;
    }
    if (memchr(cell->text, '\0', cell->length)) {
        return "must not contain U+0000";
    }
    value = cat_cell_value_read(r->row_pool, field->kind, cell, o->has_comma, o->list_mark);
    return json_object_set_new(object, field->name, value) == 0 ? NULL
           : field->kind == CAT_VALUE ? "must be JSON, with quotation marks around a text, in valid UTF-8"
                                      : "must be valid UTF-8";
}

/* An id without anything makes the row that of a new product. */
static int is_left_out(const cat_field_t *field, const cat_csv_cell_t *cell)
{
    return field->flags & CAT_SERVER && cell->length == 0;
}

static apr_status_t take_cells(cat_row_reader_t *r, const cat_csv_cell_t *cells, int count)
{
    json_t *object = cat_json_own(r->row_pool, json_object());
    int updates = is_update(r, cells, count);

    for (int i = 0; i < count; i++) {
        const cat_field_t *field = &r->options.fields->all[r->columns[i]];
        const char *message;

        if (r->columns[i] == r->options.fields->count || is_left_out(field, &cells[i])) {
            continue;
        }
        message = add_cell(r, object, &cells[i], field, updates);
        if (message) {
            return pass_fault(r, field->name, "format", message);
        }
    }
    return r->take(r->baton, r->row, object, NULL);
}

static apr_status_t take_row(void *baton, const cat_csv_cell_t *cells, int count)
{
    cat_row_reader_t *r = baton;

    if (cat_csv_count_cells(cells, count, 0) == 0) {
        return APR_SUCCESS;
    }
    if (!r->columns) {
        apr_status_t rv = take_header(r, cells, count);
        if (rv != APR_SUCCESS || !r->options.lacks_header) {
            return rv;
        }
    }
    apr_pool_clear(r->row_pool);
    r->row++;
    count = cat_csv_count_cells(cells, count, r->count);
    return count >= r->named && count <= r->count ? take_cells(r, cells, count)
                                                  : refuse_cells(r, "the file has columns", cells, count);
}

/* Passes on that the text cannot be read from there on. NULL: it can, or that was passed on. */
static const char *explain_failure(const cat_row_reader_t *r, apr_status_t rv)
{
    if (rv == APR_EINVAL && !r->has_bad_header) {
        return "must be CSV: a quote is in the wrong place";
    }
    return rv == APR_BADCH ? apr_pstrcat(r->row_pool, "must be ", cat_encodings[cat_csv_reader_encoding(r->csv)],
                                         " throughout", NULL)
                           : NULL;
}

static apr_status_t feed_csv(cat_row_reader_t *r, const char *data, apr_size_t length)
{
    apr_status_t rv = cat_csv_reader_feed(r->csv, data, length);
    const char *failure = explain_failure(r, rv);

    if (rv == APR_ENOSPC) {
        r->row += r->columns != NULL;
        return refuse_long_row(r);
    }
    if (failure) {
        r->row += r->columns != NULL;
        return end_with_fault(r, "", "format", failure);
    }
    if (rv == APR_SUCCESS && length == 0 && !r->columns && !r->options.lacks_header) {
        return end_with_fault(r, "", "required", "must have a header row");
    }
    return rv;
}

/* ---- options ---- */

const char *const cat_row_delimiters[] = {"comma", "semicolon", "tab", NULL};
const char *const cat_row_decimals[] = {"point", "comma", NULL};
static const char delimiters[] = ",;\t";

char cat_row_delimiter(int which)
{
    return delimiters[which];
}

int cat_row_find_delimiter(char delimiter)
{
    return (int)strcspn(delimiters, (const char[]){delimiter, '\0'});
}

/* A quote or a backslash would hide what they mean otherwise. */
int cat_row_list_parse(const char *mark, cat_row_options_t *options)
{
    options->list_mark = *mark;
    return apr_ispunct(*mark) && *mark != '"' && *mark != '\\' && !mark[1];
}

/* fields->count: the column is left out. */
static int parse_names(const cat_fields_t *fields, const char *names, int *columns, int *count)
{
    cat_field_set_t seen = {{0}};

    for (*count = 0; *count < CAT_CSV_CELLS_MAX; names++) {
        apr_size_t length = strcspn(names, ",");
        int field = length ? cat_field_list_find(fields, names, length) : fields->count;
        if (length && (field == fields->count || cat_field_set_has(&seen, field))) {
            return 0;
        }
        if (length) {
            cat_field_set_add(&seen, field);
        }
        columns[(*count)++] = field;
        names += length;
        if (!*names) {
            return 1;
        }
    }
    return 0;
}

int cat_row_key_parse(const char *name, cat_row_options_t *options)
{
    int field = cat_product_name_find_field(options->fields, name, strlen(name));

    options->key = field < options->fields->count ? field : options->key;
    return field < options->fields->count;
}

/* The name as is_name_of compares it. */
static const char *fold_name(apr_pool_t *pool, const char *name)
{
    char *folded = apr_palloc(pool, strlen(name) + 1), *end = folded;

    for (apr_size_t passed; *name; name += passed ? passed : 1) {
        passed = *name == '_' || *name == '-' ? 1 : cat_csv_measure_blank(name);
        if (!passed) {
            *end++ = *name;
        }
    }
    *end = '\0';
    return folded;
}

/* A name may have colons; that of a field has none. */
static int parse_pair(apr_pool_t *pool, const cat_fields_t *fields, const char *text, cat_row_name_t *name)
{
    const char *colon = strrchr(text, ':');

    if (!colon) {
        return 0;
    }
    *name = (cat_row_name_t){fold_name(pool, apr_pstrmemdup(pool, text, (apr_size_t)(colon - text))), fields->count};
    if (colon[1]) {
        name->field = cat_field_list_find(fields, colon + 1, strlen(colon + 1));
    }
    return !colon[1] || name->field < fields->count;
}

static int parse_pairs(apr_pool_t *pool, const char *text, cat_row_options_t *options)
{
    const apr_array_header_t *pairs = cat_list_text_split(pool, text, ',');
    apr_array_header_t *names = apr_array_make(pool, pairs->nelts, sizeof(cat_row_name_t));
    cat_field_set_t seen = {{0}};

    for (int i = 0; i < pairs->nelts; i++) {
        cat_row_name_t name;
        if (!parse_pair(pool, options->fields, APR_ARRAY_IDX(pairs, i, const char *), &name) ||
            (name.field < options->fields->count && cat_field_set_has(&seen, name.field))) {
            return 0;
        }
        if (name.field < options->fields->count) {
            cat_field_set_add(&seen, name.field);
        }
        APR_ARRAY_PUSH(names, cat_row_name_t) = name;
    }
    options->names = names;
    return pairs->nelts <= CAT_CSV_CELLS_MAX;
}

int cat_row_columns_parse(apr_pool_t *pool, const char *names, cat_row_options_t *options)
{
    int *columns;

    if (strchr(names, ':')) {
        return parse_pairs(pool, names, options);
    }
    columns = apr_palloc(pool, CAT_CSV_CELLS_MAX * sizeof(*columns));
    options->columns = columns;
    return parse_names(options->fields, names, columns, &options->count);
}

/* ---- all of it ---- */

cat_row_reader_t *cat_row_reader_make(apr_pool_t *pool, const cat_row_options_t *options, cat_row_reader_take_t *take,
                                      void *baton)
{
    cat_row_reader_t *r = apr_pcalloc(pool, sizeof(*r));

    r->pool = pool;
    r->options = *options;
    r->options.fields = options->fields ? options->fields : &cat_product_built_in;
    r->options.list_mark = options->list_mark ? options->list_mark : CAT_ROW_LIST_MARK;
    r->take = take;
    r->baton = baton;
    r->ignored = apr_array_make(pool, 0, sizeof(const char *));
    apr_pool_create(&r->row_pool, pool);
    if (options->kind == CAT_ROWS_CSV) {
        const cat_csv_options_t csv = {options->delimiter, options->encoding, options->max};
        r->csv = cat_csv_reader_make(pool, &csv, take_row, r);
    } else {
        begin_line(r);
    }
    return r;
}

apr_status_t cat_row_reader_feed(cat_row_reader_t *r, const char *data, apr_size_t length)
{
    if (length == 0 && r->options.is_cut) {
        return APR_SUCCESS;
    }
    return r->csv ? feed_csv(r, data, length) : feed_lines(r, data, length);
}

cat_octets_t cat_row_reader_place(const cat_row_reader_t *r)
{
    cat_octets_t place = r->csv ? cat_csv_reader_place(r->csv) : r->place;

    if (r->csv && !r->columns) {
        place = (cat_octets_t){.line = place.line};
    }
    if (r->is_ended) {
        place = (cat_octets_t){place.end, place.end, r->csv ? cat_csv_reader_line(r->csv) : r->lines + 1};
    }
    return place;
}

const apr_array_header_t *cat_row_reader_ignored(const cat_row_reader_t *r)
{
    return r->ignored;
}
