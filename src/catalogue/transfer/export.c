/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a file of all products of a list, in one state of the database.
 *
 *     thread of the request    begin | portion | send ......... | portion | send .... | end
 *     transaction              [----------------------------------------------------------]
 *     connection is used by      X      X                  X       X
 *
 * The products are read in portions, in one transaction, and each portion is sent before the next one is read: so the transaction lasts as
 * long as the client takes, and the thread sleeps in a write to its socket most of that time.
 *
 * A reader in no hurry would keep the transaction for hours, and with it old versions of rows, or SQLite's WAL. A job of each child looks at
 * the exports that run. Where one has had its time, the job ends the transaction while the thread sleeps, and the thread learns of it when it
 * wants the next portion. The mutex of the export tells which of the two has the connection.
 */
#include "catalogue/transfer/export.h"

#include <apr_strings.h>

#include "catalogue/product/product.h"
#include "catalogue/search/search.h"
#include "db/db.h"
#include "lib/id.h"
#include "lib/number.h"
#include "lib/time.h"

#define PORTION 500 /* products: drivers keep all rows of a result in memory */

/* How long a client may pause, or how far behind the least rate it may fall: the buffers of the system empty and fill at once. */
#define CREDIT apr_time_from_sec(30)

struct cat_export_t {
    cat_db_t *db;
    cat_list_query_t query;
    const cat_export_format_t *format;
    cat_export_style_t style;
    apr_pool_t *pool; /* of the portion */
    cat_buffer_t text;
    apr_int64_t rows;          /* in it */
    cat_search_end_t end;      /* of it, unless the query is plain */
    apr_pool_t *position_pool; /* of query.after, while the next portion is read */
    apr_int64_t total;
    apr_int64_t n;      /* the number of the product that was read last */
    int is_counted;     /* flag: among all->count */
    apr_time_t begun;   /* monotonic, as is handed */
    apr_off_t wal;      /* octets of the WAL at the beginning */
    cat_exports_t *all; /* of the child */
    cat_export_t *next; /* of those; guarded by all->mutex */
    apr_thread_mutex_t *mutex;
    /* ---- guarded by the mutex, as is the connection, once the export runs ---- */
    apr_time_t handed;          /* when the last piece was handed over */
    apr_interval_time_t credit; /* how long the client may take for it */
    const char *stopped;        /* why the transaction was ended; NULL: it was not */
    int is_begun;               /* flag: the first portion was read, and is in text */
    int is_pending;             /* flag: text was not passed on yet */
    int is_ended;               /* flag: no portion follows */
};

/* ---- a portion ---- */

static apr_status_t add_product(void *baton, const char *const *values, int)
{
    cat_export_t *e = baton;
    const char *const *product = cat_product_read(e->pool, e->query.all, values);

    if (e->style.adapt) {
        e->style.adapt(e->style.baton, e->pool, (const char **)product);
    }
    e->format->add(&e->text, &e->style, product, e->total + e->rows == 0);
    e->rows++;
    e->n = cat_id_number(values[CAT_PRODUCT_ID]);
    return APR_SUCCESS;
}

/* The one place that knows how the products of a query are read. */
static apr_status_t select_products(cat_export_t *e)
{
    const cat_search_rows_t searched = {.add = add_product, .baton = e};
    const char *rows = apr_off_t_toa(e->pool, e->query.limit);

    return e->query.is_plain
               ? cat_db_each(e->db, SQL_PRODUCT_LIST_AFTER,
                             CAT_VALUES(cat_number_write(e->pool, e->query.after.n), rows), add_product, e)
               : cat_search_read_within(e->db, &e->query, &searched, &e->end);
}

/* The work of a transaction: the first portion may be read several times. */
static apr_status_t read_portion(void *baton)
{
    cat_export_t *e = baton;
    apr_pool_t *before;
    apr_status_t rv;

    apr_pool_clear(e->pool);
    cat_buffer_init(&e->text, e->pool, PORTION * CAT_PRODUCT_SIZE);
    e->rows = 0;
    if (!e->is_begun) {
        e->format->begin(&e->text, &e->style);
    }
    before = cat_db_use_pool(e->db, e->pool);
    rv = select_products(e);
    cat_db_use_pool(e->db, before);
    return rv;
}

/* The next portion begins after the last product of this one. */
static void keep_position(cat_export_t *e)
{
    const cat_list_position_t plain = {.n = e->n};
    const cat_list_position_t *last = e->query.is_plain ? &plain : &e->end.last;
    cat_list_position_t *after = &e->query.after;

    apr_pool_clear(e->position_pool);
    after->n = last->n;
    for (int i = 0; i < CAT_LIST_SORT_MAX; i++) {
        after->values[i] = apr_pstrdup(e->position_pool, last->values[i]);
    }
}

static void end_export(cat_export_t *e);

static void finish_portion(cat_export_t *e)
{
    e->total += e->rows;
    e->is_pending = 1;
    keep_position(e);
    if (e->query.is_plain ? e->rows < e->query.limit : !e->end.has_next) {
        e->format->end(&e->text);
        e->is_ended = 1;
        end_export(e);
    }
}

/* ---- exports that run ---- */

static void enlist(cat_export_t *e)
{
    apr_thread_mutex_lock(e->all->mutex);
    e->next = e->all->first;
    e->all->first = e;
    apr_thread_mutex_unlock(e->all->mutex);
}

static void leave_list(cat_export_t *e)
{
    cat_export_t **link = &e->all->first;

    apr_thread_mutex_lock(e->all->mutex);
    while (*link && *link != e) {
        link = &(*link)->next;
    }
    if (*link) {
        *link = e->next;
    }
    e->all->count -= e->is_counted;
    e->is_counted = 0;
    apr_thread_mutex_unlock(e->all->mutex);
}

static const char *find_reason(const cat_export_t *e, apr_time_t now)
{
    const cat_conf_t *conf = e->db->conf;
    apr_off_t size = cat_db_wal_size(e->db);

    if (conf->export_timeout && now - e->begun > apr_time_from_sec(conf->export_timeout)) {
        return "it has taken longer than CatalogExportTimeout";
    }
    if (conf->export_rate && now - e->handed > e->credit) {
        return "its client reads more slowly than CatalogExportRate";
    }
    /* Each export keeps SQLite from beginning the WAL anew, whether it began before the WAL was too long or after. Where nobody writes, the
     * WAL stays as it is, and no export needs to end. */
    return conf->export_wal && size > conf->export_wal && size > e->wal
               ? "the -wal file has grown beyond CatalogExportWAL"
               : NULL;
}

/* 1: it is marked, and its mutex held. */
static int mark_if_due(cat_export_t *e, apr_time_t now)
{
    if (apr_thread_mutex_trylock(e->mutex) != APR_SUCCESS) {
        return 0; /* it reads a portion */
    }
    if (!e->is_ended && !e->stopped) {
        e->stopped = find_reason(e, now);
        if (e->stopped) {
            return 1;
        }
    }
    apr_thread_mutex_unlock(e->mutex);
    return 0;
}

/* NULL: there is none. Its thread closes it with its mutex, so it stays as long as that is held. */
static cat_export_t *find_due(const cat_exports_t *all, apr_time_t now)
{
    cat_export_t *e;

    apr_thread_mutex_lock(all->mutex);
    for (e = all->first; e && !mark_if_due(e, now); e = e->next) {
    }
    apr_thread_mutex_unlock(all->mutex);
    return e;
}

/* Without the mutex of all, so that exports can begin and end while the WAL is copied, which may take long. */
cat_job_result_t cat_export_watch(cat_job_t *job)
{
    apr_time_t now = cat_time_monotonic();

    for (cat_export_t *e; (e = find_due(cat_db_exports(job->db), now));) {
        cat_db_end_view(e->db);
        apr_thread_mutex_unlock(e->mutex);
    }
    return CAT_JOB_DONE;
}

/* ---- all of it ---- */

static apr_status_t close_with_pool(void *export)
{
    cat_export_close(export);
    return APR_SUCCESS;
}

static apr_status_t count_in(cat_export_t *e)
{
    const cat_db_t *db = e->db;
    char more[CAT_REPEATS_TEXT];

    apr_thread_mutex_lock(e->all->mutex);
    e->is_counted = e->all->count < db->conf->max_exports;
    e->all->count += e->is_counted;
    apr_thread_mutex_unlock(e->all->mutex);
    if (!e->is_counted && cat_repeats_note(&e->all->refusals, cat_time_monotonic(), more)) {
        cat_log(db->log, CAT_LOG_ERROR, 0, "CAT060: %s: %d exports are running, as many as CatalogMaxExports allows%s",
                cat_db_name(db), db->conf->max_exports, more);
    }
    return e->is_counted ? APR_SUCCESS : CAT_EBUSY;
}

apr_status_t cat_export_open(cat_db_t *db, const cat_list_query_t *query, const cat_export_format_t *format,
                             const cat_export_style_t *style, cat_export_t **opened)
{
    cat_export_t *e = apr_pcalloc(db->pool, sizeof(*e));
    apr_status_t rv = apr_thread_mutex_create(&e->mutex, APR_THREAD_MUTEX_DEFAULT, db->pool);

    e->db = db;
    e->all = cat_db_exports(db);
    e->query = *query;
    e->query.limit = PORTION;
    e->format = format;
    e->style = *style;
    e->style.all = query->all;
    e->style.fields = query->fields;
    apr_pool_create(&e->pool, db->pool);
    apr_pool_create(&e->position_pool, db->pool);
    *opened = e;
    rv = rv == APR_SUCCESS ? count_in(e) : APR_EGENERAL;
    if (rv == APR_SUCCESS) {
        rv = e->query.is_plain ? cat_db_open_view(db, read_portion, e) : cat_db_open_search(db, read_portion, e);
    }
    if (rv != APR_SUCCESS) {
        end_export(e);
        return rv;
    }
    /* Later than the cleanup that gives the connection back, and so run before it: the job must not find the export without one. */
    apr_pool_pre_cleanup_register(db->pool, e, close_with_pool);
    e->is_begun = 1;
    e->begun = e->handed = cat_time_monotonic();
    e->credit = CREDIT;
    e->wal = cat_db_wal_size(db);
    finish_portion(e);
    if (!e->is_ended) {
        enlist(e);
    }
    return APR_SUCCESS;
}

static apr_status_t read_next(cat_export_t *e)
{
    apr_status_t rv = cat_db_continue_view(e->db, read_portion, e);

    if (rv == APR_SUCCESS) {
        finish_portion(e);
    } else {
        end_export(e);
    }
    return rv;
}

static apr_status_t report_stop(cat_export_t *e)
{
    cat_log(e->db->log, CAT_LOG_ERROR, 0, "CAT081: %s: an export ended before its last product: %s", cat_db_name(e->db),
            e->stopped);
    end_export(e);
    return APR_TIMEUP;
}

/* What the client has not used of its time for the last piece helps with the next one. */
static void grant_credit(cat_export_t *e, apr_time_t asked, apr_size_t length)
{
    apr_int64_t rate = e->db->conf->export_rate;
    apr_interval_time_t left = e->credit - (asked - e->handed),
                        more = rate ? (apr_interval_time_t)length * APR_USEC_PER_SEC / rate : 0;

    left = left < CREDIT ? left : CREDIT;
    e->credit = (left > 0 ? left : 0) + more;
    e->handed = cat_time_monotonic();
}

static apr_status_t pull(cat_export_t *e, const char **data, apr_size_t *length)
{
    apr_time_t asked = cat_time_monotonic();
    apr_status_t rv = APR_SUCCESS;

    *length = 0;
    if (!e->is_pending && !e->is_ended) {
        rv = e->stopped ? report_stop(e) : read_next(e);
    }
    if (e->is_pending && rv == APR_SUCCESS) {
        *data = e->text.data;
        *length = e->text.length;
        grant_credit(e, asked, *length);
    }
    e->is_pending = 0;
    return rv;
}

apr_status_t cat_export_read(cat_export_t *e, const char **data, apr_size_t *length)
{
    apr_status_t rv;

    apr_thread_mutex_lock(e->mutex);
    rv = pull(e, data, length);
    apr_thread_mutex_unlock(e->mutex);
    return rv;
}

void cat_export_close(cat_export_t *e)
{
    apr_thread_mutex_lock(e->mutex);
    if (e->stopped && !e->is_ended) { /* the client has gone before it asked for the next portion */
        report_stop(e);
    } else {
        end_export(e);
    }
    apr_thread_mutex_unlock(e->mutex);
}

static void end_export(cat_export_t *e)
{
    e->is_ended = 1;
    leave_list(e);
    cat_db_release(e->db);
}

apr_int64_t cat_export_count(const cat_export_t *e)
{
    return e->total;
}
