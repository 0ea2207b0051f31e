/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The front of src/db: what the rooms above call, each function a few lines that hand on to the folder that does it.
 *
 *     cat_db_one, _each, _search    pool/checkout.c     a connection for the select, and another try after a loss
 *     cat_db_exec, _transact        work/transaction.c  one commit for the writes of several threads
 *     cat_batch_write, ...          work/batch.c        one statement for the items of several threads
 *     cat_definition_run            schema/             indexes that come and go while servers work
 *
 * A use takes no connection until its first statement, and its owner need not give one back: the end of the pool does.
 */
#include "db/db.h"

#include <apr_strings.h>

#include "db/connection/statement.h"
#include "db/dialects/status.h"
#include "db/pool/checkout.h"
#include "db/pool/timeline.h"
#include "db/sqlite/sqlite_native.h"
#include "db/work/transaction.h"

cat_db_t *cat_db_make(apr_pool_t *pool, const cat_conf_t *conf, cat_source_t *source, const cat_log_t *log)
{
    return cat_checkout_make(pool, conf, source, log);
}

void cat_db_serve(cat_db_t *db, const char *network, cat_timing_t *timing)
{
    db->use->network = network;
    db->use->timing = timing;
}

void cat_db_go_first(cat_db_t *db)
{
    db->use->is_first = 1;
}

apr_status_t cat_db_begin_search(cat_db_t *db)
{
    cat_semaphore_t *searches = db->use->source->searches;
    char more[CAT_REPEATS_TEXT];

    if (!searches ||
        cat_checkout_take_turn(db, searches, CAT_SOURCE_SEARCH_PATIENCE, &db->use->search) == APR_SUCCESS) {
        return APR_SUCCESS;
    }
    if (cat_database_sums_up(db->log, cat_semaphore_refusals(searches), more)) {
        cat_log(db->log, cat_log_busy_level(db->log), 0,
                "CAT079: %s: too many lists with conditions at once%s; see CatalogMaxSearches", db->use->source->name,
                more);
    }
    return CAT_EBUSY;
}

void cat_db_end_search(cat_db_t *db)
{
    if (db->use->source->searches) {
        cat_semaphore_leave(db->use->source->searches, db->use->search);
    }
}

void cat_db_release(cat_db_t *db)
{
    cat_checkout_release(db);
}

void cat_db_touch(cat_db_t *db, const char *id)
{
    db->use->touches = 1;
    db->use->touched = id;
    db->use->touched_too = NULL;
}

void cat_db_touch_many(cat_db_t *db, const apr_array_header_t *ids)
{
    cat_db_touch(db, NULL);
    db->use->touched_too = ids;
}

apr_status_t cat_db_each(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, cat_row_t *row, void *baton)
{
    return cat_checkout_select(
        db, &(cat_select_t){.sql = sql, .values = values, .count = count, .row = row, .baton = baton});
}

apr_status_t cat_db_add_texts(void *baton, const char *const *values, int count)
{
    apr_array_header_t *list = baton;

    for (int i = 0; i < count; i++) {
        APR_ARRAY_PUSH(list, const char *) = apr_pstrdup(list->pool, values[i]);
    }
    return APR_SUCCESS;
}

apr_status_t cat_db_each_list(cat_db_t *db, cat_sql_t sql, const apr_array_header_t *list, cat_row_t *row, void *baton)
{
    apr_status_t rv = APR_SUCCESS;

    for (int done = 0; done < list->nelts && rv == APR_SUCCESS; done += CAT_DB_PLACES) {
        const char *values[CAT_DB_PLACES];
        for (int i = 0; i < CAT_DB_PLACES; i++) {
            values[i] = APR_ARRAY_IDX(list, done + i < list->nelts ? done + i : done, const char *);
        }
        rv = cat_db_each(db, sql, values, CAT_DB_PLACES, row, baton);
    }
    return rv;
}

apr_status_t cat_db_each_text(cat_db_t *db, const char *text, const char *const *values, int count, cat_row_t *row,
                              void *baton)
{
    return cat_checkout_select(
        db, &(cat_select_t){.text = text, .values = values, .count = count, .row = row, .baton = baton});
}

apr_status_t cat_db_one(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, const char *const **row)
{
    cat_first_row_t first = {.pool = db->pool};
    apr_status_t rv = cat_db_each(db, sql, values, count, cat_connection_keep_first, &first);
    *row = first.values;
    return rv == APR_SUCCESS && !first.values ? APR_NOTFOUND : rv;
}

apr_status_t cat_db_number(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, apr_int64_t *number)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, sql, values, count, &row);

    *number = rv == APR_SUCCESS ? apr_atoi64(row[0]) : 0;
    return rv;
}

apr_status_t cat_db_exec(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, int *changed)
{
    cat_write_t w = {.db = db, .sql = sql, .values = values, .count = count};
    apr_status_t rv = db->use->failed;

    if (!db->use->in_transaction) {
        rv = cat_transaction_write(&w);
    } else if (rv == APR_SUCCESS) {
        rv =
            cat_checkout_note_failure(db, cat_statement_query(db->use->conn, db->pool, sql, values, count, &w.matched));
    }
    if (changed) {
        *changed = rv == APR_SUCCESS ? w.matched : 0;
    }
    return rv;
}

apr_status_t cat_db_exec_list(cat_db_t *db, cat_sql_t sql, const apr_array_header_t *list, int places, const char *rest)
{
    const char **values = apr_palloc(db->pool, (apr_size_t)places * sizeof(*values));
    apr_status_t rv = APR_SUCCESS;

    for (int done = 0; done < list->nelts && rv == APR_SUCCESS; done += places) {
        for (int i = 0; i < places; i++) {
            values[i] = done + i < list->nelts ? APR_ARRAY_IDX(list, done + i, const char *) : rest;
        }
        rv = cat_db_exec(db, sql, values, places, NULL);
    }
    return rv;
}

apr_status_t cat_db_insert(cat_db_t *db, cat_sql_t sql, const char *const *values, int count)
{
    int inserted;
    apr_status_t rv = cat_db_exec(db, sql, values, count, &inserted);

    if (rv == APR_SUCCESS && inserted == 0) {
        rv = db->use->in_transaction ? cat_checkout_note_failure(db, APR_EEXIST) : APR_EEXIST;
    }
    return rv;
}

static apr_status_t insert_rows(cat_db_t *db, cat_rows_t *rows, apr_pool_t *scratch)
{
    static const int sizes[] = {1, 2, 4, 8, 16, 64};
    cat_sql_t size = sizeof(sizes) / sizeof(sizes[0]) - 1;
    apr_status_t rv = APR_SUCCESS;

    for (int done = 0, inserted; done < rows->count && rv == APR_SUCCESS; done += sizes[size]) {
        while (sizes[size] > rows->count - done) {
            size--;
        }
        rv = cat_db_exec(db, rows->sql + size, rows->values + (size_t)done * (size_t)rows->width,
                         sizes[size] * rows->width, &inserted);
        rows->inserted += inserted;
        apr_pool_clear(scratch);
    }
    return rv;
}

/* Of 86 rows a statement inserts 64, 16, 4 and 2. What each leaves on the pool goes after it. */
apr_status_t cat_db_insert_rows(cat_db_t *db, cat_rows_t *rows)
{
    apr_pool_t *before = db->pool, *scratch;
    apr_status_t rv;

    apr_pool_create(&scratch, before);
    db->pool = scratch;
    rows->inserted = 0;
    rv = insert_rows(db, rows, scratch);
    db->pool = before;
    apr_pool_destroy(scratch);
    return rv;
}

const cat_dialect_t *cat_db_dialect(const cat_db_t *db)
{
    return cat_source_dialect(db->use->source);
}

cat_exports_t *cat_db_exports(const cat_db_t *db)
{
    return &db->use->source->exports;
}

cat_repeats_t *cat_db_image_files(const cat_db_t *db)
{
    return &db->use->source->image_files;
}

apr_time_t cat_db_configured(const cat_db_t *db)
{
    return db->use->source->created;
}

const char *cat_db_name(const cat_db_t *db)
{
    return db->use->source->name;
}

void cat_db_note_revocations(const cat_db_t *db, apr_time_t began)
{
    atomic_store_explicit(&db->use->source->revocations_at, began, memory_order_release);
}

void cat_db_note_complete_parts(const cat_db_t *db, int parts)
{
    atomic_store(&db->use->source->complete_parts, parts);
    atomic_store(&db->use->source->parts_at, apr_time_now());
}

int cat_db_complete_parts(const cat_db_t *db, apr_time_t since)
{
    const cat_source_t *source = db->use->source;

    return atomic_load(&source->parts_at) > since ? atomic_load(&source->complete_parts) : 0;
}

void cat_db_note_registry(const cat_db_t *db, const void *before, const void *registry, apr_time_t since)
{
    if (atomic_compare_exchange_strong(&db->use->source->registry, &before, registry)) {
        atomic_store(&db->use->source->registry_at, since);
    }
}

const void *cat_db_registry(const cat_db_t *db, apr_time_t *since)
{
    *since = atomic_load(&db->use->source->registry_at);
    return atomic_load(&db->use->source->registry);
}

void cat_db_keep_registry(const cat_db_t *db, const void *registry)
{
    atomic_store(&db->use->source->registry_read, registry);
}

const void *cat_db_kept_registry(const cat_db_t *db)
{
    return atomic_load(&db->use->source->registry_read);
}

void cat_db_note_written(const cat_db_t *db)
{
    atomic_store(&db->use->source->written_at, apr_time_now());
}

apr_time_t cat_db_written_at(const cat_db_t *db)
{
    return atomic_load(&db->use->source->written_at);
}

cat_basis_t *cat_db_basis(const cat_db_t *db)
{
    return db->use->in_transaction ? &db->use->basis : NULL;
}

int cat_db_in_transaction(const cat_db_t *db)
{
    return db->use->in_transaction;
}

cat_db_t *cat_db_another(const cat_db_t *db, apr_pool_t *pool)
{
    cat_db_t *another = cat_checkout_make(pool, db->conf, db->use->source, db->log);

    another->author = db->author;
    return another;
}

apr_status_t cat_db_ask(cat_db_t *db, const char *text, const char **value)
{
    cat_connection_t *conn;
    apr_status_t rv = cat_checkout_connect_bare(db, CAT_TO_READ, &conn);

    *value = NULL;
    return rv == APR_SUCCESS ? cat_connection_ask(conn, db->pool, text, value) : rv;
}

void cat_db_note_growth(cat_db_t *db)
{
    const cat_dialect_t *dialect = cat_db_dialect(db);
    const char *none;

    if (dialect && dialect->grown && !cat_db_in_transaction(db)) {
        cat_db_ask(db, dialect->grown, &none);
        cat_db_release(db);
    } else if (dialect && dialect->growing) {
        cat_db_ask(db, dialect->growing, &none);
    }
}

int cat_db_has_one_writer(const cat_db_t *db)
{
    const cat_dialect_t *dialect = cat_source_dialect(db->use->source);

    return dialect && dialect->one_writer;
}

int cat_db_shares_commits(const cat_db_t *db)
{
    return db->use->in_transaction || cat_db_has_one_writer(db);
}

int cat_db_asks_server(const cat_db_t *db)
{
    return !db->use->in_transaction && cat_source_dialect(db->use->source) && !cat_db_has_one_writer(db);
}

static int is_writable(cat_db_t *db)
{
    cat_connection_t *conn;

    return cat_checkout_connect_bare(db, CAT_TO_READ, &conn) == APR_SUCCESS &&
           cat_sqlite_native_takes_writes(conn, db->log);
}

cat_job_result_t cat_db_watch_hosts(cat_job_t *job)
{
    cat_timeline_watch(&job->source->database, cat_source_dialect(job->source));
    return CAT_JOB_DONE;
}

const char *cat_db_find_obstacle(cat_db_t *db, const char *takes_writes)
{
    if (!strcmp(takes_writes, "2")) {
        return "no stand-by is connected that could confirm a commit";
    }
    if (!strcmp(takes_writes, "0") && db->use->conn) {
        cat_connection_mark_read_only(db->use->conn);
    }
    return strcmp(takes_writes, "1") != 0 || !is_writable(db) ? "the database accepts no writes" : NULL;
}

apr_off_t cat_db_wal_size(const cat_db_t *db)
{
    return db->use->conn ? cat_sqlite_native_wal_size(db->use->conn) : 0;
}

void cat_db_end_view(cat_db_t *db)
{
    cat_checkout_roll_back(db);
    if (db->use->conn) {
        cat_sqlite_native_checkpoint(db->use->conn);
    }
}

void cat_db_accompany(cat_db_t *db, const cat_companion_t *companion)
{
    db->use->companion = companion;
}

int cat_db_is_accompanied(const cat_db_t *db)
{
    return db->use->companion != NULL;
}

apr_status_t cat_db_transact(cat_db_t *db, cat_work_t *work, void *baton)
{
    return cat_transaction_run(&(cat_write_t){.db = db, .work = work, .baton = baton});
}

apr_status_t cat_db_transact_at_once(cat_db_t *db, cat_work_t *work, void *baton)
{
    return cat_transaction_run(&(cat_write_t){.db = db, .work = work, .baton = baton, .is_refused_at_once = 1});
}

apr_status_t cat_db_transact_many(cat_db_t *db, int writes, cat_work_t *work, void *baton)
{
    return cat_transaction_run(&(cat_write_t){.item.more = writes - 1, .db = db, .work = work, .baton = baton});
}

static apr_status_t send_in_transaction(cat_db_t *db, const char *text)
{
    return db->use->failed == APR_SUCCESS ? cat_checkout_note_failure(db, cat_connection_send(db->use->conn, text))
                                          : db->use->failed;
}

/* rv: of the work since the savepoint, which has failed. */
static apr_status_t undo_attempt(cat_db_t *db, apr_status_t rv)
{
    apr_status_t end;

    if (rv == CAT_EVALUE) {
        cat_connection_log_fault(db->use->conn, db->log, CAT_LOG_ERROR);
    }
    db->use->failed = APR_SUCCESS;
    end = send_in_transaction(db, "ROLLBACK TO SAVEPOINT attempt");
    end = end == APR_SUCCESS ? send_in_transaction(db, "RELEASE SAVEPOINT attempt") : end;
    return end == APR_SUCCESS ? rv : end;
}

apr_status_t cat_db_attempt(cat_db_t *db, cat_work_t *work, void *baton)
{
    apr_status_t rv = send_in_transaction(db, "SAVEPOINT attempt");

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = work(baton);
    if (rv == APR_SUCCESS) {
        return send_in_transaction(db, "RELEASE SAVEPOINT attempt");
    }
    return cat_checkout_is_fault(rv) && rv != CAT_EVALUE ? rv : undo_attempt(db, rv);
}

/* time_limit: of a search, in seconds; 0: it is none. is_unbound: see cat_connection_begin_search. */
static apr_status_t read_one_state(cat_db_t *db, int time_limit, int is_unbound, cat_work_t *work, void *baton)
{
    cat_attempt_t a = {.db = db, .use = CAT_TO_READ, .repeat = CAT_REPEATABLE};

    while (cat_checkout_attempt(&a)) {
        a.rv = time_limit ? cat_connection_begin_search(db->use->conn, time_limit, is_unbound)
                          : cat_connection_begin_view(db->use->conn);
        if (a.rv == APR_SUCCESS) {
            cat_checkout_enter_transaction(db);
            a.rv = cat_checkout_note_failure(db, work(baton));
        }
    }
    return a.rv;
}

apr_status_t cat_db_open_view(cat_db_t *db, cat_work_t *work, void *baton)
{
    return read_one_state(db, 0, 0, work, baton);
}

apr_status_t cat_db_open_search(cat_db_t *db, cat_work_t *work, void *baton)
{
    return read_one_state(db, db->conf->query_timeout, 0, work, baton);
}

apr_status_t cat_db_continue_view(cat_db_t *db, cat_work_t *work, void *baton)
{
    apr_status_t rv;

    cat_connection_continue_search(db->use->conn);
    rv = cat_checkout_note_failure(db, work(baton));
    cat_checkout_give_up(db, &rv);
    return rv;
}

apr_status_t cat_db_view(cat_db_t *db, cat_work_t *work, void *baton)
{
    apr_status_t rv = cat_db_open_view(db, work, baton);

    cat_checkout_roll_back(db);
    return rv;
}

static apr_status_t search(cat_db_t *db, int is_unbound, cat_work_t *work, void *baton)
{
    apr_status_t rv = read_one_state(db, db->conf->query_timeout, is_unbound, work, baton);

    cat_checkout_roll_back(db);
    return rv;
}

apr_status_t cat_db_search(cat_db_t *db, cat_work_t *work, void *baton)
{
    return search(db, 0, work, baton);
}

apr_status_t cat_db_search_once(cat_db_t *db, cat_work_t *work, void *baton)
{
    return search(db, 1, work, baton);
}

apr_pool_t *cat_db_use_pool(cat_db_t *db, apr_pool_t *pool)
{
    apr_pool_t *before = db->pool;

    db->pool = pool;
    return before;
}
