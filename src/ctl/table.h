/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_TABLE_H
#define CTL_TABLE_H

#include "lib/fields.h"

/*
 * Prints a list to stdout: a header and one line per row, tab separated, or a JSON array of objects. Names and values are
 * those of lib/fields.h. In a line, a value that is not set is empty, and a control character becomes '?'.
 */
typedef struct ctl_table_t {
    const cat_field_t *fields;
    int count;
    int json;
    int rows; /* so far */
} ctl_table_t;

void ctl_table_begin(ctl_table_t *table);
void ctl_table_row(ctl_table_t *table, apr_pool_t *pool, const char *const *values);
void ctl_table_end(const ctl_table_t *table);

#endif
