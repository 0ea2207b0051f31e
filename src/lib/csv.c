/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and reads CSV. libcsv splits the text into cells. This file adds support for the habits of spreadsheet
 * programs: byte order marks and encodings (lib/encoding.h), a first line "sep=;", and quotes inside cells that do not
 * begin with a quote.
 *
 * The decoder delivers UTF-8 in pieces of any size. parse_text cuts them at line ends, so that a row always ends where
 * a piece ends and its position in the file is known when libcsv reports the row.
 */
#include "lib/csv.h"

#include <apr_tables.h>
#include <csv.h>
#include <string.h>

/* Bytes given to libcsv at a time. After each piece, the size of libcsv's cell buffer, which grows with the cell, is
 * checked against the limit. */
#define PIECE 4096
#define CHARACTER_REST 3 /* largest number of continuation bytes of a UTF-8 character */

/* ---- writing ---- */

/* Characters at which some program may split a line, whatever the delimiter of the file is. */
#define SEPARATORS ",;\t|\r\n"

/* Quotes any cell that contains a separator, so that every reader with the right delimiter sees one cell. Also quotes a
 * cell with a space at either end, because many readers trim unquoted cells. */
void cat_csv_add_cell(cat_buffer_t *b, const char *text)
{
    if (!text) {
        return;
    }
    if (*text && !text[strcspn(text, "\"" SEPARATORS)] && *text != ' ' && text[strlen(text) - 1] != ' ') {
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

/* Returns true if a spreadsheet may read the text as a formula. Skips spaces and quotes first, because spreadsheets
 * drop the spaces and may take the quotes for quotes around a cell. */
static int begins_formula(const char *text)
{
    /* Excel treats full-width signs like the ASCII signs in Chinese and Japanese versions. */
    static const char *const signs[] = {"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};

    text += strspn(text, " \"");
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (strncmp(text, signs[i], strlen(signs[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Puts an apostrophe before each part of the text that could begin a cell, not only before the whole text. A program
 * that splits lines at a character other than the file's delimiter may split inside the quotes, because for that
 * program the cell does not begin with a quote. */
void cat_csv_add_safe_cell(cat_buffer_t *b, const char *text)
{
    int is_guarded = *text == '\t' || *text == '\r' || *text == '\n';
    cat_buffer_t safe;

    cat_buffer_init(&safe, b->pool, strlen(text) + 2);
    while (*text) {
        apr_size_t length = strcspn(text, SEPARATORS);

        cat_buffer_add_text(&safe, is_guarded || begins_formula(text) ? "'" : "");
        is_guarded = 0;
        length += text[length] != '\0';
        cat_buffer_add(&safe, text, length);
        text += length;
    }
    cat_csv_add_cell(b, cat_buffer_text(&safe));
}

/* ---- reading ---- */

/* The list has the common blanks, and the no-break, narrow no-break and thin spaces, which some languages put between
 * thousands and some programs around cells. */
apr_size_t cat_csv_measure_blank(const char *text)
{
    static const char *const blanks[] = {" ", "\t", "\r", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89"};

    for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++) {
        if (!strncmp(text, blanks[i], strlen(blanks[i]))) {
            return strlen(blanks[i]);
        }
    }
    return 0;
}

int cat_csv_cell_is_empty(const cat_csv_cell_t *cell)
{
    apr_size_t at = 0, blank = 1;

    while (at < cell->length && blank) {
        blank = cat_csv_measure_blank(cell->text + at);
        at += blank;
    }
    return at == cell->length;
}

int cat_csv_count_cells(const cat_csv_cell_t *cells, int count, int least)
{
    while (count > least && cat_csv_cell_is_empty(&cells[count - 1])) {
        count--;
    }
    return count;
}

/* Parses strictly: in a cell that begins with a quote, any other quote must end the cell or be doubled. Otherwise
 * libcsv would read the rest of the file as part of that cell. parse_piece relaxes this only for a quote inside a cell
 * that does not begin with one. */
#define OPTIONS (CSV_STRICT_FINI | CSV_EMPTY_IS_NULL)
#define STRICT_OPTIONS (CSV_STRICT | OPTIONS)

#define SEP "sep="
#define SEP_LENGTH (sizeof(SEP) - 1)

typedef struct position_t {
    apr_size_t offset, length;
    int is_absent;
} position_t;

struct cat_csv_reader_t {
    struct csv_parser parser;
    cat_decoder_t *decoder;
    apr_pool_t *row_pool; /* pool of the row that is being read */
    cat_buffer_t text;    /* cells of that row, each with a NUL after it */
    apr_array_header_t *cells;
    apr_size_t max;
    cat_csv_row_t *row;
    void *baton;
    apr_status_t rv;    /* first failure, or APR_SUCCESS */
    apr_off_t position; /* bytes of the file that were parsed, not counting the byte order mark */
    apr_int64_t line;   /* line number of the next byte */
    char last;          /* byte parsed last */
    int is_in_row;      /* true if the first byte of a row was read, at `begin` */
    cat_octets_t begin;
    cat_octets_t place;         /* position of the last complete row */
    char first[SEP_LENGTH + 2]; /* beginning of the text, held until it is known whether it is the line "sep=;" */
    apr_size_t first_length;
    int is_after_first; /* true once it is known whether the text has that line */
};

static apr_status_t free_parser(void *parser)
{
    csv_free(parser);
    return APR_SUCCESS;
}

static int is_no_space(unsigned char)
{
    return 0;
}

static void begin_row(cat_csv_reader_t *r)
{
    apr_pool_clear(r->row_pool);
    cat_buffer_init(&r->text, r->row_pool, 512);
    r->cells = apr_array_make(r->row_pool, 16, sizeof(position_t));
}

static cat_decoder_take_t take_text;

cat_csv_reader_t *cat_csv_reader_make(apr_pool_t *pool, const cat_csv_options_t *options, cat_csv_row_t *row,
                                      void *baton)
{
    cat_csv_reader_t *r = apr_pcalloc(pool, sizeof(*r));

    r->max = options->max;
    r->row = row;
    r->baton = baton;
    r->line = 1;
    r->decoder = cat_decoder_make(pool, options->encoding, take_text, r);
    if (csv_init(&r->parser, STRICT_OPTIONS) != 0) {
        r->rv = APR_ENOMEM;
    }
    apr_pool_cleanup_register(pool, &r->parser, free_parser, apr_pool_cleanup_null);
    csv_set_delim(&r->parser, (unsigned char)options->delimiter);
    csv_set_space_func(&r->parser, is_no_space); /* spaces are part of a cell (RFC 4180, section 2, rule 4) */
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

static apr_off_t tell_position(const cat_csv_reader_t *r)
{
    return (apr_off_t)cat_decoder_mark(r->decoder) + r->position;
}

static void take_row(int, void *reader)
{
    cat_csv_reader_t *r = reader;
    cat_csv_cell_t *cells;

    if (r->rv != APR_SUCCESS) {
        return;
    }
    cells = apr_palloc(r->row_pool, (apr_size_t)(r->cells->nelts + 1) * sizeof(*cells));
    for (int i = 0; i < r->cells->nelts; i++) {
        const position_t *p = &APR_ARRAY_IDX(r->cells, i, position_t);
        cells[i] = (cat_csv_cell_t){p->is_absent ? NULL : r->text.data + p->offset, p->length};
    }
    r->place = (cat_octets_t){r->begin.begin, tell_position(r), r->begin.line};
    r->is_in_row = 0;
    r->rv = r->row(r->baton, cells, r->cells->nelts);
    begin_row(r);
}

/* Returns the length of the next piece: at most one line, so that a row ends where a piece ends, and whole
 * characters. */
static apr_size_t measure_piece(const char *data, apr_size_t length)
{
    apr_size_t most = length < PIECE ? length : PIECE, end = 0;

    while (end < most && data[end] != '\n' && data[end] != '\r') {
        end++;
    }
    if (end < most) {
        return end + 1;
    }
    while (end < length && end < most + CHARACTER_REST && (data[end] & 0xc0) == 0x80) {
        end++;
    }
    return end;
}

/* Updates the position before a piece is parsed. Line ends before the first byte of a row do not begin the row, as in
 * libcsv. */
static void note_place(cat_csv_reader_t *r, const char *data, apr_size_t piece)
{
    char last = data[piece - 1], before = piece > 1 ? data[piece - 2] : r->last;

    if (!r->is_in_row && *data != '\n' && *data != '\r') {
        r->is_in_row = 1;
        r->begin = (cat_octets_t){.begin = tell_position(r), .line = r->line};
    }
    r->position += (apr_off_t)cat_encoding_measure(cat_decoder_encoding(r->decoder), data, piece);
    r->line += last == '\r' || (last == '\n' && before != '\r');
    r->last = last;
}

/* Returns the number of bytes parsed. The number is less than `piece` if a quote is in the wrong place or memory ran
 * out. */
static size_t parse_piece(cat_csv_reader_t *r, const char *data, apr_size_t piece)
{
    size_t parsed = csv_parse(&r->parser, data, piece, take_cell, take_row, r);

    while (parsed < piece && csv_error(&r->parser) == CSV_EPARSE && !r->parser.quoted) {
        csv_set_opts(&r->parser, OPTIONS);
        parsed += csv_parse(&r->parser, data + parsed, 1, take_cell, take_row, r);
        csv_set_opts(&r->parser, STRICT_OPTIONS);
        parsed += csv_parse(&r->parser, data + parsed, piece - parsed, take_cell, take_row, r);
    }
    return parsed;
}

static void parse_text(cat_csv_reader_t *r, const char *data, apr_size_t length)
{
    while (length && r->rv == APR_SUCCESS) {
        apr_size_t piece = measure_piece(data, length);
        size_t parsed;

        note_place(r, data, piece);
        parsed = parse_piece(r, data, piece);
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

/* ---- the first line ---- */

/* Returns true if the held bytes followed by `byte` can begin a line "sep=;" with its line end. */
static int continues_sep(const cat_csv_reader_t *r, char byte)
{
    apr_size_t at = r->first_length;

    return byte &&
           (at < SEP_LENGTH ? (byte | 0x20) == (SEP[at] | 0x20) : !!strchr(at == SEP_LENGTH ? ",;\t" : "\r\n", byte));
}

/* Takes the delimiter from the held line "sep=;", or parses the held bytes if they are not that line. */
static void end_first_line(cat_csv_reader_t *r)
{
    char first[sizeof(r->first)];
    apr_size_t length = r->first_length;

    memcpy(first, r->first, length);
    r->is_after_first = 1;
    if (length == sizeof(first)) {
        csv_set_delim(&r->parser, (unsigned char)first[SEP_LENGTH]);
        note_place(r, first, length);
        r->is_in_row = 0;
    } else {
        parse_text(r, first, length);
    }
}

static void skip_first_line(cat_csv_reader_t *r, const char **data, apr_size_t *length)
{
    while (*length && r->first_length < sizeof(r->first) && continues_sep(r, **data)) {
        r->first[r->first_length++] = *(*data)++;
        --*length;
    }
    if (*length || r->first_length == sizeof(r->first)) {
        end_first_line(r);
    }
}

/* ---- the reader ---- */

static apr_status_t take_text(void *reader, const char *text, apr_size_t length)
{
    cat_csv_reader_t *r = reader;

    if (!r->is_after_first) {
        skip_first_line(r, &text, &length);
    }
    parse_text(r, text, length);
    return r->rv;
}

static void end_text(cat_csv_reader_t *r)
{
    if (!r->is_after_first) {
        end_first_line(r);
    }
    if (r->rv == APR_SUCCESS && csv_fini(&r->parser, take_cell, take_row, r) != 0) {
        r->rv = r->rv == APR_SUCCESS ? APR_EINVAL : r->rv;
    }
}

apr_status_t cat_csv_reader_feed(cat_csv_reader_t *r, const char *data, apr_size_t length)
{
    apr_status_t rv = r->rv == APR_SUCCESS ? cat_decoder_feed(r->decoder, data, length) : r->rv;

    r->rv = r->rv == APR_SUCCESS ? rv : r->rv;
    if (length == 0 && r->rv == APR_SUCCESS) {
        end_text(r);
    }
    return r->rv;
}

cat_octets_t cat_csv_reader_place(const cat_csv_reader_t *r)
{
    return r->place;
}

apr_int64_t cat_csv_reader_line(const cat_csv_reader_t *r)
{
    return r->is_in_row ? r->begin.line : r->line;
}

char cat_csv_reader_delimiter(const cat_csv_reader_t *r)
{
    return (char)csv_get_delim((struct csv_parser *)&r->parser);
}

cat_encoding_t cat_csv_reader_encoding(const cat_csv_reader_t *r)
{
    return cat_decoder_encoding(r->decoder);
}
