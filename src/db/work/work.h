/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_WORK_WORK_H
#define CAT_DB_WORK_WORK_H

#include <apr_errno.h>

/* The function of a transaction; see cat_db_transact and cat_db_view. */
typedef apr_status_t cat_work_t(void *baton);

/* Statements that belong to a write without its knowledge: in each transaction that cat_db_transact runs for db, `run` is
 * called in place of the work, and calls it; the rules of work are its own. */
typedef struct cat_companion_t {
    apr_status_t (*run)(void *baton, cat_work_t *work, void *work_baton);
    void *baton;
} cat_companion_t;

/* How many rows of several threads one statement inserts, or reads by their keys, at most. */
#define CAT_ROWS_MAX 16

#endif
