/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_ROW_READER_H
#define CAT_CATALOGUE_ROW_READER_H

#include <apr_tables.h>
#include <jansson.h>

#include "catalogue/product/product.h"
#include "lib/csv.h"

/*
 * Reads the rows of a file of products, NDJSON or CSV, as it comes: in pieces of any size, with the memory of one row.
 * Rows are numbered from 1; the header of a CSV file is row 0. Empty lines are no rows, and neither are rows of empty cells.
 */
typedef struct cat_row_reader_t cat_row_reader_t;

typedef enum { CAT_ROWS_NDJSON, CAT_ROWS_CSV } cat_rows_kind_t;

/* A fault of a row; field "": of the row as a whole. */
typedef struct cat_row_fault_t {
    const char *field, *code, *message;
} cat_row_fault_t;

/* Receives a row: a JSON value, still to be checked, or NULL and the fault that makes it unreadable; both are valid
 * until it returns. Any status but APR_SUCCESS ends the reading, and is returned. */
typedef apr_status_t cat_row_reader_take_t(void *baton, apr_int64_t row, const json_t *value,
                                           const cat_row_fault_t *fault);

/* A column whose name is not that of its field. */
typedef struct cat_row_name_t {
    const char *name; /* without blanks, _ and - */
    int field;        /* fields->count: the column is left out */
} cat_row_name_t;

typedef struct cat_row_options_t {
    const cat_fields_t *fields; /* of the products; NULL: the built-in ones */
    cat_rows_kind_t kind;
    char delimiter;          /* CSV: between cells */
    int has_comma;           /* CSV: flag: numbers have a decimal comma */
    char list_mark;          /* CSV: between the texts of a list; 0: CAT_ROW_LIST_MARK */
    cat_encoding_t encoding; /* of CSV */
    int strict;              /* flag: an unknown column is a fault */
    int key;                 /* the field by which may_update finds products: CAT_PRODUCT_ID, or a unique one */
    int may_update; /* flag: a row with an id updates that product: then an absent cell clears the field, if null does */
    apr_size_t max; /* octets of a row */
    /* CSV: by cell, the field's index, whatever the header row says; fields->count: the column is left out. NULL: the
     * header row says which. */
    const int *columns;
    int count;                       /* of columns */
    const apr_array_header_t *names; /* CSV: cat_row_name_t; others are those of fields. NULL: all are */
    int lacks_header;                /* flag: the first row is one of cells; requires columns */
    int is_cut; /* flag: a last row without the end of its line is left alone, because the rest may follow */
} cat_row_options_t;

/* THE DELIMITERS by name, and the decimal marks, the defaults first; NULL-terminated. */
extern const char *const cat_row_delimiters[], *const cat_row_decimals[];

/* which: an index of cat_row_delimiters. */
char cat_row_delimiter(int which);

/* Of a delimiter, its index; that of NULL: there is none. */
int cat_row_find_delimiter(char delimiter);

#define CAT_ROW_LIST_MARK '|'
#define CAT_ROW_LIST_FAULT "must be one punctuation mark, such as , or /"

/* Takes the mark between the texts of lists. 0: CAT_ROW_LIST_FAULT. */
int cat_row_list_parse(const char *mark, cat_row_options_t *options);

/* Takes the name of a unique field of options->fields as the key. 0: it is none, and the key stays. */
int cat_row_key_parse(const char *name, cat_row_options_t *options);

#define CAT_ROW_COLUMNS_FAULT                                                                                          \
    "must list the fields of the columns, each once, such as name,,price, or pairs of columns and fields, such as "    \
    "Title:name"

/*
 * Parses "name,,price", where an empty name leaves a column out, into columns and count; or "Title:name,Cost (EUR):price,Shelf:" into
 * names: columns by their names in the header row, with a backslash before a comma within. 0: CAT_ROW_COLUMNS_FAULT.
 */
int cat_row_columns_parse(apr_pool_t *pool, const char *names, cat_row_options_t *options);

cat_row_reader_t *cat_row_reader_make(apr_pool_t *pool, const cat_row_options_t *options, cat_row_reader_take_t *take,
                                      void *baton);

/* Reads a piece; length 0: the end. APR_EINVAL: after a fault that was passed on, the rest cannot be read. */
apr_status_t cat_row_reader_feed(cat_row_reader_t *reader, const char *data, apr_size_t length);

/* Where the row that was passed on last is in the text, with the end of its line; before the first one, and while a header is missing,
 * 0, 0. After a fault that ends the reading: an empty range, at the end of the row before, and the line on which the bad row begins. */
cat_octets_t cat_row_reader_place(const cat_row_reader_t *reader);

/* The unknown columns of a header, if they are no faults: const char *, the first CAT_FIELDS_UNKNOWN_MAX. */
const apr_array_header_t *cat_row_reader_ignored(const cat_row_reader_t *reader);

#endif
