/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_CSV_H
#define CAT_LIB_CSV_H

#include <apr_errno.h>
#include <apr_pools.h>

#include "lib/buffer.h"
#include "lib/encoding.h"

/*
 * CSV (RFC 4180) in UTF-8. A cell without anything, not even quotes, is absent: NULL. Two quotes are an empty text. So a
 * record with absent fields survives being written and read.
 */

/* Writes a cell, in quotes where it needs them; NULL: absent. */
void cat_csv_add_cell(cat_buffer_t *b, const char *text);

/* Writes a text so that no spreadsheet takes it, or a part of it, for a formula, whichever of comma, semicolon, tab, "|" and line ends it
 * splits the file at: with an apostrophe before whatever it could take for one. */
void cat_csv_add_safe_cell(cat_buffer_t *b, const char *text);

#define CAT_CSV_CELLS_MAX 1000 /* of a row that is read: no more is worth its memory */

/* A cell that was read: UTF-8 or not, perhaps with NULs; NUL-terminated. */
typedef struct cat_csv_cell_t {
    const char *text; /* NULL: absent */
    apr_size_t length;
} cat_csv_cell_t;

/* The octets of the blank that the text begins with; 0: it begins with none. */
apr_size_t cat_csv_measure_blank(const char *text);

/* Has it nothing but blanks? */
int cat_csv_cell_is_empty(const cat_csv_cell_t *cell);

/* The number of cells up to the last one that is not blank, but not below `least` unless there are fewer cells. */
int cat_csv_count_cells(const cat_csv_cell_t *cells, int count, int least);

/* Octets of a text: begin is the first one, end the one after the last. */
typedef struct cat_octets_t {
    apr_off_t begin, end;
    apr_int64_t line; /* that the first one is on, from 1; 0: not known */
} cat_octets_t;

/* Receives a row, whose cells are valid until it returns. Any status but APR_SUCCESS ends the reading, and is returned. */
typedef apr_status_t cat_csv_row_t(void *baton, const cat_csv_cell_t *cells, int count);

typedef struct cat_csv_reader_t cat_csv_reader_t;

typedef struct cat_csv_options_t {
    char delimiter; /* between cells, unless the first line is another one's "sep=;" */
    cat_encoding_t encoding;
    apr_size_t max; /* octets of a row, in UTF-8 */
} cat_csv_options_t;

/* Reads rows. A byte order mark at the beginning, which may say another encoding, a first line "sep=;" and empty lines are skipped; a line
 * ends with LF, CR LF or CR. A quote within a cell that does not begin with one is itself. */
cat_csv_reader_t *cat_csv_reader_make(apr_pool_t *pool, const cat_csv_options_t *options, cat_csv_row_t *row,
                                      void *baton);

/* Reads a piece of the text; length 0: its end. APR_EINVAL: it is no CSV, because of a quote. APR_ENOSPC: a row is too
 * long. APR_BADCH, APR_ENOTIMPL: of cat_decoder_feed. After a failure the reader is of no more use. */
apr_status_t cat_csv_reader_feed(cat_csv_reader_t *reader, const char *data, apr_size_t length);

/* Where the row that was read last is in the text, with the end of its line; before the first one 0, 0. */
cat_octets_t cat_csv_reader_place(const cat_csv_reader_t *reader);

/* The line on which the row that is being read begins. */
apr_int64_t cat_csv_reader_line(const cat_csv_reader_t *reader);

/* What the text is read as: its beginning may have said other than the caller. */
char cat_csv_reader_delimiter(const cat_csv_reader_t *reader);
cat_encoding_t cat_csv_reader_encoding(const cat_csv_reader_t *reader);

#endif
