/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executor of MySQL, and of SQLite's writes: statements by the functions of apr_dbd. Each is prepared when it is first
 * used and kept with the connection, by its number in sql.def or, if its text is made at run time, in one of 64 slots.
 *
 * A database may drop what it has prepared, for instance after a change of the schema. Then the statement fails without
 * having run (CAT_EDEAD), is prepared again, and runs. Not so where the same failure has ended the transaction: a node of
 * a Galera cluster rolls back silently while a statement is prepared, and what follows would be committed by itself. So
 * after each preparation within a transaction the executor asks whether that is still open (SQL_STILL_OPEN).
 */
#include <apr_strings.h>
#include <string.h>

#include "db/connection/connection_state.h"
#include "db/connection/executor.h"
#include "db/connection/sql_text.h"
#include "db/connection/statement.h"
#include "db/connection/text_slots.h"
#include "db/dialects/status.h"

/* How often a statement is run that was found dead: the schema may change again meanwhile. */
#define TRIES 5

/* What apr_dbd_get_row returns after the last row; any other number is an error. */
#define NO_MORE_ROWS (-1)

/* Rows are read one after the other. MySQL's driver would else pass all rows before each one; it has them all in memory either way. */
#define IN_ORDER 0

typedef struct prepared_t {
    apr_dbd_prepared_t *handle; /* NULL: not prepared on this connection */
    int placeholders;
} prepared_t;

typedef struct dbd_t {
    prepared_t statements[SQL_COUNT];
    cat_text_slots_t *slots;
    prepared_t made[CAT_TEXT_SLOTS]; /* on the pools of the slots, so the end of a slot closes its statement */
} dbd_t;

static void *make_dbd(const cat_db_handle_t *handle)
{
    dbd_t *dbd = apr_pcalloc(handle->pool, sizeof(*dbd));

    dbd->slots = cat_text_slots_make(handle->pool);
    return dbd;
}

static dbd_t *dbd_of(const cat_connection_t *conn)
{
    return conn->executor_data;
}

static void forget_statements(cat_connection_t *conn)
{
    memset(dbd_of(conn)->statements, 0, sizeof(dbd_of(conn)->statements));
    for (int i = 0; i < CAT_TEXT_SLOTS; i++) {
        cat_text_slots_free(dbd_of(conn)->slots, i);
    }
}

/* A statement: one of the table's, or with a text made at run time. */
typedef struct which_t {
    cat_sql_t sql;
    const char *text; /* NULL: the table's */
} which_t;

static const char *name_of(const which_t *which)
{
    return which->text ? CAT_DIALECT_GENERATED : cat_dialect_sql_name(which->sql);
}

static apr_status_t judge_result(cat_connection_t *conn, int result, const char *what)
{
    const char *text = result ? apr_dbd_error(conn->handle.driver, conn->handle.dbd, result) : NULL;

    return result ? cat_connection_judge(conn, &(cat_fault_t){.result = result, .text = text ? text : ""}, what)
                  : APR_SUCCESS;
}

/* ---- plain text ---- */

static apr_status_t send_text(cat_connection_t *conn, const char *text)
{
    int changed = 0;

    return judge_result(conn, apr_dbd_query(conn->handle.driver, conn->handle.dbd, &changed, text), text);
}

/* CAT_ENOUGH too: the remaining rows are drained. */
static apr_status_t drain_rows(cat_connection_t *conn, apr_pool_t *pool, apr_dbd_results_t *results, const char *what,
                               cat_row_t *row, void *baton)
{
    apr_dbd_row_t *r = NULL;
    const char *values[CAT_COLUMNS_MAX];
    apr_status_t rv = APR_SUCCESS;
    int columns = apr_dbd_num_cols(conn->handle.driver, results), result = 0;

    if (columns > CAT_COLUMNS_MAX) {
        return APR_ENOSPC;
    }
    for (int n = 1; (result = apr_dbd_get_row(conn->handle.driver, pool, results, &r, n)) == 0; n++) {
        for (int i = 0; i < columns; i++) {
            if (apr_dbd_datum_get(conn->handle.driver, r, i, APR_DBD_TYPE_STRING, &values[i]) != APR_SUCCESS) {
                values[i] = NULL;
            }
        }
        if (rv == APR_SUCCESS) {
            rv = row(baton, values, columns);
        }
    }
    return rv == APR_SUCCESS && result != NO_MORE_ROWS ? judge_result(conn, result, what) : rv;
}

/* The same driver crashes on a prepared statement that returns no rows. */
static int select_text(const cat_connection_t *conn, apr_pool_t *pool, const char *text, apr_dbd_results_t **results)
{
    const cat_db_handle_t *handle = &conn->handle;
    apr_dbd_prepared_t *prepared = NULL;
    int result;

    *results = NULL;
    if (!conn->dialect->crashes_on_late_errors || strncmp(text, "SELECT", strlen("SELECT")) != 0) {
        return apr_dbd_select(handle->driver, pool, handle->dbd, results, text, 1);
    }
    result = apr_dbd_prepare(handle->driver, pool, handle->dbd, text, NULL, &prepared);
    return result ? result : apr_dbd_pselect(handle->driver, pool, handle->dbd, results, prepared, IN_ORDER, 0, NULL);
}

static apr_status_t ask_text(cat_connection_t *conn, apr_pool_t *pool, const char *text, cat_row_t *row, void *baton)
{
    apr_dbd_results_t *results = NULL;
    apr_status_t rv = judge_result(conn, select_text(conn, pool, text, &results), text);

    /* MySQL's driver sets none for a statement without rows */
    return rv == APR_SUCCESS && results ? drain_rows(conn, pool, results, text, row, baton) : rv;
}

/* ---- prepared statements ---- */

static apr_status_t prepare_statement(cat_connection_t *conn, apr_pool_t *pool, const which_t *which, prepared_t *st)
{
    const char *text = which->text ? which->text : cat_dialect_sql(conn->dialect, which->sql);
    int result = apr_dbd_prepare(conn->handle.driver, pool, conn->handle.dbd, text, NULL, &st->handle);

    if (result != 0) {
        st->handle = NULL;
        return judge_result(conn, result, name_of(which));
    }
    st->placeholders = cat_sql_text_count(text);
    return APR_SUCCESS;
}

/* Not by plain text: the driver crashes on the error that a lost transaction makes of it. */
static apr_status_t check_still_open(cat_connection_t *conn, apr_pool_t *pool)
{
    cat_first_row_t first = {.pool = pool};
    const cat_select_t select = {.sql = SQL_STILL_OPEN, .row = cat_connection_keep_first, .baton = &first};
    apr_status_t rv = cat_statement_select(conn, pool, &select);

    if (rv == APR_SUCCESS && !(first.values && first.values[0] && !strcmp(first.values[0], "1"))) {
        apr_cpystrn(conn->fault, "the database has rolled back the transaction", sizeof(conn->fault));
        return CAT_ECONFLICT;
    }
    return rv;
}

static apr_status_t make_statement(cat_connection_t *conn, const char *text, prepared_t **st)
{
    dbd_t *dbd = dbd_of(conn);
    int slot = cat_text_slots_choose(dbd->slots);
    apr_pool_t *pool = cat_text_slots_take(dbd->slots, slot, text);
    apr_status_t rv;

    *st = &dbd->made[slot];
    (*st)->handle = NULL;
    rv = prepare_statement(conn, pool, &(which_t){.text = text}, *st);
    if (rv != APR_SUCCESS) {
        cat_text_slots_free(dbd->slots, slot);
    }
    return rv;
}

/* *is_new: the statement was prepared now. */
static apr_status_t find_statement(cat_connection_t *conn, const which_t *which, prepared_t **st, int *is_new)
{
    dbd_t *dbd = dbd_of(conn);
    int slot = which->text ? cat_text_slots_find(dbd->slots, which->text) : -1;

    *st = slot < 0 ? &dbd->statements[which->sql] : &dbd->made[slot];
    *is_new = which->text ? slot < 0 : !(*st)->handle;
    if (!*is_new) {
        return APR_SUCCESS;
    }
    return which->text ? make_statement(conn, which->text, st) : prepare_statement(conn, conn->handle.pool, which, *st);
}

/* A node of a Galera cluster rolls a transaction back when another node's commit conflicts with it. The next statement
 * fails for it, but to prepare one succeeds: what follows would run outside of a transaction, and stay. */
static apr_status_t find_prepared(cat_connection_t *conn, apr_pool_t *pool, const which_t *which, int count,
                                  apr_dbd_prepared_t **prepared)
{
    prepared_t *st;
    int is_new;
    apr_status_t rv = find_statement(conn, which, &st, &is_new);

    if (rv == APR_SUCCESS && is_new && conn->in_transaction && conn->dialect->rolls_back_silently &&
        (which->text || which->sql != SQL_STILL_OPEN)) {
        rv = check_still_open(conn, pool);
    }
    *prepared = st->handle;
    return rv == APR_SUCCESS ? cat_connection_check_count(conn, name_of(which), st->placeholders, count) : rv;
}

/* A statement that is dead has not run, so it is safe to prepare and run it again, within a transaction too. */
static apr_status_t judge_execution(cat_connection_t *conn, const which_t *which, int result)
{
    dbd_t *dbd = dbd_of(conn);
    apr_status_t rv = judge_result(conn, result, name_of(which));
    int slot = rv == CAT_EDEAD && which->text ? cat_text_slots_find(dbd->slots, which->text) : -1;

    if (slot >= 0) {
        cat_text_slots_free(dbd->slots, slot);
    } else if (rv == CAT_EDEAD && !which->text) {
        dbd->statements[which->sql].handle = NULL;
    }
    return rv;
}

static apr_status_t select_rows(cat_connection_t *conn, apr_pool_t *pool, const cat_select_t *select)
{
    const cat_db_handle_t *handle = &conn->handle;
    const char **values = (const char **)select->values; /* apr_dbd only reads them */
    const which_t which = {select->sql, select->text};
    apr_dbd_results_t *results = NULL;
    apr_dbd_prepared_t *prepared;
    apr_status_t rv = CAT_EDEAD;

    for (int tries = 0; rv == CAT_EDEAD && tries < TRIES; tries++) {
        rv = find_prepared(conn, pool, &which, select->count, &prepared);
        if (rv == APR_SUCCESS) {
            rv = judge_execution(conn, &which,
                                 apr_dbd_pselect(handle->driver, pool, handle->dbd, &results, prepared, IN_ORDER,
                                                 select->count, values));
        }
    }
    if (rv != APR_SUCCESS) {
        return rv == CAT_EDEAD ? CAT_EDOWN : rv;
    }
    return drain_rows(conn, pool, results, name_of(&which), select->row, select->baton);
}

static apr_status_t run_query(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values,
                              int count, int *changed)
{
    const cat_db_handle_t *handle = &conn->handle;
    const which_t which = {.sql = sql};
    apr_dbd_prepared_t *prepared;
    apr_status_t rv = CAT_EDEAD;

    for (int tries = 0; rv == CAT_EDEAD && tries < TRIES; tries++) {
        rv = find_prepared(conn, pool, &which, count, &prepared);
        if (rv == APR_SUCCESS) {
            rv = judge_execution(
                conn, &which,
                apr_dbd_pquery(handle->driver, pool, handle->dbd, changed, prepared, count, (const char **)values));
        }
    }
    return rv == CAT_EDEAD ? CAT_EDOWN : rv;
}

/* ---- in the pool ---- */

/* MySQL's driver asks the database before it hands a connection out, and SQLite's has no peer that could close one. */
static int is_never(cat_connection_t *)
{
    return 0;
}

const cat_executor_t cat_executor_dbd = {
    .make = make_dbd,
    .send = send_text,
    .ask = ask_text,
    .select = select_rows,
    .query = run_query,
    .is_new = is_never,
    .is_cut = is_never,
    .forget = forget_statements,
};
