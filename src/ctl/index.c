/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl index: makes the indexes of products what CatalogIndex says, while servers work.
 *
 *     1. withdraw   the parts whose indexes change: readers stop using them, and the command waits until all have noticed
 *     2. build      missing indexes and drop unused ones, one after the other (catalogue/search/index_builder.h)
 *     3. fill       what is derived of each product, in portions, from the newest on (catalogue/search/indexes.h), after words that no
 *                   product has any more have left the dictionary; and the keys of fields of the shop's own that are wrong
 *                   (catalogue/search/key_check.h)
 *     4. complete   readers may use the parts; indexes that are best dropped when they are empty are dropped now
 *
 * A lock lets one such command work at a time. It can be stopped at any point, and run again.
 */
#include "ctl/index.h"

#include <apr_strings.h>
#include <stdio.h>

#include "catalogue/index.h"
#include "ctl/counts.h"
#include "ctl/database.h"
#include "ctl/progress.h"
#include "db/db.h"
#include "lib/number.h"
#include "lib/time.h"

/* The number of portions after which delta rows of categories are applied: lists read all that wait. */
#define PORTIONS_BETWEEN 20

/* How often an index, or a portion of products, is tried that transactions of others are in the way of, and how long these may go
 * on in between. */
#define TRIES 30
#define TRY_INTERVAL apr_time_from_sec(1)

/* How often to look whether another process has ended its work. */
#define LOCK_INTERVAL apr_time_from_msec(200)

typedef struct indexing_t {
    ctl_t *ctl;
    apr_pool_t *pool; /* of one portion */
    ctl_progress_t progress;
    cat_indexes_position_t from;
    apr_int64_t rows, changed, gone;
    cat_definition_t *definition;
    cat_index_status_t status[CAT_INDEX_COUNT];
} indexing_t;

static apr_status_t try_portion(indexing_t *ix, cat_indexes_step_t *fill, const cat_log_t *log, int *is_last)
{
    cat_db_t *db = cat_db_make(ix->pool, &ix->ctl->conf, ix->ctl->source, log);
    cat_indexes_portion_t portion;
    apr_time_t begun = cat_time_monotonic();
    apr_status_t rv = fill(ix->pool, db, &ix->from, &portion);

    if (rv == APR_SUCCESS) {
        ix->from = portion.end;
        ix->rows += portion.rows;
        ix->changed += portion.wrong;
        ix->gone += portion.gone;
        *is_last = portion.is_last;
    }
    apr_pool_clear(ix->pool);
    ctl_database_yield(ix->ctl, begun);
    return rv;
}

/* Only what no other try follows is logged as an error. */
static apr_status_t fill_portion(indexing_t *ix, cat_indexes_step_t *fill, int *is_last)
{
    cat_log_t log = ix->ctl->log;
    apr_status_t rv = CAT_EBUSY;

    for (int tries = 1; rv == CAT_EBUSY && tries <= TRIES; tries++) {
        if (tries > 1) {
            apr_sleep(TRY_INTERVAL);
        }
        log.is_background = tries < TRIES;
        rv = try_portion(ix, fill, &log, is_last);
    }
    return rv;
}

static apr_status_t fill_products(indexing_t *ix, cat_indexes_step_t *fill)
{
    apr_status_t rv = APR_SUCCESS;
    int is_last = 0;

    ix->rows = 0;
    ix->from = (cat_indexes_position_t){.n = CAT_LIST_KEY_MAX};
    for (int portions = 1; !is_last && rv == APR_SUCCESS; portions++) {
        rv = fill_portion(ix, fill, &is_last);
        ctl_progress_show(&ix->progress, ix->rows, ix->rows);
        if (portions % PORTIONS_BETWEEN == 0) {
            ctl_counts_maintain(ix->ctl);
        }
    }
    ctl_counts_maintain(ix->ctl);
    return rv;
}

/* The bar of what follows. */
static apr_status_t begin_progress(indexing_t *ix)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(ix->ctl->db, SQL_INDEX_STATE, CAT_NO_VALUES, &row);

    ctl_progress_leave(&ix->progress);
    ctl_progress_begin(&ix->progress);
    ix->progress.total = rv == APR_SUCCESS ? apr_atoi64(row[4]) : 0;
    cat_db_release(ix->ctl->db);
    return rv;
}

/* ---- indexes ---- */

static const char *name_work(const indexing_t *ix, const cat_index_status_t *status)
{
    int waits = cat_db_dialect(ix->ctl->db)->one_writer;

    return apr_psprintf(ix->ctl->pool, "%s %s%s", status->index->name,
                        status->state == CAT_INDEX_UNUSED ? "is being dropped" : "is being built",
                        waits ? "; writers wait" : "");
}

static int needs_work(const cat_index_status_t *status)
{
    return status->state != CAT_INDEX_PRESENT && status->state != CAT_INDEX_ABSENT;
}

static apr_status_t run_index(indexing_t *ix, const cat_index_status_t *status)
{
    apr_time_t began = apr_time_now();
    ctl_t *ctl = ix->ctl;
    apr_status_t rv = CAT_EBUSY;

    ctl_progress_name(&ix->progress, name_work(ix, status));
    for (int tries = 0; rv == CAT_EBUSY && tries < TRIES; tries++) {
        if (tries > 0) {
            apr_sleep(TRY_INTERVAL);
        }
        rv = cat_index_builder_run(ix->definition, ctl->db, cat_product_keys_kept(ctl->db), status->index);
    }
    ctl_progress_leave(&ix->progress);
    if (rv == CAT_EBUSY) {
        ctl_fail(status->index->name, "other transactions were in the way; run the same command again");
    }
    if (rv == APR_SUCCESS) {
        printf("%s %s in %.1f s\n", status->index->name, status->state == CAT_INDEX_UNUSED ? "dropped" : "built",
               (double)(apr_time_now() - began) / (double)APR_USEC_PER_SEC);
        fflush(stdout);
    }
    return rv;
}

/* The parts that no reader may use while their indexes are built or dropped. One of an index that is missing has no row
 * already, unless something else than this command has dropped it. */
static int list_unusable(const indexing_t *ix, int built)
{
    int kept = cat_product_keys_kept(ix->ctl->db), parts = cat_index_table_parts() & ~kept;

    for (int i = 0; i < CAT_INDEX_COUNT; i++) {
        int needed = ix->status[i].index->parts;
        if (needs_work(&ix->status[i]) && !(needed & ~(kept & built))) {
            parts |= needed;
        }
    }
    return parts;
}

static apr_status_t withdraw_parts(indexing_t *ix)
{
    cat_db_t *db = ix->ctl->db;
    int built, were_complete = 0;
    apr_status_t rv = cat_indexes_read_built(db, &built);

    rv = rv == APR_SUCCESS ? cat_indexes_remove(db, list_unusable(ix, built), &were_complete) : rv;
    cat_db_release(db);
    if (were_complete) {
        apr_sleep(CAT_INDEXES_DELAY);
    }
    return rv;
}

/* Where writers wait for it, an index is dropped late, when it has been emptied in portions: that takes no time. Elsewhere it is
 * dropped first, so that the portions need not remove its entries. */
static apr_status_t run_indexes(indexing_t *ix, int late)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < CAT_INDEX_COUNT && rv == APR_SUCCESS; i++) {
        const cat_index_status_t *status = &ix->status[i];
        int is_late = status->state == CAT_INDEX_UNUSED && cat_db_dialect(ix->ctl->db)->one_writer;
        if (needs_work(status) && is_late == late) {
            rv = run_index(ix, status);
        }
    }
    return rv;
}

static apr_status_t prepare_indexes(indexing_t *ix)
{
    cat_db_t *db = ix->ctl->db;
    int kept = cat_product_keys_kept(db);
    apr_status_t rv = cat_index_builder_look(db, kept, ix->status);

    rv = rv == APR_SUCCESS ? withdraw_parts(ix) : rv;
    rv = rv == APR_SUCCESS ? run_indexes(ix, 0) : rv;
    rv = rv == APR_SUCCESS ? cat_indexes_add(db, kept) : rv;
    cat_db_release(db);
    return rv;
}

static apr_status_t take_lock(indexing_t *ix)
{
    ctl_t *ctl = ix->ctl;
    apr_pool_t *pool;
    cat_db_t *db;
    apr_status_t rv;
    int is_told = 0;

    apr_pool_create(&pool, ctl->pool);
    db = cat_db_make(pool, &ctl->conf, ctl->source, &ctl->log);
    while ((rv = cat_definition_begin(db, &ix->definition)) == CAT_EBUSY) {
        if (!is_told++) {
            ctl_fail(NULL, "waiting for another catalogctl index");
        }
        apr_sleep(LOCK_INTERVAL);
        apr_pool_clear(pool);
        db = cat_db_make(pool, &ctl->conf, ctl->source, &ctl->log);
    }
    return rv;
}

/* For steps that go through values or words, not products. */
static apr_status_t mend_others(indexing_t *ix, cat_indexes_step_t *mend)
{
    apr_int64_t rows = ix->rows;
    apr_status_t rv = fill_products(ix, mend);

    ix->rows = rows;
    return rv;
}

static apr_status_t run_steps(indexing_t *ix)
{
    apr_status_t rv = take_lock(ix);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = prepare_indexes(ix);
    rv = rv == APR_SUCCESS ? begin_progress(ix) : rv;
    rv = rv == APR_SUCCESS ? mend_others(ix, cat_indexes_sweep) : rv;
    rv = rv == APR_SUCCESS ? fill_products(ix, cat_indexes_fill) : rv;
    rv = rv == APR_SUCCESS ? fill_products(ix, cat_key_check_mend) : rv;
    rv = rv == APR_SUCCESS ? mend_others(ix, cat_key_check_mend_owners) : rv;
    rv = rv == APR_SUCCESS ? cat_indexes_note_complete(ix->ctl->db) : rv;
    rv = rv == APR_SUCCESS ? run_indexes(ix, 1) : rv;
    cat_definition_end(ix->definition);
    return rv;
}

/* ---- without doing it ---- */

typedef struct comparison_t {
    ctl_t *ctl;
    cat_indexes_step_t *compare;
    int most; /* products, about; 0: all */
    ctl_index_found_t *found;
} comparison_t;

/* *passed: how many products are passed over after each portion that is compared; 0: none. */
static apr_status_t count_passed(const comparison_t *c, apr_int64_t *passed)
{
    apr_int64_t total = 0;
    apr_status_t rv = c->most ? cat_db_number(c->ctl->db, SQL_PRODUCT_TOTAL, CAT_NO_VALUES, &total) : APR_SUCCESS;

    *passed = total > c->most ? total / (c->most / CAT_OWN_KEYS_FOUND) - CAT_OWN_KEYS_FOUND : 0;
    return rv;
}

/* Moves the end of a portion down the list, to where the next one begins. */
static apr_status_t pass_products(const comparison_t *c, apr_int64_t passed, cat_indexes_portion_t *portion)
{
    const char *const *row;
    apr_status_t rv;

    if (passed <= 0 || portion->is_last) {
        return APR_SUCCESS;
    }
    rv = cat_db_one(
        c->ctl->db, SQL_PRODUCT_KEY_BELOW,
        CAT_VALUES(cat_number_write(c->ctl->db->pool, portion->end.n), cat_number_write(c->ctl->db->pool, passed)),
        &row);
    portion->is_last = rv == APR_NOTFOUND;
    if (rv == APR_SUCCESS) {
        portion->end.n = apr_atoi64(row[0]);
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

static apr_status_t compare_products(void *baton)
{
    comparison_t *c = baton;
    cat_indexes_portion_t portion = {.end.n = CAT_LIST_KEY_MAX};
    apr_pool_t *pool, *before = c->ctl->db->pool;
    apr_int64_t passed;
    apr_status_t rv = count_passed(c, &passed);

    *c->found = (ctl_index_found_t){0};
    apr_pool_create(&pool, c->ctl->pool);
    cat_db_use_pool(c->ctl->db, pool);
    while (rv == APR_SUCCESS && !portion.is_last) {
        cat_indexes_position_t from = portion.end;
        apr_pool_clear(pool);
        rv = c->compare(pool, c->ctl->db, &from, &portion);
        rv = rv == APR_SUCCESS ? pass_products(c, passed, &portion) : rv;
        c->found->wrong += portion.wrong;
        c->found->rows += portion.rows;
        c->found->unknown += portion.unknown;
        c->found->gone += portion.gone;
        if (portion.example && (portion.wrong || !c->found->example)) {
            c->found->example = apr_pstrdup(c->ctl->pool, portion.example);
        }
    }
    cat_db_use_pool(c->ctl->db, before);
    apr_pool_destroy(pool);
    return rv;
}

apr_status_t ctl_index_compare(ctl_t *ctl, cat_indexes_step_t *compare, int most, ctl_index_found_t *found)
{
    comparison_t c = {ctl, compare, most, found};

    return cat_db_view(ctl->db, compare_products, &c);
}

static void print_plan(const indexing_t *ix)
{
    const cat_dialect_t *dialect = cat_db_dialect(ix->ctl->db);

    for (int i = 0; i < CAT_INDEX_COUNT; i++) {
        const cat_index_status_t *status = &ix->status[i];
        if (needs_work(status)) {
            printf("%s %s (%s)", status->state == CAT_INDEX_UNUSED ? "drop" : "build", status->index->name,
                   cat_index_table_columns(ix->ctl->pool, dialect, status->index));
            if (status->size) {
                printf(", %.1f MB", (double)status->size / 1e6);
            }
            puts(status->state == CAT_INDEX_INVALID ? ", because it is invalid" : "");
        }
    }
}

static void print_gone(apr_int64_t count, const char *what)
{
    if (count) {
        printf("%" APR_INT64_T_FMT " products are gone; what was kept of them %s\n", count, what);
    }
}

static int show_plan(indexing_t *ix)
{
    ctl_t *ctl = ix->ctl;
    ctl_index_found_t found, keys, owners;
    apr_status_t rv = cat_index_builder_look(ctl->db, cat_product_keys_kept(ctl->db), ix->status);

    rv = rv == APR_SUCCESS ? ctl_index_compare(ctl, cat_indexes_compare, 0, &found) : rv;
    rv = rv == APR_SUCCESS ? ctl_index_compare(ctl, cat_key_check_compare, 0, &keys) : rv;
    rv = rv == APR_SUCCESS ? ctl_index_compare(ctl, cat_key_check_compare_owners, 0, &owners) : rv;
    if (rv != APR_SUCCESS) {
        return CTL_FAILED;
    }
    print_plan(ix);
    printf("%" APR_INT64_T_FMT " products, %" APR_INT64_T_FMT " to be indexed anew\n", found.rows,
           found.wrong + keys.wrong);
    if (found.unknown) {
        puts("the dictionary lacks words of products");
    }
    print_gone(keys.gone > owners.gone ? keys.gone : owners.gone, "is to be removed");
    return CTL_DONE;
}

int ctl_index_run(ctl_t *ctl)
{
    indexing_t ix = {.ctl = ctl};
    apr_status_t rv;

    if (ctl->options->dry_run) {
        return show_plan(&ix);
    }
    apr_pool_create(&ix.pool, ctl->pool);
    ctl_progress_begin(&ix.progress);
    rv = run_steps(&ix);
    ctl_progress_leave(&ix.progress);
    if (rv != APR_SUCCESS) {
        return ctl_fail(NULL, "not all products are indexed; the cause is above; run the same command again");
    }
    printf("%" APR_INT64_T_FMT " products, %" APR_INT64_T_FMT " indexed anew\n", ix.rows, ix.changed);
    print_gone(ix.gone, "is removed");
    return CTL_DONE;
}
