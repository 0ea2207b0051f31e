/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_FILE_HEAD_H
#define CAT_CATALOGUE_FILE_HEAD_H

#include <jansson.h>

#include "lib/csv.h"

/* The first rows of a CSV file, whatever is in them: for a person who has to say which column is which field. */
typedef struct cat_file_head_t cat_file_head_t;

#define CAT_FILE_HEAD_ROWS 6 /* at most, with the header row */

cat_file_head_t *cat_file_head_make(apr_pool_t *pool, const cat_csv_options_t *options);

/* Reads a piece; length 0: the end. APR_EOF: there is no need to read on, because it has all its rows or the rest is no
 * CSV. */
apr_status_t cat_file_head_feed(cat_file_head_t *head, const char *data, apr_size_t length);

/* What the file is read as (lib/csv.h). */
char cat_file_head_delimiter(const cat_file_head_t *head);
cat_encoding_t cat_file_head_encoding(const cat_file_head_t *head);

/* An array of rows, which are arrays of texts. An absent cell is "", one that is not UTF-8 is U+FFFD. */
const json_t *cat_file_head_rows(const cat_file_head_t *head);

#endif
