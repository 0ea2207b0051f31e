/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which changes are read, and how old ones are deleted.
 *
 * A database server gives numbers when rows are inserted, and others see them when they are committed: a reader who has seen 12 may have
 * missed 11, which a slow transaction holds. So each change gets a second number, seq, after its commit, from one job at a time:
 *
 *     writer A   inserts 11 ............................ commits
 *     writer B        inserts 12, commits
 *     numbering                            12 -> seq 12            11 -> seq 13
 *     reader                                           12 ............... 13
 *
 * All who give numbers lock the row of change_marks that has the last seq, and write it anew: so they take turns, and of two nodes of a
 * Galera cluster one is refused and begins again. A writer of a product holds its row until the commit, so a later change of the product has a
 * higher number, and is not seen before the earlier one: a portion in the order of the numbers keeps the order of each product.
 *
 * On SQLite writers commit one after the other, so the number is the order, and there is nothing to do. See
 * docs/decisions/0097-changes-are-numbered-after-their-commit.md.
 */
#include "catalogue/changes/change_numbers.h"

#include <apr_strings.h>

#include "catalogue/changes/changes.h"
#include "lib/number.h"
#include "lib/time.h"

#define PORTION 1000    /* changes that are numbered in a transaction */
#define SOME 100        /* places of SQL_CHANGES_NUMBER */
#define RUN_LEAST 10    /* numbers without a hole that are worth a statement of their own */
#define PURGE_ROUNDS 50 /* of the transactions of a run, each with the rows of SQL_CHANGES_OLDEST but one */

/* ---- numbering ---- */

typedef struct numbering_t {
    cat_db_t *db;
    apr_int64_t numbers[PORTION]; /* that have no seq, in their order */
    int count;
    const char *shift; /* from the number to the seq */
} numbering_t;

static apr_status_t add_number(void *baton, const char *const *row, int)
{
    numbering_t *n = baton;

    n->numbers[n->count++] = apr_atoi64(row[0]);
    return n->count < PORTION ? APR_SUCCESS : CAT_ENOUGH;
}

static apr_status_t find_unnumbered(numbering_t *n)
{
    n->count = 0;
    return cat_db_each(n->db, SQL_CHANGES_UNNUMBERED, CAT_VALUES(APR_STRINGIFY(PORTION)), add_number, n);
}

static apr_status_t set_mark(cat_db_t *db, const char *name, apr_int64_t n)
{
    const char *text = cat_number_write(db->pool, n);

    return cat_db_exec(db, SQL_CHANGES_SET_MARK, CAT_VALUES(text, name, text), NULL);
}

/* How many numbers from the first one on follow each other without a hole, in which a change could be that is not committed. */
static int measure_run(const numbering_t *n, int first)
{
    int end = first + 1;

    while (end < n->count && n->numbers[end] == n->numbers[end - 1] + 1) {
        end++;
    }
    return end - first;
}

static apr_status_t number_run(const numbering_t *n, int first, int count)
{
    apr_pool_t *pool = n->db->pool;

    return cat_db_exec(n->db, SQL_CHANGES_NUMBER_RUN,
                       CAT_VALUES(n->shift, cat_number_write(pool, n->numbers[first]),
                                  cat_number_write(pool, n->numbers[first + count - 1])),
                       NULL);
}

/* The places that are left repeat a number. */
static apr_status_t number_some(const numbering_t *n, int first, int count)
{
    const char *values[SOME + 1] = {n->shift};

    for (int i = 0; i < SOME; i++) {
        values[i + 1] = cat_number_write(n->db->pool, n->numbers[first + (i < count ? i : 0)]);
    }
    return cat_db_exec(n->db, SQL_CHANGES_NUMBER, values, SOME + 1, NULL);
}

/* The first one gets the seq after the last one, and the others keep their distance from it. */
static apr_status_t set_numbers(numbering_t *n, apr_int64_t last)
{
    apr_int64_t shift = last + 1 - n->numbers[0];
    apr_status_t rv = APR_SUCCESS;

    n->shift = cat_number_write(n->db->pool, shift);
    for (int done = 0, count; done < n->count && rv == APR_SUCCESS; done += count) {
        count = measure_run(n, done);
        if (count >= RUN_LEAST) {
            rv = number_run(n, done, count);
        } else {
            count = n->count - done < SOME ? n->count - done : SOME;
            rv = number_some(n, done, count);
        }
    }
    return rv == APR_SUCCESS ? set_mark(n->db, "numbered", n->numbers[n->count - 1] + shift) : rv;
}

static apr_status_t number_portion(void *baton)
{
    numbering_t *n = baton;
    apr_int64_t mark;
    apr_status_t rv = cat_db_number(n->db, SQL_CHANGES_HOLD_MARK, CAT_VALUES("numbered"), &mark);

    rv = rv == APR_SUCCESS ? find_unnumbered(n) : rv;
    return rv == APR_SUCCESS && n->count ? set_numbers(n, mark) : rv;
}

/* job: which may have to stop; NULL: a reader, who waits for one portion at most. */
static apr_status_t assign(cat_db_t *db, const cat_job_t *job)
{
    numbering_t n = {.db = db};
    apr_status_t rv;

    if (cat_db_has_one_writer(db)) {
        return APR_SUCCESS;
    }
    rv = find_unnumbered(&n);
    while (rv == APR_SUCCESS && n.count && !(job && cat_job_must_stop(job))) {
        int is_last = !job || n.count < PORTION;
        rv = cat_db_transact(db, number_portion, &n);
        n.count = is_last ? 0 : n.count;
    }
    return rv;
}

apr_status_t cat_change_numbers_assign(cat_db_t *db)
{
    return assign(db, NULL);
}

cat_job_result_t cat_change_numbers_run(cat_job_t *job)
{
    if (!cat_conf_history(job->conf) || assign(job->db, job) == APR_SUCCESS) {
        return CAT_JOB_DONE;
    }
    return CAT_JOB_FAILED;
}

apr_status_t cat_change_numbers_skip(cat_db_t *db, apr_int64_t end)
{
    apr_int64_t numbered = 0, own = 0;
    const char *text;
    apr_status_t rv = cat_db_has_one_writer(db)
                          ? APR_SUCCESS
                          : cat_db_number(db, SQL_CHANGES_HOLD_MARK, CAT_VALUES("numbered"), &numbered);

    rv = rv == APR_SUCCESS ? cat_changes_find_end(db, &own) : rv;
    end = end > own ? end : own;
    end = (end > numbered ? end : numbered) + 1;
    text = cat_number_write(db->pool, end);
    rv = rv == APR_SUCCESS
             ? cat_db_exec(db, SQL_CHANGES_SKIP, CAT_VALUES(text, cat_time_store(db->pool, apr_time_now())), NULL)
             : rv;
    rv = rv == APR_SUCCESS ? set_mark(db, "numbered", end) : rv;
    return rv == APR_SUCCESS ? set_mark(db, "purged", end) : rv;
}

/* ---- deleting ---- */

typedef struct purge_t {
    cat_db_t *db;
    apr_time_t before;       /* older changes are deleted */
    apr_int64_t number, seq; /* of the change that was read last, if it is old; number 0: it is not */
    int deleted;             /* that will be deleted */
    apr_int64_t last, most;  /* their last number; their highest seq */
    const char *batch;       /* of the first one that stays */
} purge_t;

/* A change is deleted if another one follows it: the last one of the table stays. */
static apr_status_t judge_change(void *baton, const char *const *row, int)
{
    purge_t *p = baton;

    if (p->number) {
        p->deleted++;
        p->last = p->number;
        p->most = p->seq > p->most ? p->seq : p->most;
    }
    p->batch = apr_pstrdup(p->db->pool, row[3]);
    p->seq = apr_atoi64(row[1]);
    p->number = p->seq && cat_time_read(row[2]) < p->before ? apr_atoi64(row[0]) : 0;
    return p->number ? APR_SUCCESS : CAT_ENOUGH;
}

static apr_status_t delete_changes(void *baton)
{
    const purge_t *p = baton;
    apr_status_t rv = cat_db_exec(p->db, SQL_PURGE_CHANGES, CAT_VALUES(cat_number_write(p->db->pool, p->last)), NULL);

    return rv == APR_SUCCESS ? set_mark(p->db, "purged", p->most) : rv;
}

/* A batch of portions stays as long as one of them may. */
static apr_status_t delete_batches(const purge_t *p)
{
    const char *before = cat_time_store(p->db->pool, p->before);
    int deleted = 1;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < PURGE_ROUNDS && deleted && rv == APR_SUCCESS; i++) {
        rv = cat_db_exec(p->db, SQL_PURGE_BATCHES, CAT_VALUES(before, before, p->batch), &deleted);
    }
    return rv;
}

static apr_status_t purge_portion(purge_t *p)
{
    apr_status_t rv;

    p->deleted = 0;
    p->number = 0;
    rv = cat_db_each(p->db, SQL_CHANGES_OLDEST, CAT_NO_VALUES, judge_change, p);
    if (rv == APR_SUCCESS && p->deleted) {
        rv = cat_db_transact(p->db, delete_changes, p);
        rv = rv == APR_SUCCESS ? delete_batches(p) : rv;
    }
    return rv;
}

cat_job_result_t cat_change_numbers_purge(cat_job_t *job)
{
    int seconds = job->history;
    purge_t p = {.db = job->db, .before = apr_time_now() - apr_time_from_sec(seconds), .deleted = 1};
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; seconds && i < PURGE_ROUNDS && p.deleted && rv == APR_SUCCESS && !cat_job_must_stop(job); i++) {
        rv = purge_portion(&p);
    }
    return rv == APR_SUCCESS ? CAT_JOB_DONE : CAT_JOB_FAILED;
}
