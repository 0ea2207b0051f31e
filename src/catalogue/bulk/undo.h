/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_BULK_UNDO_H
#define CAT_CATALOGUE_BULK_UNDO_H

#include "catalogue/bulk/bulk.h"
#include "catalogue/changes/changes.h"
#include "db/db.h"

/* Takes back batches of changes: each product that nobody has changed since becomes what it was before the batch. */

typedef enum {
    CAT_UNDO_DONE,
    CAT_UNDO_BEGUN,   /* the batch is large: a job takes it back (catalogue/bulk/bulk_job.h) */
    CAT_UNDO_UNKNOWN, /* this and the others: nothing was done */
    CAT_UNDO_ALREADY, /* the batch is undone, or being undone */
    CAT_UNDO_RUNNING, /* it has not ended */
    CAT_UNDO_GONE     /* the history no longer has all of it */
} cat_undo_outcome_t;

/* An undo. */
typedef struct cat_undo_t {
    cat_db_t *db; /* its author is that of the undo */
    apr_int64_t batch;
    /* Each is called in the transaction: to store a job with this text, if one has to do it (cat_bulk_job_insert_within); and after all else,
     * if anything is stored. */
    apr_status_t (*begin_job)(void *baton, const char *request);
    apr_status_t (*finish)(void *baton);
    void *baton;
    /* Set by cat_undo_run: */
    cat_undo_outcome_t outcome;
    cat_bulk_result_t result; /* CAT_UNDO_DONE. errors: of the products that stay as they are, all of them */
} cat_undo_t;

/* Takes a batch of at most CAT_BULK_ATOMIC_MAX changes back in one transaction, and begins a job for a larger one. Where no product goes
 * back, nothing is stored. Failures are those of db/db.h; all is on the pool of db. */
apr_status_t cat_undo_run(cat_undo_t *undo);

/* 0: the text is no batch. */
apr_int64_t cat_undo_parse_batch(const char *text);

/* ---- for the job ---- */

/* The changes of a batch, and more: those between two numbers. A job has it in its row: {"undo":17,"after":250,"last":100249}. */
typedef struct cat_undo_range_t {
    apr_int64_t batch, after, last;
} cat_undo_range_t;

/* 0: the job takes no batch back. */
int cat_undo_read_job(const json_t *request, cat_undo_range_t *range);

/* Some of these changes, the last ones first. */
typedef struct cat_undo_portion_t {
    cat_undo_range_t range;
    apr_int64_t below;  /* they have lower numbers than this */
    int most;           /* their number, at most */
    int rows;           /* result: changes */
    apr_int64_t lowest; /* result: the lowest number of them; `below` if there are none */
    apr_array_header_t
        *ids; /* result, const char *: of their products, each once, in the order of their last changes */
} cat_undo_portion_t;

/* Reads them, in a view or a transaction. On the pool of db. */
apr_status_t cat_undo_find(cat_db_t *db, cat_undo_portion_t *portion);

/* Takes them back in a transaction of cat_products_transact, whose list is `changed`. What cannot go back is in the result; failures are those
 * of db/db.h. */
apr_status_t cat_undo_portion_within(cat_db_t *db, const cat_undo_portion_t *portion, apr_array_header_t *changed,
                                     cat_bulk_result_t *result);

/* In the same transaction. _note: the batch `by` undoes this one; 0: it is being undone, but no product has gone back yet. _give_up: the undo
 * ends before its last portion, so the batch counts as not undone, and the rest can be. */
apr_status_t cat_undo_note(cat_db_t *db, apr_int64_t batch, apr_int64_t by);
apr_status_t cat_undo_give_up(cat_db_t *db, apr_int64_t batch);

#endif
