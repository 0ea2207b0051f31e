/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes a batch of changes back, product by product, by what the history (catalogue/changes/changes.h) has noted of each:
 *
 *     changes of the product since the batch began, the last one first
 *       of another batch    -> the product has been changed since: it is named, and stays
 *       of the batch        -> are taken back, one after the other, until the row is what it was before the first of them
 *     the row that it was, the row that it is, or none
 *       none, row -> deleted      row, none -> inserted, with its id, its time and its pictures      row, row -> replaced
 *
 * Products go back in the order of their last changes, the last one first. Each state on the way is one that the catalogue had, so a
 * unique value that products of the batch have passed on is free when its former owner wants it back. Only where a product was changed
 * several times it may not be; such products are tried again after the others, in the end all together: first they give up their values.
 *
 * A product that cannot go back stays as it is, and the others go on: each is written within a savepoint.
 *
 * A batch has a mark, undone_by, whose row is locked first: of several undos at once one is done. A large batch is taken back in portions,
 * by the job that makes the changes of all that match (catalogue/bulk/bulk_job.c): its position is the lowest number that was gone through.
 */
#include "catalogue/bulk/undo.h"

#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "catalogue/changes/restore.h"
#include "catalogue/product/products.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/time.h"

/* attempts to undo the products that wait for each other together, before each is tried by itself */
#define TOGETHER_TRIES 10

/* An import that has stored nothing for so long has ended with its server. */
#define ABANDONED apr_time_from_sec(300)

/* ---- the changes of a portion ---- */

typedef struct finding_t {
    apr_pool_t *pool;
    cat_undo_portion_t *portion;
    apr_hash_t *known; /* ids */
} finding_t;

/* values: number, product */
static apr_status_t add_change(void *baton, const char *const *values, int)
{
    finding_t *f = baton;
    cat_undo_portion_t *portion = f->portion;
    const char *id;

    portion->rows++;
    portion->lowest = apr_atoi64(values[0]);
    if (!apr_hash_get(f->known, values[1], APR_HASH_KEY_STRING)) {
        id = apr_pstrdup(f->pool, values[1]);
        apr_hash_set(f->known, id, APR_HASH_KEY_STRING, id);
        APR_ARRAY_PUSH(portion->ids, const char *) = id;
    }
    return APR_SUCCESS;
}

apr_status_t cat_undo_find(cat_db_t *db, cat_undo_portion_t *portion)
{
    const cat_undo_range_t *range = &portion->range;
    apr_int64_t below = portion->below > range->last ? range->last + 1 : portion->below;
    finding_t f = {db->pool, portion, apr_hash_make(db->pool)};

    portion->rows = 0;
    portion->lowest = below;
    portion->ids = apr_array_make(db->pool, 64, sizeof(const char *));
    return cat_db_each(db, SQL_CHANGES_BACK,
                       CAT_VALUES(cat_number_write(db->pool, range->batch), cat_number_write(db->pool, range->after),
                                  cat_number_write(db->pool, below), apr_itoa(db->pool, portion->most)),
                       add_change, &f);
}

/* ---- a product ---- */

/* What has become of the batch's changes of a product; PASSED: they have been taken back, or it was judged by an earlier portion. */
typedef enum { UNKNOWN, WHOLE, TOUCHED, PASSED } fate_t;

typedef struct product_t {
    cat_db_t *db;
    const cat_undo_portion_t *portion;
    const char *id;
    fate_t fate;
    const char *const *present; /* the row of the product; NULL: there is none */
    const char *const *row; /* as it was before the changes that have been taken back so far; NULL: there was none */
    apr_int64_t other;      /* the batch of the last change, if it is not this one; 0: it is */
    /* true if the server makes its unique values of other fields (from=) again where other products have them */
    int remakes;
    int is_over;        /* flag: a change of another batch lies below them */
    int is_changed;     /* flag: it was written */
    apr_int64_t number; /* of the change that was judged last */
    int rows;           /* changes of the portion that have been judged */
} product_t;

/* The columns of SQL_CHANGES_SINCE. */
enum { NUMBER, BATCH, OP, FORMER };

#define SINCE_MOST 100 /* changes of a product that are read at once */

/* 0: the product is not what the history says. */
static int revert_change(product_t *p, const char *op, const char *former)
{
    int is_there = strcmp(op, CAT_CHANGE_DELETE) != 0;

    if (is_there != (p->row != NULL)) {
        return 0;
    }
    p->row = cat_change_notes_revert(p->db->pool, p->id, p->row, former);
    return 1;
}

/* Takes the changes since the batch began, the last one first. Of a product that another batch has changed, the batch's last change says which
 * portion names it. */
static apr_status_t judge_change(void *baton, const char *const *values, int)
{
    product_t *p = baton;
    apr_int64_t batch = apr_atoi64(values[BATCH]);

    p->rows++;
    p->number = apr_atoi64(values[NUMBER]);
    if (batch != p->portion->range.batch) {
        p->is_over = p->fate == WHOLE;
        p->other = p->fate == UNKNOWN && !p->other ? batch : p->other;
        return APR_SUCCESS;
    }
    if (p->fate == UNKNOWN && p->number >= p->portion->below) {
        p->fate = PASSED;
        return CAT_ENOUGH;
    }
    p->fate = p->other || p->is_over || !revert_change(p, values[OP], values[FORMER]) ? TOUCHED : WHOLE;
    return p->fate == TOUCHED ? CAT_ENOUGH : APR_SUCCESS;
}

/* The last change may be that of an undo of the same batch, which was stopped. */
static apr_status_t judge_other(product_t *p)
{
    cat_change_batch_t batch;
    apr_status_t rv = cat_changes_get_batch(p->db, p->other, &batch);

    p->fate = rv == APR_SUCCESS && batch.undoes == p->portion->range.batch ? PASSED : TOUCHED;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

/* A product may have any number of changes: what a portion of them has read goes before the next one. */
static apr_status_t judge_changes(product_t *p)
{
    apr_pool_t *before = p->db->pool, *pool;
    const char *after = cat_number_write(p->db->pool, p->portion->range.after);
    apr_status_t rv;

    p->number = APR_INT64_MAX;
    apr_pool_create(&pool, before);
    do {
        cat_db_use_pool(p->db, pool);
        p->rows = 0;
        rv = cat_db_each(p->db, SQL_CHANGES_SINCE,
                         CAT_VALUES(p->id, after, cat_number_write(p->db->pool, p->number), APR_STRINGIFY(SINCE_MOST)),
                         judge_change, p);
        p->row = p->row ? cat_product_copy(before, p->row, CAT_PRODUCT_COLUMNS) : NULL;
        cat_db_use_pool(p->db, before);
        apr_pool_clear(pool);
    } while (rv == APR_SUCCESS && p->rows == SINCE_MOST && p->fate != TOUCHED && p->fate != PASSED);
    apr_pool_destroy(pool);
    return rv;
}

/* The row is locked before its changes are read, so that no other change is made in between. Where there is none, somebody may put the product back:
 * then it is there when it is to be put back itself. */
static apr_status_t read_product(product_t *p)
{
    apr_status_t rv = cat_restore_lock(p->db, p->id, &p->present);

    p->row = p->present;
    rv = rv == APR_SUCCESS ? judge_changes(p) : rv;
    return rv == APR_SUCCESS && p->fate == TOUCHED && p->other ? judge_other(p) : rv;
}

static apr_status_t put_product(void *baton)
{
    product_t *p = baton;

    return cat_restore_put(p->db, p->id, p->present, p->row, p->remakes, &p->is_changed);
}

/* ---- a portion ---- */

typedef struct run_t {
    cat_db_t *db;
    const cat_undo_portion_t *portion;
    apr_pool_t *pool;            /* of one product */
    apr_array_header_t *changed; /* const char * */
    apr_array_header_t *waiting; /* const char *: products whose unique values others have */
    int is_last_try;             /* flag: of those that wait */
    int tried;                   /* the place of one of them */
    apr_array_header_t *refused; /* values of the waiting products that other products have */
    cat_bulk_result_t *result;
} run_t;

static void name_product(run_t *run, const char *id, const char *field, const char *code, const char *message)
{
    run->result->failed++;
    cat_bulk_add_error(run->result, id, field, code, message);
}

static void name_touched(run_t *run, const char *id)
{
    name_product(run, id, "", "changed", "was changed since");
}

/* A product that is there although the history says that it was deleted has been put back by somebody. */
static apr_status_t note_refusal(run_t *run, const char *id, apr_status_t rv)
{
    const char *field = cat_products_name_taken(run->db);

    if (rv == APR_NOTFOUND || (rv == APR_EEXIST && !*field)) {
        name_touched(run, id);
    } else if (rv == APR_EEXIST && !run->is_last_try) {
        APR_ARRAY_PUSH(run->waiting, const char *) = id;
    } else if (rv == APR_EEXIST) {
        name_product(run, id, field, "taken", "is already taken by another product");
    } else if (rv == CAT_ETOOLONG) {
        name_product(run, id, "", "too_long", CAT_PRODUCT_TOO_LONG);
    } else if (rv == CAT_EVALUE) {
        name_product(run, id, "", "invalid", "has a value that the database refuses");
    } else {
        return rv;
    }
    return APR_SUCCESS;
}

static apr_status_t store_product(run_t *run, product_t *p)
{
    apr_status_t rv;

    APR_ARRAY_PUSH(run->changed, const char *) = p->id;
    rv = cat_db_attempt(run->db, put_product, p);
    if (rv == APR_SUCCESS) {
        run->result->changed += p->is_changed;
        run->result->unchanged += !p->is_changed;
        return APR_SUCCESS;
    }
    return note_refusal(run, p->id, rv);
}

static apr_status_t undo_product(run_t *run, const char *id)
{
    product_t p = {.db = run->db, .portion = run->portion, .id = id, .remakes = run->is_last_try};
    apr_pool_t *before = cat_db_use_pool(run->db, run->pool);
    apr_status_t rv = read_product(&p);

    if (rv == APR_SUCCESS && (p.fate == TOUCHED || p.fate == UNKNOWN)) {
        name_touched(run, id);
    } else if (rv == APR_SUCCESS && p.fate == WHOLE) {
        rv = store_product(run, &p);
    }
    cat_db_use_pool(run->db, before);
    apr_pool_clear(run->pool);
    return rv;
}

static apr_status_t undo_products(run_t *run, const apr_array_header_t *ids)
{
    apr_status_t rv = APR_SUCCESS;

    run->waiting = apr_array_make(ids->pool, 0, sizeof(const char *));
    for (int i = 0; i < ids->nelts && rv == APR_SUCCESS; i++) {
        rv = undo_product(run, APR_ARRAY_IDX(ids, i, const char *));
    }
    return rv;
}

/* ---- products that wait for each other ---- */

static apr_status_t release_values(const run_t *run)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < run->waiting->nelts && rv == APR_SUCCESS; i++) {
        const char *n = cat_id_number_text(run->db->pool, APR_ARRAY_IDX(run->waiting, i, const char *));
        rv = cat_db_exec(run->db, SQL_UNIQUE_DELETE_ALL, CAT_VALUES(n), NULL);
    }
    return rv;
}

/* Takes all unique values of the product, as it was written with none. */
static apr_status_t claim_values(cat_db_t *db, const char *id)
{
    const cat_registry_t *registry;
    const char *const *row;
    apr_status_t rv = cat_registry_get(db, &registry);

    rv = rv == APR_SUCCESS ? cat_db_one(db, SQL_PRODUCT_GET, CAT_PRODUCT_IS(db->pool, id), &row) : rv;
    return rv == APR_SUCCESS ? cat_own_keys_reclaim(db, registry, NULL, row) : rv;
}

/* The pool has the last product, so that the caller can say what it fails with. */
static apr_status_t put_and_claim(const run_t *run, const char *id)
{
    product_t p = {.db = run->db, .portion = run->portion, .id = id, .remakes = 1};
    apr_pool_t *before = cat_db_use_pool(run->db, run->pool);
    apr_status_t rv;

    apr_pool_clear(run->pool);
    rv = read_product(&p);
    rv = rv == APR_SUCCESS ? put_product(&p) : rv;
    rv = rv == APR_SUCCESS ? claim_values(run->db, id) : rv;
    cat_db_use_pool(run->db, before);
    return rv;
}

/* Undoes the waiting products together, within a savepoint: releases their unique values, undoes each product, and takes the values again. After a
 * failure run->refused has the values that other products have; if it is empty, run->tried is the place of the product that failed. */
static apr_status_t put_together(void *baton)
{
    run_t *run = baton;
    apr_status_t rv = release_values(run);

    run->refused = apr_array_make(run->waiting->pool, 0, sizeof(cat_waiting_value_t));
    cat_own_keys_wait(run->db, run->waiting->pool);
    for (run->tried = 0; rv == APR_SUCCESS && run->tried < run->waiting->nelts; run->tried++) {
        rv = put_and_claim(run, APR_ARRAY_IDX(run->waiting, run->tried, const char *));
        if (rv != APR_SUCCESS) {
            break;
        }
    }
    rv = rv == APR_SUCCESS ? cat_own_keys_take_waiting(run->db, run->refused) : rv;
    run->db->waiting = NULL;
    return rv;
}

static void leave_out(const run_t *run, const char *id)
{
    apr_array_header_t *waiting = run->waiting;
    int kept = 0;

    for (int i = 0; i < waiting->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(waiting, i, const char *), id) != 0) {
            APR_ARRAY_IDX(waiting, kept++, const char *) = APR_ARRAY_IDX(waiting, i, const char *);
        }
    }
    waiting->nelts = kept;
}

static apr_status_t leave_out_refused(run_t *run, apr_status_t rv)
{
    const char *last = "";

    if (!run->refused->nelts && run->tried == run->waiting->nelts) {
        return rv; /* the database failed after the last product */
    }
    if (!run->refused->nelts) {
        last = APR_ARRAY_IDX(run->waiting, run->tried, const char *);
        rv = note_refusal(run, last, rv);
        leave_out(run, last);
        return rv;
    }
    for (int i = 0; i < run->refused->nelts; i++) {
        const cat_waiting_value_t *value = &APR_ARRAY_IDX(run->refused, i, cat_waiting_value_t);
        if (strcmp(last, value->id) != 0) { /* not another value of the same product */
            last = value->id;
            run->db->taken = value->number;
            note_refusal(run, last, APR_EEXIST);
            leave_out(run, last);
        }
    }
    return APR_SUCCESS;
}

/* Undoes the waiting products together, TOGETHER_TRIES times at most: names the products that fail although all have released their values, and
 * leaves them out of the next attempt. After the last one, tries each product by itself. */
static apr_status_t undo_together(run_t *run)
{
    apr_status_t rv = APR_EEXIST;

    run->is_last_try = 1;
    for (int tries = 0; run->waiting->nelts && rv != APR_SUCCESS && tries < TOGETHER_TRIES; tries++) {
        rv = cat_change_notes_attempt(run->db, put_together, run);
        if (rv != APR_SUCCESS) {
            apr_status_t fault = leave_out_refused(run, rv);
            if (fault != APR_SUCCESS) {
                return fault;
            }
        }
    }
    if (rv != APR_SUCCESS) {
        return undo_products(run, run->waiting);
    }
    run->result->changed += run->waiting->nelts;
    return APR_SUCCESS;
}

/* Those that wait are tried until none of them goes back any more by itself. */
static apr_status_t undo_all(run_t *run)
{
    const apr_array_header_t *ids = run->portion->ids;
    apr_status_t rv = undo_products(run, ids);
    int before = ids->nelts + 1;

    while (rv == APR_SUCCESS && run->waiting->nelts && run->waiting->nelts < before) {
        before = run->waiting->nelts;
        rv = undo_products(run, run->waiting);
    }
    return rv == APR_SUCCESS ? undo_together(run) : rv;
}

apr_status_t cat_undo_portion_within(cat_db_t *db, const cat_undo_portion_t *portion, apr_array_header_t *changed,
                                     cat_bulk_result_t *result)
{
    run_t run = {.db = db, .portion = portion, .changed = changed, .result = result};
    apr_status_t rv = cat_products_lock_many(db, apr_array_copy(db->pool, portion->ids));

    *result = (cat_bulk_result_t){.errors = cat_json_own(db->pool, json_array())};
    apr_array_clear(changed);
    apr_pool_create(&run.pool, db->pool);
    rv = rv == APR_SUCCESS ? undo_all(&run) : rv;
    apr_pool_destroy(run.pool);
    result->matched = result->changed + result->unchanged + result->failed;
    return rv;
}

/* ---- a batch ---- */

apr_status_t cat_undo_note(cat_db_t *db, apr_int64_t batch, apr_int64_t by)
{
    return cat_db_exec(db, SQL_BATCHES_UNDONE,
                       CAT_VALUES(cat_number_write(db->pool, by), cat_number_write(db->pool, batch)), NULL);
}

apr_status_t cat_undo_give_up(cat_db_t *db, apr_int64_t batch)
{
    return cat_db_exec(db, SQL_BATCHES_UNDONE, CAT_VALUES(NULL, cat_number_write(db->pool, batch)), NULL);
}

apr_int64_t cat_undo_parse_batch(const char *text)
{
    char *end;
    apr_int64_t batch = apr_strtoi64(text, &end, 10);

    return apr_isdigit(*text) && !*end ? batch : 0;
}

typedef struct beginning_t {
    cat_undo_t *undo;
    cat_undo_portion_t portion;
    apr_array_header_t *changed;
} beginning_t;

/* CAT_ECHANGED: the outcome says why it must not be undone. */
static apr_status_t refuse(cat_undo_t *undo, cat_undo_outcome_t outcome)
{
    undo->outcome = outcome;
    return CAT_ECHANGED;
}

/* Only one transaction can claim the batch. */
static apr_status_t claim_batch(cat_undo_t *undo, cat_change_batch_t *batch)
{
    int claimed;
    apr_status_t rv =
        cat_db_exec(undo->db, SQL_BATCHES_CLAIM, CAT_VALUES(cat_number_write(undo->db->pool, undo->batch)), &claimed);

    rv = rv == APR_SUCCESS ? cat_changes_get_batch(undo->db, undo->batch, batch) : rv;
    if (rv != APR_SUCCESS) {
        return rv == APR_NOTFOUND ? refuse(undo, CAT_UNDO_UNKNOWN) : rv;
    }
    return claimed ? APR_SUCCESS : refuse(undo, CAT_UNDO_ALREADY);
}

/* Has a batch that was not completed nevertheless ended? Then no job works at it, and it has had no change for a while. */
static apr_status_t check_end(cat_undo_t *undo, const cat_change_batch_t *batch, apr_time_t last)
{
    const char *const *row;
    apr_status_t rv = APR_NOTFOUND;

    if (batch->is_complete) {
        return APR_SUCCESS;
    }
    if (apr_time_now() - last > ABANDONED) {
        rv = cat_db_one(undo->db, SQL_BULK_JOB_WORKS, CAT_VALUES(cat_number_write(undo->db->pool, batch->id)), &row);
        if (rv == APR_NOTFOUND) {
            return APR_SUCCESS;
        }
    }
    return rv == APR_SUCCESS || rv == APR_NOTFOUND ? refuse(undo, CAT_UNDO_RUNNING) : rv;
}

/* Its last change is where it has as many as were counted. Of an old batch, some changes may have been deleted, and a search for them would
 * read the history to its end. */
static apr_status_t find_range(cat_undo_t *undo, const cat_change_batch_t *batch, cat_undo_range_t *range)
{
    cat_db_t *db = undo->db;
    const char *const *row;
    apr_status_t rv;

    if (apr_time_now() - batch->at > apr_time_from_sec(cat_conf_history(db->conf))) {
        return refuse(undo, CAT_UNDO_GONE);
    }
    *range = (cat_undo_range_t){.batch = batch->id, .after = batch->after_number, .last = batch->after_number};
    rv = batch->row_count
             ? cat_db_one(db, SQL_CHANGES_NTH,
                          CAT_VALUES(cat_number_write(db->pool, range->after), cat_number_write(db->pool, range->batch),
                                     cat_number_write(db->pool, batch->row_count - 1)),
                          &row)
             : APR_NOTFOUND;
    if (rv != APR_SUCCESS) {
        return rv == APR_NOTFOUND ? refuse(undo, batch->is_complete ? CAT_UNDO_GONE : CAT_UNDO_RUNNING) : rv;
    }
    range->last = apr_atoi64(row[0]);
    return check_end(undo, batch, cat_time_read(row[1]));
}

int cat_undo_read_job(const json_t *request, cat_undo_range_t *range)
{
    *range = (cat_undo_range_t){.batch = json_integer_value(json_object_get(request, "undo")),
                                .after = json_integer_value(json_object_get(request, "after")),
                                .last = json_integer_value(json_object_get(request, "last"))};
    return range->batch != 0;
}

static apr_status_t begin_job(const cat_undo_t *undo, const cat_undo_range_t *range)
{
    json_t *request = json_pack("{s:I, s:I, s:I}", "undo", (json_int_t)range->batch, "after", (json_int_t)range->after,
                                "last", (json_int_t)range->last);
    apr_pool_t *pool = undo->db->pool;

    return undo->begin_job(undo->baton, cat_json_text(pool, cat_json_own(pool, request)));
}

/* APR_NOTFOUND: no product goes back, so the batch is not undone. */
static apr_status_t undo_at_once(beginning_t *b)
{
    cat_undo_t *undo = b->undo;
    apr_status_t rv;

    b->portion.below = b->portion.range.last + 1;
    b->portion.most = CAT_BULK_ATOMIC_MAX;
    rv = cat_undo_find(undo->db, &b->portion);
    rv = rv == APR_SUCCESS ? cat_undo_portion_within(undo->db, &b->portion, b->changed, &undo->result) : rv;
    if (rv == APR_SUCCESS && !undo->result.changed) {
        return APR_NOTFOUND;
    }
    return rv == APR_SUCCESS ? cat_undo_note(undo->db, undo->batch, undo->db->author->batch) : rv;
}

static apr_status_t undo_batch(void *baton)
{
    beginning_t *b = baton;
    cat_undo_t *undo = b->undo;
    cat_change_batch_t batch;
    apr_status_t rv = claim_batch(undo, &batch);

    rv = rv == APR_SUCCESS ? find_range(undo, &batch, &b->portion.range) : rv;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    undo->outcome = batch.row_count > CAT_BULK_ATOMIC_MAX ? CAT_UNDO_BEGUN : CAT_UNDO_DONE;
    rv = undo->outcome == CAT_UNDO_BEGUN ? begin_job(undo, &b->portion.range) : undo_at_once(b);
    return rv == APR_SUCCESS ? undo->finish(undo->baton) : rv;
}

apr_status_t cat_undo_run(cat_undo_t *undo)
{
    beginning_t b = {.undo = undo, .changed = apr_array_make(undo->db->pool, 64, sizeof(const char *))};
    cat_change_batch_t batch;
    apr_status_t rv = cat_changes_get_batch(undo->db, undo->batch, &batch);

    if (rv != APR_SUCCESS) {
        undo->outcome = CAT_UNDO_UNKNOWN;
        return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
    }
    rv = cat_products_transact(undo->db, b.changed,
                               batch.row_count < CAT_BULK_ATOMIC_MAX ? (int)batch.row_count : CAT_BULK_ATOMIC_MAX,
                               undo_batch, &b);
    return rv == CAT_ECHANGED || rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}
