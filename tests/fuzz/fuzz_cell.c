/* SPDX-License-Identifier: Apache-2.0 */
/* A cell of CSV for a field of each type: a value that the field accepts is exported as a cell that is read as the same value, whatever the
 * decimal mark. The first octet chooses the field, and whether there is a decimal comma. */
#include "catalogue/transfer/cell_value.h"
#include "catalogue/transfer/export_format.h"
#include "fuzz_fields.h"

/* NULL: there is no such value. */
static const char *read_cell(apr_pool_t *pool, const cat_field_t *field, const cat_csv_cell_t *cell, int has_comma)
{
    const json_t *value = cat_json_own(pool, cat_cell_value_read(pool, field->kind, cell, has_comma, '|'));
    const char *text = NULL;

    return value && !json_is_null(value) && !cat_fields_read_value(pool, field, value, &text).code ? text : NULL;
}

typedef struct taking_t {
    apr_pool_t *pool;
    cat_csv_cell_t cell;
    int rows;
} taking_t;

static apr_status_t take_row(void *baton, const cat_csv_cell_t *cells, int count)
{
    taking_t *t = baton;

    FUZZ_CHECK(count == 1);
    t->rows++;
    t->cell = (cat_csv_cell_t){apr_pstrmemdup(t->pool, cells->text ? cells->text : "", cells->length), cells->length};
    return APR_SUCCESS;
}

/* The value as a file has it, read again. */
static const char *export_value(apr_pool_t *pool, int field, const char *value, int has_comma)
{
    const cat_fields_t *fields = fuzz_fields();
    cat_export_style_t style = {.all = fields, .delimiter = has_comma ? ';' : ',', .has_comma = has_comma};
    const char **product = apr_pcalloc(pool, sizeof(*product) * (size_t)fields->count);
    taking_t taking = {.pool = pool};
    cat_csv_reader_t *reader =
        cat_csv_reader_make(pool, &(cat_csv_options_t){style.delimiter, CAT_UTF_8, 1 << 20}, take_row, &taking);
    cat_buffer_t b;

    cat_field_set_add(&style.fields, field);
    product[field] = value;
    cat_buffer_init(&b, pool, 64);
    cat_export_format_find("csv")->begin(&b, &style);
    cat_export_format_find("csv")->add(&b, &style, product, 1);
    FUZZ_CHECK(cat_csv_reader_feed(reader, b.data, b.length) == APR_SUCCESS);
    FUZZ_CHECK(cat_csv_reader_feed(reader, "", 0) == APR_SUCCESS && taking.rows == 2);
    return read_cell(pool, &fields->all[field], &taking.cell, has_comma);
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const cat_fields_t *fields = fuzz_fields();
    int has_comma = size && data[0] & 1, field = size ? (data[0] >> 1) % fields->count : 0;
    const cat_csv_cell_t cell = {size ? fuzz_text(pool, data + 1, size - 1) : "",
                                 size ? strlen(fuzz_text(pool, data + 1, size - 1)) : 0};
    const char *value = cell.length ? read_cell(pool, &fields->all[field], &cell, has_comma) : NULL;

    if (!value || fields->all[field].flags & CAT_SERVER) {
        return;
    }
    fuzz_check_value(pool, &fields->all[field], value);
    for (int comma = 0; comma < 2; comma++) {
        const char *again = export_value(pool, field, value, comma);
        FUZZ_CHECK(again && !strcmp(again, value));
    }
}
