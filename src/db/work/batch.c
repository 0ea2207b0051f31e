/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the database has several writers, a commit of one row costs a round trip and a flush of its log. Threads that
 * create a product at the same time therefore let one of them, the leader, insert the rows of all.
 *
 *     1 row alone      one INSERT, which commits by itself
 *     2, 4, 8, 16      one INSERT of as many rows, which commits by itself
 *     other numbers    BEGIN, INSERT of 16, 8, 4 ... rows, COMMIT
 *
 * If one item is refused, by the database or by the work, nothing of the batch is stored, and each thread writes its own alone: only the
 * one to blame fails. If the connection is lost, all fail, as each would have alone.
 */
#include "db/work/batch.h"

#include "db/dialects/status.h"
#include "db/pool/checkout.h"
#include "db/work/transaction.h"

/* The most items of a batch: a lost COMMIT leaves all of them in doubt. */
#define BATCH_MAX 32

/* A thread's item, on its stack. While the thread sleeps, the leader reads the item and writes rv. */
typedef struct entry_t {
    cat_group_item_t item; /* first: a list of items is a list of entries */
    const void *own;
    apr_status_t rv;
} entry_t;

/* What the leader writes. */
typedef struct batch_t {
    cat_db_t *db; /* the leader's */
    cat_batch_work_t *work;
    entry_t *first; /* the leader's */
    const void *items[BATCH_MAX];
    int count; /* 0: not collected yet */
} batch_t;

static entry_t *next_entry(const entry_t *entry)
{
    return (entry_t *)entry->item.next;
}

/* most: with the leader's own. */
static void collect_items(batch_t *batch, int most)
{
    if (batch->count) {
        return;
    }
    cat_group_collect(batch->db->use->source->batch, &batch->first->item, most - 1);
    for (entry_t *entry = batch->first; entry; entry = next_entry(entry)) {
        batch->items[batch->count++] = entry->own;
    }
}

/* Once the transaction has begun, so that what arrived until then is in it. */
static apr_status_t write_items(void *baton)
{
    batch_t *batch = baton;

    collect_items(batch, BATCH_MAX);
    return batch->work(batch->db, batch->items, batch->count);
}

/* As many items as there are, and one statement takes. */
static int count_for_statement(const batch_t *batch)
{
    int present = 1 + cat_group_count_waiting(batch->db->use->source->batch), rows = 1;

    while (2 * rows <= present && 2 * rows <= CAT_ROWS_MAX) {
        rows *= 2;
    }
    return rows;
}

/* A thread may have stopped waiting after it was counted; then the items require several statements. */
static apr_status_t write_batch(batch_t *batch, cat_batch_kind_t kind)
{
    if (kind == CAT_BATCH_STATEMENT) {
        collect_items(batch, count_for_statement(batch));
        if (batch->count <= CAT_ROWS_MAX && (batch->count & (batch->count - 1)) == 0) { /* 1, 2, 4, 8 or 16 */
            return write_items(batch);
        }
    }
    return cat_transaction_run(&(cat_write_t){.db = batch->db, .work = write_items, .baton = batch});
}

static apr_status_t write_alone(cat_db_t *db, cat_batch_kind_t kind, cat_batch_work_t *work, entry_t *own)
{
    batch_t alone = {.db = db, .work = work, .first = own, .items = {own->own}, .count = 1};

    return write_batch(&alone, kind);
}

/* If the transaction cannot even begin, the threads that wait would fail one after the other, each as slowly: so they
 * fail with the leader. */
static int lead_batch(cat_db_t *db, cat_batch_kind_t kind, cat_batch_work_t *work, entry_t *own)
{
    batch_t batch = {.db = db, .work = work, .first = own};
    apr_status_t rv = write_batch(&batch, kind);

    collect_items(&batch, BATCH_MAX);
    for (entry_t *entry = own; entry; entry = next_entry(entry)) {
        entry->rv = rv;
    }
    cat_group_leave(db->use->source->batch, &own->item);
    cat_metrics_observe(db->use->source->database.metrics, CAT_METRIC_WRITE_BATCH, batch.count);
    return batch.count;
}

static cat_group_state_t wait_in_queue(cat_db_t *db, entry_t *own)
{
    apr_time_t entered = cat_checkout_enter_queue(db);
    cat_group_state_t state =
        cat_checkout_join(db, db->use->source->batch, &own->item, apr_time_now() + db->use->source->leader_patience);

    cat_checkout_leave_queue(db, entered);
    return state;
}

apr_status_t cat_batch_write(cat_db_t *db, cat_batch_kind_t kind, cat_batch_work_t *work, const void *item)
{
    entry_t own = {.own = item};
    int count = BATCH_MAX;

    if (db->use->companion) {
        cat_checkout_release(db);
        return write_alone(db, CAT_BATCH_TRANSACTION, work, &own);
    }
    switch (wait_in_queue(db, &own)) {
    case CAT_GROUP_WAITING:
        return write_alone(db, kind, work, &own);
    case CAT_GROUP_LEADER:
        count = lead_batch(db, kind, work, &own);
        break;
    case CAT_GROUP_DONE:
        cat_checkout_mark_changes(db); /* the leader has marked its own */
        break;
    }
    if (count > 1 && own.rv != APR_SUCCESS && !cat_status_is_fault(own.rv)) { /* one is to blame, nothing is stored */
        return write_alone(db, kind, work, &own);
    }
    return own.rv;
}
