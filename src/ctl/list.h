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

/* Does something to what has the id, within a transaction; APR_NOTFOUND: there is none to which it can be done. *count: how many it was
 * done to. id NULL: to all. */
typedef apr_status_t ctl_list_act_t(ctl_t *ctl, const char *id, int *count);

/* Does it to each id that is an operand, or to all if there is none, in one transaction, and prints how many there were. unknown: what is
 * said of an id that is refused. Returns the exit code. */
int ctl_list_act(ctl_t *ctl, ctl_list_act_t *act, const char *unknown);

#endif
