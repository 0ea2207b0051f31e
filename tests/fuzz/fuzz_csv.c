/* SPDX-License-Identifier: Apache-2.0 */
/* CSV from a client: the pieces in which it comes make no difference, and what is written of its rows reads as the same
 * rows. The first octet is the size of the pieces. */
#include <strings.h>

#include "fuzz.h"
#include "lib/csv.h"

typedef struct reading_t {
    cat_buffer_t rows; /* each cell as its length, "-" if it is absent, and its text */
    cat_buffer_t written;
    int has_nul;
} reading_t;

static apr_status_t take_row(void *baton, const cat_csv_cell_t *cells, int count)
{
    reading_t *r = baton;

    for (int i = 0; i < count; i++) {
        const char *text = cells[i].text;
        FUZZ_CHECK(text ? text[cells[i].length] == '\0' : cells[i].length == 0);
        cat_buffer_add_int(&r->rows, (apr_int64_t)cells[i].length);
        cat_buffer_add(&r->rows, text ? "+" : "-", 1);
        cat_buffer_add(&r->rows, text ? text : "", cells[i].length);
        r->has_nul |= text && strlen(text) != cells[i].length;
        cat_buffer_add_text(&r->written, i ? "," : "");
        cat_csv_add_cell(&r->written, text);
    }
    cat_buffer_add_text(&r->rows, "\n");
    cat_buffer_add_text(&r->written, "\r\n");
    return APR_SUCCESS;
}

static apr_status_t read_all(apr_pool_t *pool, const char *data, size_t size, size_t piece, reading_t *r)
{
    cat_csv_reader_t *reader = cat_csv_reader_make(pool, &(cat_csv_options_t){',', CAT_UTF_8, 1 << 20}, take_row, r);
    apr_status_t rv = APR_SUCCESS;

    *r = (reading_t){.has_nul = 0};
    cat_buffer_init(&r->rows, pool, 64);
    cat_buffer_init(&r->written, pool, 64);
    for (size_t at = 0; at < size && rv == APR_SUCCESS; at += piece) {
        rv = cat_csv_reader_feed(reader, data + at, size - at < piece ? size - at : piece);
    }
    return rv == APR_SUCCESS ? cat_csv_reader_feed(reader, "", 0) : rv;
}

/* What is written may begin with what says how to read it: no export of ours does. */
static int has_mark(const cat_buffer_t *b)
{
    static const char *const marks[] = {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff", "sep="};
    int found = 0;

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        size_t length = strlen(marks[i]);
        found |= b->length >= length && !strncasecmp(b->data, marks[i], length);
    }
    return found;
}

static void check_equal(const cat_buffer_t *a, const cat_buffer_t *b)
{
    FUZZ_CHECK(a->length == b->length && !memcmp(a->data, b->data, a->length));
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *text = (const char *)data + 1;
    reading_t whole, pieces, again;
    apr_status_t rv;

    if (size < 2 || data[0] == 0) {
        return;
    }
    rv = read_all(pool, text, size - 1, size, &whole);
    FUZZ_CHECK(read_all(pool, text, size - 1, data[0], &pieces) == rv);
    if (rv != APR_SUCCESS) {
        return;
    }
    check_equal(&whole.rows, &pieces.rows);
    if (!whole.has_nul && !has_mark(&whole.written)) {
        FUZZ_CHECK(read_all(pool, whole.written.data, whole.written.length, 7, &again) == APR_SUCCESS);
        check_equal(&whole.rows, &again.rows);
    }
}
