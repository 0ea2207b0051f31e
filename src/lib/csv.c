/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/csv.h"

#include <apr_tables.h>
#include <csv.h>
#include <string.h>

#define MARK "\xef\xbb\xbf" /* byte order mark */
#define MARK_LENGTH (sizeof(MARK) - 1)

/* libcsv is given so much at a time: after each its buffer, which it grows for a cell, is compared with the limit. */
#define PIECE 4096

/* ---- writing ---- */

/* Spaces at an end too, which many readers take away from a cell without quotes. */
static int needs_quotes(const char *text)
{
    return !*text || text[strcspn(text, "\",\r\n")] || *text == ' ' || text[strlen(text) - 1] == ' ';
}

void cat_csv_add_cell(cat_buffer_t *b, const char *text)
{
    if (!text) {
        return;
    }
    if (!needs_quotes(text)) {
        cat_buffer_add_text(b, text);
        return;
    }
    CAT_BUFFER_LITERAL(b, "\"");
    for (;;) {
        apr_size_t plain = strcspn(text, "\"");
        cat_buffer_add(b, text, plain);
        text += plain;
        if (!*text) {
            break;
        }
        CAT_BUFFER_LITERAL(b, "\"\"");
        text++;
    }
    CAT_BUFFER_LITERAL(b, "\"");
}

int cat_csv_is_formula(const char *text)
{
    /* Excel takes full-width signs for their ASCII forms where the language is Chinese or Japanese. */
    static const char *const beginnings[] = {"=",  "+",      "-",      "@",      "\t",    "\r",
                                             "\n", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};

    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
        if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ---- reading ---- */

typedef struct position_t {
    apr_size_t offset, length;
    int is_absent;
} position_t;

struct cat_csv_reader_t {
    struct csv_parser parser;
    apr_pool_t *row_pool; /* of the row that is being read */
    cat_buffer_t text;    /* its cells, each with a NUL after it */
    apr_array_header_t *cells;
    apr_size_t max;
    cat_csv_row_t *row;
    void *baton;
    apr_status_t rv;    /* the first failure */
    apr_off_t position; /* octets that were parsed */
    int is_in_row;      /* flag: it has read the first octet of a row, at `begin` */
    apr_off_t begin;
    cat_octets_t place; /* of the last row */
    apr_size_t mark;    /* octets of a byte order mark that were seen */
    int is_after_mark;  /* flag: there was one, or none */
};

static apr_status_t free_parser(void *parser)
{
    csv_free(parser);
    return APR_SUCCESS;
}

static int is_no_space(unsigned char c)
{
    (void)c;
    return 0;
}

static void begin_row(cat_csv_reader_t *r)
{
    apr_pool_clear(r->row_pool);
    cat_buffer_init(&r->text, r->row_pool, 512);
    r->cells = apr_array_make(r->row_pool, 16, sizeof(position_t));
}

cat_csv_reader_t *cat_csv_reader_make(apr_pool_t *pool, char delimiter, apr_size_t max, cat_csv_row_t *row, void *baton)
{
    cat_csv_reader_t *r = apr_pcalloc(pool, sizeof(*r));

    r->max = max;
    r->row = row;
    r->baton = baton;
    if (csv_init(&r->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_EMPTY_IS_NULL) != 0) {
        r->rv = APR_ENOMEM;
    }
    apr_pool_cleanup_register(pool, &r->parser, free_parser, apr_pool_cleanup_null);
    csv_set_delim(&r->parser, (unsigned char)delimiter);
    csv_set_space_func(&r->parser, is_no_space); /* spaces are part of a cell (RFC 4180, 2.4) */
    apr_pool_create(&r->row_pool, pool);
    begin_row(r);
    return r;
}

static void take_cell(void *text, size_t length, void *reader)
{
    cat_csv_reader_t *r = reader;

    if (r->rv != APR_SUCCESS) {
        return;
    }
    if (r->cells->nelts == CAT_CSV_CELLS_MAX || length > r->max || r->text.length > r->max - length) {
        r->rv = APR_ENOSPC;
        return;
    }
    APR_ARRAY_PUSH(r->cells, position_t) = (position_t){r->text.length, length, !text};
    if (text) {
        cat_buffer_add(&r->text, text, length);
    }
    cat_buffer_add(&r->text, "", 1);
}

static void take_row(int end, void *reader)
{
    cat_csv_reader_t *r = reader;
    cat_csv_cell_t *cells;

    (void)end;
    if (r->rv != APR_SUCCESS) {
        return;
    }
    cells = apr_palloc(r->row_pool, (apr_size_t)(r->cells->nelts + 1) * sizeof(*cells));
    for (int i = 0; i < r->cells->nelts; i++) {
        const position_t *p = &APR_ARRAY_IDX(r->cells, i, position_t);
        cells[i] = (cat_csv_cell_t){p->is_absent ? NULL : r->text.data + p->offset, p->length};
    }
    r->place = (cat_octets_t){r->begin, r->position};
    r->is_in_row = 0;
    r->rv = r->row(r->baton, cells, r->cells->nelts);
    begin_row(r);
}

/* No more than a line, so that a row ends where a piece does. */
static apr_size_t measure_piece(const char *data, apr_size_t length)
{
    apr_size_t most = length < PIECE ? length : PIECE, end = 0;

    while (end < most && data[end] != '\n' && data[end] != '\r') {
        end++;
    }
    return end < most ? end + 1 : most;
}

/* A line end before the first octet of a row is skipped, as the parser does. */
static void note_place(cat_csv_reader_t *r, char first, apr_size_t piece)
{
    if (!r->is_in_row && first != '\n' && first != '\r') {
        r->is_in_row = 1;
        r->begin = r->position;
    }
    r->position += (apr_off_t)piece;
}

static void parse_text(cat_csv_reader_t *r, const char *data, apr_size_t length)
{
    while (length && r->rv == APR_SUCCESS) {
        apr_size_t piece = measure_piece(data, length);
        size_t parsed;

        note_place(r, *data, piece);
        parsed = csv_parse(&r->parser, data, piece, take_cell, take_row, r);
        if (r->rv == APR_SUCCESS && parsed < piece) {
            r->rv = csv_error(&r->parser) == CSV_EPARSE ? APR_EINVAL : APR_ENOMEM;
        }
        if (r->rv == APR_SUCCESS && r->parser.entry_pos > r->max) {
            r->rv = APR_ENOSPC;
        }
        data += piece;
        length -= piece;
    }
}

/* A mark may come in pieces. What only began like one is part of the first cell. */
static void skip_mark(cat_csv_reader_t *r, const char **data, apr_size_t *length)
{
    while (*length && r->mark < MARK_LENGTH && **data == MARK[r->mark]) {
        r->mark++;
        ++*data;
        --*length;
    }
    if (*length || r->mark == MARK_LENGTH) {
        r->is_after_mark = 1;
        r->position = r->mark == MARK_LENGTH ? (apr_off_t)MARK_LENGTH : 0;
        parse_text(r, MARK, r->mark < MARK_LENGTH ? r->mark : 0);
    }
}

static void end_text(cat_csv_reader_t *r)
{
    if (!r->is_after_mark) {
        parse_text(r, MARK, r->mark);
    }
    if (r->rv == APR_SUCCESS && csv_fini(&r->parser, take_cell, take_row, r) != 0) {
        r->rv = r->rv == APR_SUCCESS ? APR_EINVAL : r->rv;
    }
}

apr_status_t cat_csv_reader_feed(cat_csv_reader_t *r, const char *data, apr_size_t length)
{
    if (length == 0) {
        end_text(r);
        return r->rv;
    }
    if (!r->is_after_mark) {
        skip_mark(r, &data, &length);
    }
    parse_text(r, data, length);
    return r->rv;
}

cat_octets_t cat_csv_reader_place(const cat_csv_reader_t *r)
{
    return r->place;
}
