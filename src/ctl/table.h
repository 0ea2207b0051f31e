/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_TABLE_H
#define CTL_TABLE_H

#include "lib/fields.h"

/*
 * A list on stdout: with a header, tab separated, a row a line; or as a JSON array of objects. Both have
 * lib/fields.h's names and values; in a line, what is not set is empty, and a control character a '?'.
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
