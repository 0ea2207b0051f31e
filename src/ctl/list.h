/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_LIST_H
#define CTL_LIST_H

#include "ctl/ctl.h"
#include "db/db.h"
#include "lib/fields.h"

/*
 * Prints the rows of a statement as a table (ctl/table.h), in pages, so a million rows are not in memory at once. The
 * statement selects the columns of fields, then the column it is ordered by; its first argument is the value after
 * which it begins, "" at first; `values` follow. Returns the exit code.
 */
int ctl_list_print(ctl_t *ctl, const cat_field_t *fields, int count, cat_sql_t sql, const char *const *values,
                   int value_count);

#define CTL_LIST_VALUES_MAX 16

/* Is the operand at this place, an id, among those before it? */
int ctl_list_is_repeated(const ctl_t *ctl, int place);

#endif
