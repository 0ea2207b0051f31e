/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executor of PostgreSQL: apr_dbd's driver opens the connection, libpq does the rest on it, with prepared statements,
 * values as they are, and the SQLSTATE of each failure.
 *
 *     a statement:   UNKNOWN  -- PQprepare -->  READY  -- its result has other types by now -->  STALE
 *                    UNKNOWN  <-- 26000 (the server does not know it), or the connection was opened anew
 *
 * A pooler between httpd and PostgreSQL may give the connection another server session for each transaction. Names of
 * statements are therefore made of their texts, so that one which is there already is the right one; and a connection
 * that loses statements often stops preparing them and sends texts with values.
 */
#include <apr_strings.h>
#include <libpq-events.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "db/connection/connection_state.h"
#include "db/connection/executor.h"
#include "db/connection/libpq_hosts.h"
#include "db/connection/sql_text.h"
#include "db/connection/text_slots.h"
#include "db/dialects/status.h"

/* How often a statement is prepared for one execution before it runs as text: one of those that another connection
 * prepares and drops meanwhile, or that a pooler forwards to another server session each time. */
#define TRIES 3

/* A connection that loses LOSSES_MAX statements within LOSSES_TIME stops preparing them: a pooler may give it another
 * server session for each transaction, or somebody sends DISCARD ALL each time. */
#define LOSSES_MAX 4
#define LOSSES_TIME apr_time_from_sec(60)

/* How long to wait for the end of a connection whose server has said that it ends it, and how often to look. */
#define CLOSING_MSEC 100
#define LOOKS_MAX 8

/* How long a statement waits for its result before the connection's is_overtaken is called, and how long between two calls. */
#define WAIT_MSEC 1000

#define ADMIN_SHUTDOWN "57P01"
#define DUPLICATE_STATEMENT "42P05"
#define UNKNOWN_STATEMENT "26000"

typedef enum {
    UNKNOWN, /* not prepared on this connection, as far as is known */
    READY,
    STALE /* prepared, but its result has other types by now */
} state_t;

typedef struct prepared_t {
    char name[CAT_SQL_TEXT_NAME];
    const char *text;  /* NULL: this and the other members are not known yet */
    const char *label; /* for logs */
    int placeholders;
    state_t state;
} prepared_t;

typedef struct libpq_t {
    PGconn *pg;
    apr_pool_t *pool;
    int is_new;        /* flag: libpq has opened the connection anew, and the executor was not asked since */
    int is_closing;    /* flag: the server has said that it ends the session */
    int is_overtaken;  /* flag: another server was promoted while a statement waited for this one */
    int is_unprepared; /* flag: statements run as text until the connection leaves the pool again */
    int losses;        /* since first_loss */
    apr_time_t first_loss;
    prepared_t statements[SQL_COUNT];
    cat_text_slots_t *slots;
    prepared_t made[CAT_TEXT_SLOTS]; /* their texts are on the pools of the slots */
} libpq_t;

static libpq_t *libpq_of(const cat_connection_t *conn)
{
    return conn->executor_data;
}

/* ---- what libpq tells ---- */

/* apr_dbd's driver calls PQreset where it finds a connection lost, and tells nobody. */
static int take_event(PGEventId event, void *, void *libpq)
{
    if (event == PGEVT_CONNRESET) {
        ((libpq_t *)libpq)->is_new = 1;
    }
    return 1;
}

/* Notices are in the server's log. Without this libpq writes them to standard error, which is httpd's error log. */
static void take_notice(void *libpq, const PGresult *notice)
{
    const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);

    ((libpq_t *)libpq)->is_closing |= severity && (!strcmp(severity, "FATAL") || !strcmp(severity, "PANIC"));
}

static int watch_connection(libpq_t *libpq)
{
    PQsetNoticeReceiver(libpq->pg, take_notice, libpq);
    return PQregisterEventProc(libpq->pg, take_event, "mod_catalog", libpq) &&
           PQsetInstanceData(libpq->pg, take_event, libpq);
}

/* libpq takes the events' function once for a connection, so one whose session could not be set up keeps its data. */
static void *make_libpq(const cat_db_handle_t *handle)
{
    PGconn *pg = apr_dbd_native_handle(handle->driver, handle->dbd);
    libpq_t *libpq = PQinstanceData(pg, take_event);

    if (!libpq) {
        libpq = apr_pcalloc(handle->pool, sizeof(*libpq));
        libpq->pg = pg;
        libpq->pool = handle->pool;
        libpq->slots = cat_text_slots_make(handle->pool);
        libpq = watch_connection(libpq) ? libpq : NULL;
    }
    return libpq;
}

static void forget_statements(cat_connection_t *conn)
{
    for (int i = 0; i < SQL_COUNT; i++) {
        libpq_of(conn)->statements[i].state = UNKNOWN;
    }
    for (int i = 0; i < CAT_TEXT_SLOTS; i++) {
        libpq_of(conn)->made[i].state = UNKNOWN;
    }
}

/* ---- results ---- */

static int has_state(const PGresult *result, const char *state)
{
    const char *found = PQresultErrorField(result, PG_DIAG_SQLSTATE);

    return found && !strcmp(found, state);
}

static int is_success(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

/* The server's first line and no more: the others may quote values. */
static apr_status_t judge_result(cat_connection_t *conn, const PGresult *result, const char *what)
{
    const PGconn *pg = libpq_of(conn)->pg;
    const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const cat_fault_t fault = {
        .result = (int)PQresultStatus(result),
        .state = PQresultErrorField(result, PG_DIAG_SQLSTATE),
        .text = libpq_of(conn)->is_overtaken ? "the server did not answer, and another was promoted meanwhile"
                : words                      ? words
                                             : PQerrorMessage(pg),
        .is_lost = PQstatus(pg) != CONNECTION_OK,
    };

    return is_success(result) ? APR_SUCCESS : cat_connection_judge(conn, &fault, what);
}

/* Waits for the result of a statement. A primary that hangs, or whose commits no stand-by confirms, may never answer: if another server was
 * promoted meanwhile, this ends the connection, and libpq makes the result of a lost connection. */
static void await_result(cat_connection_t *conn)
{
    libpq_t *libpq = libpq_of(conn);
    struct pollfd answer = {.fd = PQsocket(libpq->pg), .events = POLLIN};

    while (answer.fd >= 0 && PQisBusy(libpq->pg)) {
        int found = poll(&answer, 1, WAIT_MSEC);
        if (!found && !libpq->is_overtaken && conn->is_overtaken && conn->is_overtaken(conn)) {
            libpq->is_overtaken = 1;
            shutdown(answer.fd, SHUT_RDWR);
        }
        if (found > 0 && !PQconsumeInput(libpq->pg)) {
            return;
        }
    }
}

static PGresult *get_result(cat_connection_t *conn)
{
    await_result(conn);
    return PQgetResult(libpq_of(conn)->pg);
}

/* The results of what was just sent, until there are no more. The first failure counts; without one the last result, as
 * an error of the commit follows the statement's result. *is_first: it is the first. */
static PGresult *take_result(cat_connection_t *conn, int *is_first)
{
    PGresult *result = get_result(conn), *next;

    *is_first = 1;
    while ((next = get_result(conn))) {
        if (is_success(result)) {
            PQclear(result);
            result = next;
            *is_first = 0;
        } else {
            PQclear(next);
        }
    }
    return result;
}

static apr_status_t pass_rows(const PGresult *result, cat_row_t *row, void *baton)
{
    const char *values[CAT_COLUMNS_MAX];
    apr_status_t rv = APR_SUCCESS;
    int columns = PQnfields(result);

    if (columns > CAT_COLUMNS_MAX) {
        return APR_ENOSPC;
    }
    for (int n = 0; n < PQntuples(result) && rv == APR_SUCCESS; n++) {
        for (int i = 0; i < columns; i++) {
            values[i] = PQgetisnull(result, n, i) ? NULL : PQgetvalue(result, n, i);
        }
        rv = row(baton, values, columns);
    }
    return rv;
}

/* ---- plain text ---- */

static PGresult *run_text(cat_connection_t *conn, const char *text)
{
    int is_first;

    return PQsendQuery(libpq_of(conn)->pg, text) ? take_result(conn, &is_first) : NULL;
}

/* The server answers COMMIT with ROLLBACK, and without an error, if a statement of the transaction has failed. */
static apr_status_t ask_text(cat_connection_t *conn, apr_pool_t *, const char *text, cat_row_t *row, void *baton)
{
    PGresult *result = run_text(conn, text);
    apr_status_t rv = judge_result(conn, result, text);

    if (rv == APR_SUCCESS && !strcmp(text, "COMMIT") && !strcmp(PQcmdStatus(result), "ROLLBACK")) {
        apr_cpystrn(conn->fault, "the database has rolled back the transaction", sizeof(conn->fault));
        rv = CAT_EDOWN;
    }
    if (rv == APR_SUCCESS && row) {
        rv = pass_rows(result, row, baton);
    }
    PQclear(result);
    return rv;
}

static apr_status_t send_text(cat_connection_t *conn, const char *text)
{
    return ask_text(conn, NULL, text, NULL, NULL);
}

/* ---- prepared statements ---- */

static int is_in_transaction(const libpq_t *libpq)
{
    return PQtransactionStatus(libpq->pg) != PQTRANS_IDLE;
}

static void note_loss(cat_connection_t *conn)
{
    libpq_t *libpq = libpq_of(conn);
    apr_time_t now = apr_time_now();

    forget_statements(conn);
    if (now < libpq->first_loss || now - libpq->first_loss > LOSSES_TIME) {
        libpq->first_loss = now;
        libpq->losses = 0;
    }
    libpq->losses++;
}

static int may_prepare(const libpq_t *libpq)
{
    return !libpq->is_unprepared && libpq->losses < LOSSES_MAX;
}

/* A name stands for its text, so a statement that is there already is the right one: a pooler's server session has it from
 * another connection. */
static apr_status_t judge_preparation(cat_connection_t *conn, prepared_t *st, const PGresult *result)
{
    apr_status_t rv = judge_result(conn, result, st->label);
    int is_there = has_state(result, DUPLICATE_STATEMENT);

    st->state = is_there || rv == APR_SUCCESS ? READY : UNKNOWN;
    if (is_there && !is_in_transaction(libpq_of(conn))) {
        return APR_SUCCESS;
    }
    return rv == CAT_ELOST ? CAT_ECUT : rv;
}

static apr_status_t drop_statement(cat_connection_t *conn, prepared_t *st)
{
    libpq_t *libpq = libpq_of(conn);
    char text[sizeof("DEALLOCATE ") + CAT_SQL_TEXT_NAME];
    PGresult *result;
    apr_status_t rv;

    apr_snprintf(text, sizeof(text), "DEALLOCATE %s", st->name);
    result = run_text(conn, text);
    rv = judge_result(conn, result, text);
    st->state = UNKNOWN;
    PQclear(result);
    return rv == CAT_EDEAD && !is_in_transaction(libpq) ? APR_SUCCESS : rv;
}

static apr_status_t prepare_statement(cat_connection_t *conn, prepared_t *st)
{
    apr_status_t rv = st->state == STALE ? drop_statement(conn, st) : APR_SUCCESS;
    PGresult *result;
    int is_first;

    if (rv == APR_SUCCESS) {
        result = PQsendPrepare(libpq_of(conn)->pg, st->name, st->text, 0, NULL) ? take_result(conn, &is_first) : NULL;
        rv = judge_preparation(conn, st, result);
        PQclear(result);
    }
    return rv;
}

/* A server that an administrator tells to end the session does so between two steps of a statement, but not between its
 * commit and the end of that: it would have sent the statement's result before the commit. Only the server's own words
 * count, which name their source: a pooler does not know what the server has done. */
static int has_no_effect(const PGresult *result, int is_first)
{
    const char *source = PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);

    return is_first && has_state(result, ADMIN_SHUTDOWN) && source && !strcmp(source, "ProcessInterrupts");
}

/* The result of a statement that was just sent. A prepared one that the server refuses has not run. */
static apr_status_t take_execution(cat_connection_t *conn, prepared_t *st, PGresult **result)
{
    int is_first;
    apr_status_t rv;

    *result = take_result(conn, &is_first);
    rv = judge_result(conn, *result, st->label);
    if (has_state(*result, UNKNOWN_STATEMENT)) {
        note_loss(conn);
    } else if (rv == CAT_EDEAD) {
        st->state = STALE;
    } else if (rv == CAT_ELOST && has_no_effect(*result, is_first)) {
        rv = CAT_ECUT;
    }
    return rv;
}

static apr_status_t execute_prepared(cat_connection_t *conn, prepared_t *st, const char *const *values,
                                     PGresult **result)
{
    apr_status_t rv = st->state == READY ? APR_SUCCESS : prepare_statement(conn, st);

    if (rv == APR_SUCCESS) {
        PQsendQueryPrepared(libpq_of(conn)->pg, st->name, st->placeholders, values, NULL, NULL, 0);
        rv = take_execution(conn, st, result);
    }
    if (rv != APR_SUCCESS) {
        PQclear(*result);
        *result = NULL;
    }
    return rv;
}

static apr_status_t execute_text(cat_connection_t *conn, prepared_t *st, const char *const *values, PGresult **result)
{
    apr_status_t rv;

    PQsendQueryParams(libpq_of(conn)->pg, st->text, st->placeholders, NULL, values, NULL, NULL, 0);
    rv = take_execution(conn, st, result);
    return rv == CAT_EDEAD ? CAT_EDOWN : rv;
}

static void describe_statement(prepared_t *st, apr_pool_t *pool, const char *label, const char *text)
{
    st->text = cat_sql_text_number(pool, text);
    st->label = label;
    st->placeholders = cat_sql_text_count(text);
    st->state = UNKNOWN;
    cat_sql_text_name(st->text, st->name);
}

static prepared_t *find_statement(const cat_connection_t *conn, cat_sql_t sql)
{
    libpq_t *libpq = libpq_of(conn);
    prepared_t *st = &libpq->statements[sql];

    if (!st->text) {
        describe_statement(st, libpq->pool, cat_dialect_sql_name(sql), cat_dialect_sql(conn->dialect, sql));
    }
    return st;
}

/* The server keeps a statement until it is dropped, or the session ends. */
static apr_status_t make_statement(cat_connection_t *conn, const char *text, prepared_t **st)
{
    libpq_t *libpq = libpq_of(conn);
    int slot = cat_text_slots_choose(libpq->slots);
    apr_status_t rv;

    *st = &libpq->made[slot];
    rv = (*st)->state == UNKNOWN || !may_prepare(libpq) ? APR_SUCCESS : drop_statement(conn, *st);
    libpq->is_unprepared |= rv == CAT_EDEAD;
    if (rv == APR_SUCCESS) {
        describe_statement(*st, cat_text_slots_take(libpq->slots, slot, text), CAT_DIALECT_GENERATED, text);
    }
    return rv;
}

static apr_status_t find_made_statement(cat_connection_t *conn, const char *text, prepared_t **st)
{
    libpq_t *libpq = libpq_of(conn);
    int slot = cat_text_slots_find(libpq->slots, text);

    if (slot < 0) {
        return make_statement(conn, text, st);
    }
    *st = &libpq->made[slot];
    return APR_SUCCESS;
}

/* An error ends the transaction, so one that a dead statement was in has to be done again; that finds no other, because
 * its statements run as text. *result is NULL or the caller's to clear. */
static apr_status_t execute_statement(cat_connection_t *conn, prepared_t *st, const char *const *values, int count,
                                      PGresult **result)
{
    libpq_t *libpq = libpq_of(conn);
    apr_status_t rv = cat_connection_check_count(conn, st->label, st->placeholders, count);
    int tries = 0;

    *result = NULL;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (rv = CAT_EDEAD; rv == CAT_EDEAD && tries < TRIES && may_prepare(libpq); tries++) {
        rv = execute_prepared(conn, st, values, result);
        if (rv == CAT_EDEAD && is_in_transaction(libpq)) {
            libpq->is_unprepared = 1;
            return rv;
        }
    }
    return rv == CAT_EDEAD ? execute_text(conn, st, values, result) : rv;
}

static apr_status_t select_rows(cat_connection_t *conn, apr_pool_t *, const cat_select_t *select)
{
    PGresult *result = NULL;
    prepared_t *st = NULL;
    apr_status_t rv = APR_SUCCESS;

    if (select->text) {
        rv = find_made_statement(conn, select->text, &st);
    } else {
        st = find_statement(conn, select->sql);
    }
    if (rv == APR_SUCCESS) {
        rv = execute_statement(conn, st, select->values, select->count, &result);
    }
    if (rv == APR_SUCCESS) {
        rv = pass_rows(result, select->row, select->baton);
    }
    PQclear(result);
    return rv;
}

static apr_status_t run_query(cat_connection_t *conn, apr_pool_t *, cat_sql_t sql, const char *const *values, int count,
                              int *changed)
{
    PGresult *result;
    apr_status_t rv = execute_statement(conn, find_statement(conn, sql), values, count, &result);

    if (rv == APR_SUCCESS) {
        *changed = atoi(PQcmdTuples(result));
    }
    PQclear(result);
    return rv;
}

/* ---- in the pool ---- */

static int is_new(cat_connection_t *conn)
{
    libpq_t *libpq = libpq_of(conn);
    int answer = libpq->is_new;

    libpq->is_unprepared = 0;
    if (answer) {
        libpq->is_new = 0;
        libpq->is_closing = 0;
        libpq->is_overtaken = 0;
        libpq->losses = 0;
        libpq->first_loss = 0;
    }
    return answer;
}

/* Reads what has arrived meanwhile: the last words of a server that has ended the session, and the end of the
 * connection. Between the two the driver would still hand it out, so this waits for the end. */
static int is_cut(cat_connection_t *conn)
{
    libpq_t *libpq = libpq_of(conn);
    struct pollfd look = {.fd = PQsocket(libpq->pg), .events = POLLIN};

    for (int i = 0; i < LOOKS_MAX && poll(&look, 1, libpq->is_closing ? CLOSING_MSEC : 0) > 0; i++) {
        if (!PQconsumeInput(libpq->pg)) {
            return 1;
        }
        PQisBusy(libpq->pg); /* takes the notices that have been read */
    }
    return libpq->is_closing || PQstatus(libpq->pg) != CONNECTION_OK;
}

/* Without this, the driver would find the connection in order. */
static void cut_connection(cat_connection_t *conn)
{
    PGconn *pg = libpq_of(conn)->pg;

    shutdown(PQsocket(pg), SHUT_RDWR);
    PQconsumeInput(pg);
}

/* Forgets the prepared statements, and takes over the driver's connection, which may be another one by now. */
static void forget_connection(cat_connection_t *conn)
{
    libpq_t *libpq = libpq_of(conn);
    PGconn *pg = apr_dbd_native_handle(conn->handle.driver, conn->handle.dbd);

    forget_statements(conn);
    if (pg != libpq->pg) {
        libpq->pg = pg;
        libpq->is_new = 1;
        if (!watch_connection(libpq)) { /* no memory */
            cut_connection(conn);
        }
    }
}

static const char *const *list_hosts(const cat_connection_t *conn, apr_pool_t *pool)
{
    return cat_libpq_hosts_list(libpq_of(conn)->pg, pool);
}

const cat_executor_t cat_executor_libpq = {
    .make = make_libpq,
    .send = send_text,
    .ask = ask_text,
    .select = select_rows,
    .query = run_query,
    .is_new = is_new,
    .is_cut = is_cut,
    .cut = cut_connection,
    .list_hosts = list_hosts,
    .ask_hosts = cat_libpq_hosts_ask,
    .forget = forget_connection,
};
