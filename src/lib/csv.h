/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_CSV_H
#define CAT_LIB_CSV_H

#include <apr_errno.h>
#include <apr_pools.h>

#include "lib/buffer.h"
#include "lib/encoding.h"

/*
 * CSV (RFC 4180) in UTF-8. An empty cell without quotes is absent: its text is NULL. An empty cell in quotes is an
 * empty text. So a record with absent fields is read as it was written.
 */

/* Writes a cell, quoted if necessary. Writes nothing if `text` is NULL; the caller writes the delimiters. */
void cat_csv_add_cell(cat_buffer_t *b, const char *text);

/* Writes a text so that no spreadsheet executes it or a part of it as a formula. Puts an apostrophe before each part
 * that could be read as one, whether the program splits the file at commas, semicolons, tabs, "|" or line ends. */
void cat_csv_add_safe_cell(cat_buffer_t *b, const char *text);

#define CAT_CSV_CELLS_MAX 1000 /* largest number of cells in a row that is read; bounds the memory of a row */

/* A cell that was read. The text is NUL-terminated, may contain further NULs, and need not be valid UTF-8. */
typedef struct cat_csv_cell_t {
    const char *text; /* NULL if the cell is absent */
    apr_size_t length;
} cat_csv_cell_t;

/* Returns the number of bytes of the blank (space, tab, carriage return or a no-break or thin space) that the text
 * begins with. Returns 0 if the text does not begin with a blank. */
apr_size_t cat_csv_measure_blank(const char *text);

/* Returns true if the cell is absent or consists of blanks. */
int cat_csv_cell_is_empty(const cat_csv_cell_t *cell);

/* Returns the number of cells without the blank cells at the end, but at least the smaller of `least` and `count`. */
int cat_csv_count_cells(const cat_csv_cell_t *cells, int count, int least);

/* Range of bytes in a file: `begin` is the offset of the first byte, `end` the offset after the last byte. */
typedef struct cat_octets_t {
    apr_off_t begin, end;
    apr_int64_t line; /* line number of the first byte, from 1; 0 if not known */
} cat_octets_t;

/* Receives a row. The cells are valid until the function returns. A status other than APR_SUCCESS stops the reader, and
 * cat_csv_reader_feed returns it. */
typedef apr_status_t cat_csv_row_t(void *baton, const cat_csv_cell_t *cells, int count);

typedef struct cat_csv_reader_t cat_csv_reader_t;

typedef struct cat_csv_options_t {
    char delimiter; /* character between cells; a first line "sep=;" overrides it */
    cat_encoding_t encoding;
    apr_size_t max; /* largest number of bytes of a row, in UTF-8 */
} cat_csv_options_t;

/* Creates a reader on the pool, which calls `row` for each row. The reader skips a byte order mark at the beginning,
 * which may override the encoding, a first line "sep=;" and empty lines. LF, CR LF and CR end a line. A quote inside a
 * cell that does not begin with a quote is an ordinary character. */
cat_csv_reader_t *cat_csv_reader_make(apr_pool_t *pool, const cat_csv_options_t *options, cat_csv_row_t *row,
                                      void *baton);

/* Reads the next piece of the text. Length 0 marks the end of the text. Returns APR_EINVAL if the text is not CSV
 * because of a misplaced quote, APR_ENOSPC if a row has too many bytes or cells, APR_ENOMEM, or an error of
 * cat_decoder_feed (APR_BADCH, APR_ENOTIMPL) or of `row`. After an error, each further call returns the same error. */
apr_status_t cat_csv_reader_feed(cat_csv_reader_t *reader, const char *data, apr_size_t length);

/* Returns the position of the last row that was read, including its line end. Returns 0, 0 before the first row. */
cat_octets_t cat_csv_reader_place(const cat_csv_reader_t *reader);

/* Returns the number of the line on which the row that is being read begins. */
apr_int64_t cat_csv_reader_line(const cat_csv_reader_t *reader);

/* Return the delimiter and the encoding in use. The beginning of the text may have overridden the caller's options. */
char cat_csv_reader_delimiter(const cat_csv_reader_t *reader);
cat_encoding_t cat_csv_reader_encoding(const cat_csv_reader_t *reader);

#endif
