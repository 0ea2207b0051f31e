/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a connection does beside running prepared statements: it sends plain texts, begins and ends transactions, and judges
 * failures. How a text reaches the database is the executor's matter; what a failure means is the dialect's.
 *
 *     the driver's result  -->  cat_connection_judge  -->  dialect->judge    a status of status.h
 *                                      |
 *                                      +-->  conn->fault      the words, for the log, if the caller gives up
 *                                      +-->  metrics
 *                                      +-->  database.c       a loss, or a refusal, for the other connections
 *
 * Nothing is logged here: the caller may retry, and only the last failure matters.
 */
#include "db/connection/connection.h"

#include <apr_strings.h>
#include <string.h>

#include "db/connection/connection_state.h"
#include "db/connection/executor.h"
#include "db/dialects/status.h"

/* How often a text is sent while changes of the schema keep it from running. */
#define TRIES 5

const cat_dialect_t *cat_connection_dialect(const cat_connection_t *conn)
{
    return conn->dialect;
}

const char *cat_connection_file(const cat_connection_t *conn)
{
    return conn->file;
}

void cat_connection_log_fault(const cat_connection_t *conn, const cat_log_t *log, cat_log_level_t level)
{
    apr_pool_t *pool;
    const cat_native_t *native = conn->dialect->native;
    const char *why;

    apr_pool_create(&pool, conn->handle.pool);
    why = native ? native->explain(conn, pool) : NULL;
    cat_log(log, level, 0, "CAT003: %s: %s%s%s", conn->name, conn->fault, why ? "; " : "", why ? why : "");
    apr_pool_destroy(pool);
}

/* SQLite would go on reading and writing the deleted file, and a new connection would create an empty one: acknowledged
 * writes would be lost. */
apr_status_t cat_connection_file_is_gone(const cat_connection_t *conn, const cat_log_t *log, const char *path)
{
    char more[CAT_REPEATS_TEXT];

    if (cat_database_sums_up(log, &conn->database->gone_files, more)) {
        cat_log(log, CAT_LOG_ERROR, 0,
                "CAT006: %s: %s was removed or replaced; stop the server, do not restart it, and follow "
                "\"When the file was removed\" in docs/how-to/backup.md%s",
                conn->name, path, more);
    }
    return CAT_EDOWN;
}

void cat_connection_mark_read_only(cat_connection_t *conn)
{
    conn->is_read_only = 1;
}

int cat_connection_is_locked(const cat_connection_t *conn, apr_status_t rv)
{
    return rv != APR_SUCCESS && conn->dialect->locked && conn->result == conn->dialect->locked;
}

/* Puts a failure's text on one line. */
static void keep_words(cat_connection_t *conn, const cat_fault_t *fault, const char *what)
{
    const char *text = fault->text && *fault->text ? fault->text : "no reason given";
    apr_size_t length;

    if (fault->state) {
        apr_snprintf(conn->fault, sizeof(conn->fault), "%s failed with %s: %s", what, fault->state, text);
    } else {
        apr_snprintf(conn->fault, sizeof(conn->fault), "%s failed with %d: %s", what, fault->result, text);
    }
    for (length = strlen(conn->fault); length && conn->fault[length - 1] == '\n'; length--) {
        conn->fault[length - 1] = '\0';
    }
    for (char *end = conn->fault; (end = strpbrk(end, "\r\n")); end++) {
        *end = ' ';
    }
    conn->result = fault->result;
}

void cat_connection_count(const cat_connection_t *conn, cat_statement_kind_t kind)
{
    cat_metrics_add_pair(conn->database->metrics, CAT_METRIC_STATEMENTS, (int)conn->dialect->engine, (int)kind);
}

/* Not a taken key, which callers expect, nor a statement that the database has dropped, which is prepared again. */
static void count_fault(const cat_connection_t *conn, apr_status_t rv)
{
    static const struct {
        apr_status_t rv;
        cat_fault_kind_t kind;
    } kinds[] = {
        {CAT_EDOWN, CAT_FAULT_FAILED},       {CAT_ELOST, CAT_FAULT_LOST},          {CAT_ECUT, CAT_FAULT_LOST},
        {CAT_ECONFLICT, CAT_FAULT_CONFLICT}, {CAT_ENOTREADY, CAT_FAULT_NOT_READY}, {CAT_EVALUE, CAT_FAULT_VALUE},
        {CAT_ESLOW, CAT_FAULT_SLOW},         {CAT_EREADONLY, CAT_FAULT_NOT_READY}, {CAT_EENDED, CAT_FAULT_SLOW},
        {CAT_EFULL, CAT_FAULT_FAILED},       {CAT_EUNSURE, CAT_FAULT_FAILED},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (kinds[i].rv == rv) {
            cat_metrics_add_pair(conn->database->metrics, CAT_METRIC_FAULTS, (int)conn->dialect->engine,
                                 (int)kinds[i].kind);
        }
    }
}

void cat_connection_note_fault(cat_connection_t *conn, const cat_fault_t *fault, const char *what, apr_status_t rv)
{
    keep_words(conn, fault, what);
    count_fault(conn, rv);
}

apr_status_t cat_connection_judge(cat_connection_t *conn, const cat_fault_t *fault, const char *what)
{
    apr_status_t rv = fault->is_lost ? CAT_ELOST : conn->dialect->judge(fault);

    if (rv == CAT_EDOWN && conn->dialect->native && conn->dialect->native->lacks_room(conn)) {
        rv = CAT_EFULL;
    }
    if (rv == CAT_ESLOW && !conn->time_limit) { /* an administrator's limit, or the session's */
        rv = CAT_EENDED;
    }
    cat_connection_note_fault(conn, fault, what, rv);
    if (rv == CAT_ELOST) {
        conn->is_lost = 1;
        cat_database_note_loss(conn->database);
    } else if (rv == CAT_ENOTREADY) {
        cat_database_note_refusal(conn->database);
    } else if (rv == CAT_EREADONLY) {
        conn->is_read_only = !conn->dialect->read_only_session || fault->result == conn->dialect->read_only_session;
    }
    return rv;
}

apr_status_t cat_connection_check_count(cat_connection_t *conn, const char *name, int placeholders, int count)
{
    if (placeholders == count) {
        return APR_SUCCESS;
    }
    apr_snprintf(conn->fault, sizeof(conn->fault), "%s takes %d values, not %d", name, placeholders, count);
    return CAT_EDOWN;
}

apr_status_t cat_connection_send(cat_connection_t *conn, const char *text)
{
    apr_status_t rv = CAT_EDEAD;

    for (int tries = 0; rv == CAT_EDEAD && tries < TRIES; tries++) {
        rv = conn->dialect->executor->send(conn, text);
    }
    return rv == CAT_EDEAD ? CAT_EDOWN : rv;
}

apr_status_t cat_connection_begin(cat_connection_t *conn, apr_time_t until)
{
    const cat_native_t *native = conn->dialect->native;
    apr_status_t rv = native ? native->begin(conn, until) : cat_connection_send(conn, conn->dialect->begin);

    conn->in_transaction = rv == APR_SUCCESS;
    return rv;
}

apr_status_t cat_connection_commit(cat_connection_t *conn)
{
    const cat_native_t *native = conn->dialect->native;
    apr_status_t rv;

    cat_connection_count(conn, CAT_STATEMENT_COMMIT);
    rv = native ? native->commit(conn) : cat_connection_send(conn, "COMMIT");
    rv = rv == CAT_EENDED || rv == CAT_EDOWN ? CAT_EUNSURE : rv; /* the commit may have taken effect */
    conn->in_transaction = rv != APR_SUCCESS;
    return rv;
}

apr_status_t cat_connection_begin_view(cat_connection_t *conn)
{
    apr_status_t rv = APR_SUCCESS;

    if (conn->dialect->native) {
        return conn->dialect->native->begin_view(conn);
    }
    for (const char *const *text = conn->dialect->snapshot; *text && rv == APR_SUCCESS; text++) {
        rv = cat_connection_send(conn, *text);
    }
    return rv;
}

apr_status_t cat_connection_begin_search(cat_connection_t *conn, int seconds, int is_unbound)
{
    char text[1024];
    apr_status_t rv = APR_SUCCESS;

    conn->is_unbound = is_unbound && conn->dialect->limit;
    if (conn->dialect->search) {
        apr_snprintf(text, sizeof(text), conn->dialect->search, seconds * 1000);
        rv = cat_connection_send(conn, text);
    } else if (!conn->is_unbound) {
        rv = cat_connection_begin_view(conn);
    }
    if (rv == APR_SUCCESS) {
        conn->time_limit = seconds;
        conn->deadline = apr_time_now() + apr_time_from_sec(seconds);
    }
    return rv;
}

void cat_connection_continue_search(cat_connection_t *conn)
{
    if (conn->time_limit) {
        conn->deadline = apr_time_now() + apr_time_from_sec(conn->time_limit);
    }
}

/* The failure that led to a clean-up. The clean-up must not replace it, because the administrator is told the cause. */
typedef struct first_fault_t {
    char fault[FAULT_MAX];
    int result;
} first_fault_t;

static void save_fault(const cat_connection_t *conn, first_fault_t *first)
{
    memcpy(first->fault, conn->fault, sizeof(first->fault));
    first->result = conn->result;
}

static void restore_fault(cat_connection_t *conn, const first_fault_t *first)
{
    memcpy(conn->fault, first->fault, sizeof(conn->fault));
    conn->result = first->result;
}

/* On SQLite it fails if no transaction is open; elsewhere only if the server is gone or not ready. */
static apr_status_t send_rollback(cat_connection_t *conn)
{
    return conn->dialect->native ? conn->dialect->native->roll_back(conn)
                                 : conn->dialect->executor->send(conn, "ROLLBACK");
}

void cat_connection_roll_back(cat_connection_t *conn)
{
    first_fault_t first;
    apr_status_t rv = APR_SUCCESS;

    save_fault(conn, &first);
    if (!conn->is_unbound) {
        rv = send_rollback(conn);
        cat_connection_count(conn, CAT_STATEMENT_ROLLBACK);
    }
    conn->in_transaction = conn->is_unbound = 0;
    conn->time_limit = 0;
    if (rv == CAT_ENOTREADY) { /* the open transaction would keep its locks, and be committed with the next one */
        conn->is_abandoned = 1;
        conn->dialect->executor->send(conn, conn->dialect->abandon);
    }
    restore_fault(conn, &first);
}

void cat_connection_clean_up(cat_connection_t *conn, apr_pool_t *pool, const char *const *texts)
{
    first_fault_t first;

    save_fault(conn, &first);
    for (; *texts; texts++) {
        cat_connection_ask(conn, pool, *texts, NULL);
    }
    restore_fault(conn, &first);
}

apr_status_t cat_connection_keep_first(void *baton, const char *const *values, int count)
{
    cat_first_row_t *first = baton;

    first->values = apr_palloc(first->pool, (apr_size_t)count * sizeof(*first->values));
    for (int i = 0; i < count; i++) {
        first->values[i] = apr_pstrdup(first->pool, values[i]);
    }
    return CAT_ENOUGH;
}

/* What the driver prepares is closed while this thread still has the connection. */
apr_status_t cat_connection_ask(cat_connection_t *conn, apr_pool_t *pool, const char *text, const char **value)
{
    cat_first_row_t first = {.pool = pool};
    apr_pool_t *own;
    apr_status_t rv = CAT_EDEAD;

    apr_pool_create(&own, pool);
    for (int tries = 0; rv == CAT_EDEAD && tries < TRIES; tries++) {
        rv = conn->dialect->executor->ask(conn, own, text, cat_connection_keep_first, &first);
    }
    apr_pool_destroy(own);
    if (value) {
        *value = first.values ? first.values[0] : NULL;
    }
    return rv == CAT_ENOUGH ? APR_SUCCESS : rv == CAT_EDEAD ? CAT_EDOWN : rv;
}

apr_status_t cat_connection_ask_all(cat_connection_t *conn, apr_pool_t *pool, const char *const *texts)
{
    apr_status_t rv = APR_SUCCESS;
    const char *value;

    for (; *texts && rv == APR_SUCCESS; texts++) {
        rv = cat_connection_ask(conn, pool, *texts, &value);
        if (rv == APR_SUCCESS && value && !strcmp(value, "0")) {
            rv = CAT_ECONFLICT;
        }
    }
    return rv;
}
