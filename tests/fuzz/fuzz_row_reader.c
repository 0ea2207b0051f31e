/* SPDX-License-Identifier: Apache-2.0 */
/* A file of products: the pieces in which it comes make no difference. The first octet is the size of the pieces, the
 * second one its kind. */
#include "catalogue/transfer/row_reader.h"
#include "fuzz.h"
#include "lib/buffer.h"
#include "lib/json.h"

typedef struct rows_t {
    cat_buffer_t text;
    apr_int64_t last;
    cat_octets_t place;
} rows_t;

static apr_status_t take_row(void *baton, apr_int64_t row, const json_t *value, const cat_row_fault_t *fault)
{
    rows_t *r = baton;

    FUZZ_CHECK(row >= r->last && row <= r->last + 1);
    FUZZ_CHECK(!value != !fault);
    r->last = row;
    cat_buffer_add_int(&r->text, row);
    cat_buffer_add_text(&r->text, value ? cat_json_text(r->text.pool, value) : fault->code);
    cat_buffer_add_text(&r->text, value ? "" : fault->field);
    return APR_SUCCESS;
}

static apr_status_t read_all(apr_pool_t *pool, int kind, const char *data, size_t size, size_t piece, rows_t *rows)
{
    const cat_row_options_t options = {.kind = kind & 1 ? CAT_ROWS_CSV : CAT_ROWS_NDJSON,
                                       .delimiter = ",;\t,"[kind >> 4 & 3],
                                       .strict = kind >> 1 & 1,
                                       .may_update = kind >> 2 & 1,
                                       .is_cut = kind >> 3 & 1,
                                       .has_comma = kind >> 6 & 1,
                                       .encoding = kind >> 7 ? CAT_WINDOWS_1252 : CAT_UTF_8,
                                       .max = 4096};
    cat_row_reader_t *reader = cat_row_reader_make(pool, &options, take_row, rows);
    apr_status_t rv = APR_SUCCESS;

    *rows = (rows_t){.last = 0};
    cat_buffer_init(&rows->text, pool, 64);
    for (size_t at = 0; at < size && rv == APR_SUCCESS; at += piece) {
        rv = cat_row_reader_feed(reader, data + at, size - at < piece ? size - at : piece);
    }
    rv = rv == APR_SUCCESS ? cat_row_reader_feed(reader, "", 0) : rv;
    rows->place = cat_row_reader_place(reader);
    FUZZ_CHECK(rows->place.begin >= 0 && rows->place.begin <= rows->place.end && rows->place.end <= (apr_off_t)size);
    return rv;
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *text = (const char *)data + 2;
    rows_t whole, pieces;

    if (size < 3 || data[0] == 0) {
        return;
    }
    FUZZ_CHECK(read_all(pool, data[1], text, size - 2, size, &whole) ==
               read_all(pool, data[1], text, size - 2, data[0], &pieces));
    FUZZ_CHECK(whole.text.length == pieces.text.length &&
               !memcmp(whole.text.data, pieces.text.data, whole.text.length));
    FUZZ_CHECK(whole.place.begin == pieces.place.begin && whole.place.end == pieces.place.end &&
               whole.place.line == pieces.place.line);
}
