/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_LIST_H
#define CTL_LIST_H

#include "ctl/ctl.h"
#include "db/dialect.h"
#include "lib/fields.h"

/*
 * Writes what a statement selects as a table (ctl/table.h), in parts, so that a million rows do not lie in memory at
 * once. The statement gives the columns of fields and behind them the one it is ordered by; it takes the value to
 * begin behind, "" at first. Returns the exit code.
 */
int ctl_list_print(ctl_t *ctl, const cat_field_t *fields, int count, cat_sql_t sql);

#endif
