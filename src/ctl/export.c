/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl export: writes all tables that move, in one transaction, so that the file is one state of the database.
 *
 *     first line    {"mod_catalog":{"format":...,"time":...}}
 *     then          a line for each row, table after table, each table in the order of its key
 *     last line     the number of rows and a checksum, by which import knows that nothing is missing
 */
#include <stdio.h>

#include <apr_strings.h>

#include "catalogue/history.h"
#include "ctl/database.h"
#include "ctl/move.h"
#include "ctl/products.h"
#include "ctl/progress.h"
#include "db/db.h"
#include "lib/json.h"
#include "lib/time.h"

#define PAGE_SIZE (256 * 1024) /* bytes: an estimate of a page's lines */

typedef struct export_t {
    ctl_t *ctl;
    int table;         /* of the row */
    const char *after; /* the key behind which the page begins */
    const char *last;  /* key of the page; NULL: the page is empty */
    apr_pool_t *pool;  /* of the page */
    cat_buffer_t lines;
    ctl_move_sum_t sum;
    apr_int64_t changes; /* number of the last change */
    ctl_progress_t progress;
} export_t;

static apr_status_t add_line(void *baton, const char *const *row, int count)
{
    export_t *e = baton;
    const ctl_move_table_t *table = &ctl_move_tables[e->table];
    apr_size_t start = e->lines.length;

    CAT_BUFFER_LITERAL(&e->lines, "{");
    cat_json_add_string(&e->lines, table->name);
    CAT_BUFFER_LITERAL(&e->lines, ":");
    cat_fields_write(&e->lines, table->fields, count, row);
    CAT_BUFFER_LITERAL(&e->lines, "}\n");
    ctl_move_sum_add(&e->sum, e->table, e->lines.data + start, e->lines.length - start);
    e->last = apr_pstrdup(e->pool, row[0]);
    return APR_SUCCESS;
}

static apr_status_t read_page(void *baton)
{
    export_t *e = baton;

    const ctl_move_table_t *table = &ctl_move_tables[e->table];

    return cat_db_each(e->ctl->db, table->read, CAT_VALUES(ctl_move_position(e->pool, table, e->after)), add_line, e);
}

/* In pages, because drivers keep all rows of a result in memory. */
static apr_status_t write_table(export_t *e)
{
    cat_db_t *db = e->ctl->db;
    apr_pool_t *before = cat_db_use_pool(db, e->pool);
    apr_status_t rv;

    e->after = "";

    do {
        apr_pool_clear(e->pool);
        cat_buffer_init(&e->lines, e->pool, PAGE_SIZE);
        e->last = NULL;
        rv = cat_db_continue_view(db, read_page, e);
        if (rv != APR_SUCCESS) {
            break;
        }
        fwrite(e->lines.data, 1, e->lines.length, stdout);
        ctl_progress_show(&e->progress, ctl_move_sum_rows(&e->sum), ctl_move_sum_rows(&e->sum));
        e->after = apr_pstrdup(e->ctl->pool, e->last);
    } while (e->after && !ferror(stdout));
    cat_db_use_pool(db, before);
    return rv;
}

/* The rows are read in pages, in the transaction that this begins. */
static apr_status_t read_end(void *baton)
{
    export_t *e = baton;

    return cat_changes_find_end(e->ctl->db, &e->changes);
}

/* Only for the progress display: counting a large database may exceed the statement timeout. */
static apr_int64_t count_rows(ctl_t *ctl)
{
    const char *const *row = NULL;
    apr_int64_t rows = 0;

    ctl->quiet = 1;
    if (cat_db_one(ctl->db, SQL_MOVE_COUNT, CAT_NO_VALUES, &row) == APR_SUCCESS) {
        rows = apr_strtoi64(row[0], NULL, 10);
    }
    ctl->quiet = 0;
    cat_db_release(ctl->db);
    return rows;
}

static apr_status_t write_tables(export_t *e)
{
    char time[CAT_TIME_LENGTH + 1];
    apr_status_t rv = cat_db_open_view(e->ctl->db, read_end, e);

    if (rv == APR_SUCCESS) {
        cat_time_format(time, apr_time_as_msec(e->ctl->now));
        printf("{\"mod_catalog\":{\"format\":%d,\"time\":\"%s\",\"changes\":%" APR_INT64_T_FMT "}}\n", CTL_MOVE_FORMAT,
               time, e->changes);
    }
    for (e->table = 0; e->table < CTL_MOVE_TABLES && rv == APR_SUCCESS; e->table++) {
        rv = write_table(e);
    }
    if (rv == APR_SUCCESS) {
        fputs(ctl_move_sum_line(&e->sum, e->ctl->pool), stdout);
    }
    return rv;
}

int ctl_export_run(ctl_t *ctl)
{
    export_t e = {.ctl = ctl};
    const char *fault;
    apr_status_t rv;

    if (ctl->options->products) {
        return ctl_products_export(ctl);
    }
    fault = ctl_move_begin(ctl);
    if (fault) {
        return ctl_fail(NULL, fault);
    }
    apr_pool_create(&e.pool, ctl->pool);
    ctl_move_sum_init(&e.sum, ctl->pool);
    ctl_progress_begin(&e.progress);
    if (e.progress.wanted) {
        e.progress.total = count_rows(ctl);
    }
    rv = write_tables(&e);
    ctl_progress_leave(&e.progress);
    cat_db_release(ctl->db);
    return rv == APR_SUCCESS ? CTL_DONE : ctl_fail(NULL, "the export is incomplete; the cause is above");
}
