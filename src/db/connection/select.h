/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_SELECT_H
#define CAT_DB_CONNECTION_SELECT_H

#include "db/dialects/dialect.h"

/* A row function returns it when it needs no more rows; for the caller of the select that is APR_SUCCESS. */
#define CAT_ENOUGH (APR_OS_START_USERERR + 14)

#define CAT_COLUMNS_MAX 32 /* of a row */

/* Receives one row: the values in the statement's column order, NULL for SQL's NULL, valid until the function returns.
 * It must not use the database. Any status but APR_SUCCESS ends the calls; the remaining rows are still drained. */
typedef apr_status_t cat_row_t(void *baton, const char *const *values, int count);

/* A select with its arguments, one for each placeholder, and the function that receives its rows. */
typedef struct cat_select_t {
    cat_sql_t sql;
    const char *text; /* made at run time, as in sql.def; NULL: that of sql, which does not count otherwise */
    const char *const *values;
    int count;
    cat_row_t *row;
    void *baton;         /* row's */
    apr_time_t deadline; /* SQLite, of a text made at run time: when it is ended; 0: never */
} cat_select_t;

#endif
