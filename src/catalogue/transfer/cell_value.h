/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CELL_VALUE_H
#define CAT_CATALOGUE_CELL_VALUE_H

#include <jansson.h>

#include "lib/csv.h"
#include "lib/fields.h"

/*
 * The JSON value of a cell of CSV, which is that of a field of this kind; a new reference. Numbers and booleans are read as people and
 * spreadsheets write them: "1 299", ".5", "+5", "0012", "Ja", "0"; has_comma: with a decimal comma, "1.299,50". What is none of them is a text,
 * which the check of the field refuses. A list has its texts between its mark (lib/list_text.h). NULL: the text is not UTF-8, or of CAT_VALUE not
 * JSON.
 */
json_t *cat_cell_value_read(apr_pool_t *pool, cat_kind_t kind, const cat_csv_cell_t *cell, int has_comma,
                            char list_mark);

#endif
