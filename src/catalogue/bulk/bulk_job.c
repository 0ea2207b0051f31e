/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the changes that are too large for one transaction, portion by portion, in the order of the list: the newest product first.
 *
 *     bulk_jobs: {where ..., set ...}, running, position
 *
 *     newest ---- was gone through ----> position | PORTION products | ... oldest
 *                                                   those that match are changed, and the position is moved, in one transaction
 *
 * Where a product is in this order never changes, so each is gone through once, even if what is changed is what the conditions ask. A
 * server that is killed has stored a portion with its position, or nothing of it; any server goes on at the position. Two that have read
 * the same one make the same portion: the first to move the position wins, and the transaction of the other is rolled back. So nobody has
 * to claim a job, nor to wait until a claim expires (docs/decisions/0084-large-changes-are-jobs.md).
 *
 * A job that takes a batch of changes back (catalogue/bulk/undo.h) does the same with the changes of the batch, the last one first: its
 * position is the number of one of them.
 *
 * A portion is small enough to share a transaction with other writes (db/work/transaction.c): nobody waits for it, and it waits for no turn.
 */
#include "catalogue/bulk/bulk_job.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/bulk/bulk.h"
#include "catalogue/bulk/undo.h"
#include "catalogue/product/change_notes.h"
#include "catalogue/product/list_key.h"
#include "catalogue/product/products.h"
#include "catalogue/search/key_filler.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/text.h"
#include "lib/time.h"

/* Products that one transaction examines. */
#define PORTION 60

/* How many portions without a matching product one transaction skips. */
#define PASSED_MOST 50

/* How long the job works at a time. The other jobs of its thread wait meanwhile. */
#define JOB_TIME apr_time_from_msec(500)

#define ERRORS_MOST 20     /* that a row keeps */
#define ERRORS_OCTETS 4000 /* of their text */
#define ERROR_CHARACTERS 255

#define RUNNING "running"
#define DONE "done"
#define STOPPED "stopped"
#define FAILED "failed"

static const char *const states[] = {RUNNING, DONE, STOPPED, FAILED, NULL};
static const cat_text_rule_t state_rule = {.words = states};

/* clang-format off */
const cat_field_t cat_bulk_job_fields[CAT_BULK_JOB_FIELDS] = {
    /*                             name         kind         flags                      least most absent rule */
    [CAT_BULK_JOB_ID] =         {"id",        CAT_STRING,  CAT_SERVER,                0,    0,   NULL,  &cat_fields_id,
        "The change's id", "01a206e3-5c16-7420-9973-b22df6eefd60"},
    [CAT_BULK_JOB_STATE] =      {"state",     CAT_STRING,  CAT_SERVER,                0,    0,   NULL,  &state_rule,
        "`running`; `done`; `stopped`, by a user; or `failed`, for the reason in `error`", RUNNING},
    [CAT_BULK_JOB_DRY_RUN] =    {"dryRun",    CAT_BOOLEAN, CAT_SERVER,                0,    0,   NULL,  NULL,
        "Whether it only finds out what it would change", "false"},
    [CAT_BULK_JOB_MATCHED] =    {"matched",   CAT_NUMBER,  CAT_SERVER | CAT_WHOLE,    0,    0,   NULL,  NULL,
        "How many matching products it has examined", "12000"},
    [CAT_BULK_JOB_CHANGED] =    {"changed",   CAT_NUMBER,  CAT_SERVER | CAT_WHOLE,    0,    0,   NULL,  NULL,
        "How many of them it has changed or deleted", "11950"},
    [CAT_BULK_JOB_UNCHANGED] =  {"unchanged", CAT_NUMBER,  CAT_SERVER | CAT_WHOLE,    0,    0,   NULL,  NULL,
        "How many were already as they should be", "50"},
    [CAT_BULK_JOB_FAILED] =     {"failed",    CAT_NUMBER,  CAT_SERVER | CAT_WHOLE,    0,    0,   NULL,  NULL,
        "How many were left as they are, because they would become invalid", "0"},
    [CAT_BULK_JOB_ERRORS] =     {"errors",    CAT_VALUE,   CAT_SERVER,                0,    0,   NULL,  NULL,
        "What was wrong with the first of these: `id`, `field`, `code` and `message` of each", "[]"},
    [CAT_BULK_JOB_ERROR] =      {"error",     CAT_STRING,  CAT_SERVER | CAT_OPTIONAL, 0,  255,   NULL,  NULL,
        "Why it failed", "CatalogIndex no longer includes what the conditions need"},
    [CAT_BULK_JOB_USER] =       {"userId",    CAT_STRING,  CAT_SERVER,                0,    0,   NULL,  NULL,
        "The user who asked for it; empty with catalogctl", "01a1fee5-af25-7514-8a69-477230296f5b"},
    [CAT_BULK_JOB_CREATED_AT] = {"createdAt", CAT_TIME,    CAT_SERVER,                0,    0,   NULL,  NULL,
        "When it was asked for, in UTC", "2026-11-21T16:17:07.937Z"},
    [CAT_BULK_JOB_ENDED_AT] =   {"endedAt",   CAT_TIME,    CAT_SERVER | CAT_OPTIONAL, 0,    0,   NULL,  NULL,
        "When it was done, stopped or failed, in UTC", "2026-11-21T16:18:33.270Z"},
    [CAT_BULK_JOB_BATCH] =      {"batch",     CAT_NUMBER,  CAT_SERVER | CAT_WHOLE | CAT_OPTIONAL, 0, 0, NULL, NULL,
        "The batch of its changes, if the history is kept and anything was changed", "227598393600002"},
};
/* clang-format on */

const cat_shape_t cat_bulk_job_shape = {
    .kind = CAT_SHAPE_RECORD, .name = "BulkJob", .fields = cat_bulk_job_fields, .count = CAT_BULK_JOB_FIELDS};

/* ---- a row ---- */

const char *const *cat_bulk_job_make(apr_pool_t *pool, int is_dry, const char *user, apr_time_t now)
{
    const char **job = apr_pcalloc(pool, CAT_BULK_JOB_FIELDS * sizeof(*job));

    job[CAT_BULK_JOB_ID] = cat_id_make(pool, now);
    job[CAT_BULK_JOB_STATE] = RUNNING;
    job[CAT_BULK_JOB_DRY_RUN] = is_dry ? "1" : "0";
    job[CAT_BULK_JOB_MATCHED] = job[CAT_BULK_JOB_CHANGED] = job[CAT_BULK_JOB_UNCHANGED] = job[CAT_BULK_JOB_FAILED] =
        "0";
    job[CAT_BULK_JOB_ERRORS] = "[]";
    job[CAT_BULK_JOB_USER] = user;
    job[CAT_BULK_JOB_CREATED_AT] = cat_time_store(pool, now);
    return job[CAT_BULK_JOB_ID] ? job : NULL;
}

apr_status_t cat_bulk_job_insert_within(cat_db_t *db, const char *const *job, const char *request)
{
    return cat_db_insert(db, SQL_BULK_JOB_INSERT,
                         CAT_VALUES(job[CAT_BULK_JOB_ID], db->conf->mount, job[CAT_BULK_JOB_USER], request,
                                    job[CAT_BULK_JOB_DRY_RUN], CAT_LIST_KEY_NEWEST, job[CAT_BULK_JOB_CREATED_AT]));
}

typedef struct insertion_t {
    cat_db_t *db;
    const char *const *job;
    const char *request;
} insertion_t;

static apr_status_t insert_job(void *baton)
{
    const insertion_t *in = baton;

    return cat_bulk_job_insert_within(in->db, in->job, in->request);
}

apr_status_t cat_bulk_job_insert(cat_db_t *db, const char *const *job, const char *request)
{
    insertion_t in = {db, job, request};

    return cat_db_transact(db, insert_job, &in);
}

apr_status_t cat_bulk_job_get(cat_db_t *db, const char *id, const char *const **job)
{
    return cat_db_one(db, SQL_BULK_JOB_GET, CAT_VALUES(id), job);
}

/* ---- the end ---- */

/* What is known of a job that ends before its last portion. */
typedef struct ending_t {
    cat_db_t *db;
    apr_time_t now;
    const char *id, *state, *error; /* error NULL: there is none */
} ending_t;

static const json_t *read_request(apr_pool_t *pool, const char *text)
{
    const char *why;

    return cat_json_parse_exact(pool, text, strlen(text), &why);
}

/* What it has changed is a batch that has ended; and what it did not take back of another one can be taken back again. */
static apr_status_t end_batch(const ending_t *e)
{
    cat_undo_range_t range;
    const char *const *row;
    apr_status_t rv = cat_db_one(e->db, SQL_BULK_JOB_BATCH, CAT_VALUES(e->id), &row);

    if (rv == APR_SUCCESS && strcmp(row[1], "0") != 0) {
        rv = cat_db_exec(e->db, SQL_BATCHES_ADD, CAT_VALUES("0", "1", cat_time_store(e->db->pool, e->now), row[1]),
                         NULL);
    }
    return rv == APR_SUCCESS && cat_undo_read_job(read_request(e->db->pool, row[0]), &range)
               ? cat_undo_give_up(e->db, range.batch)
               : rv;
}

static apr_status_t end_early(void *baton)
{
    const ending_t *e = baton;
    int ended;
    apr_status_t rv = cat_db_exec(e->db, SQL_BULK_JOB_END,
                                  CAT_VALUES(e->state, cat_time_store(e->db->pool, e->now), e->error, e->id), &ended);

    return rv == APR_SUCCESS && ended ? end_batch(e) : rv;
}

apr_status_t cat_bulk_job_stop(cat_db_t *db, const char *id, apr_time_t now, const char *const **job)
{
    ending_t e = {db, now, id, STOPPED, NULL};
    apr_status_t rv = cat_db_transact(db, end_early, &e);

    return rv == APR_SUCCESS ? cat_bulk_job_get(db, id, job) : rv;
}

/* ---- a portion ---- */

/* The columns of SQL_BULK_JOB_NEXT. */
enum { NEXT_ID, NEXT_REQUEST, NEXT_N, NEXT_CHANGED, NEXT_UNCHANGED, NEXT_FAILED, NEXT_ERRORS, NEXT_USER, NEXT_BATCH };

typedef struct portion_t {
    cat_job_t *job;
    apr_pool_t *pool;
    cat_db_t *db;
    const char *const *row;
    cat_bulk_request_t request;
    const char *position; /* the number after which it begins, then the last product that it has */
    int rows;             /* products in it */
    apr_array_header_t *ids, *changed;
    cat_bulk_result_t result;
    cat_author_t author;
    cat_undo_portion_t undo; /* of a job that takes a batch back */
} portion_t;

static int is_undo(const portion_t *p)
{
    return p->undo.range.batch != 0;
}

static apr_status_t fail_job(const portion_t *p, const char *error)
{
    ending_t e = {p->db, apr_time_now(), p->row[NEXT_ID], FAILED, cat_text_shorten(p->pool, error, ERROR_CHARACTERS)};

    cat_log(p->job->log, CAT_LOG_ERROR, 0, "CAT093: %s: the change %s ended before the last product: %s",
            cat_db_name(p->db), p->row[NEXT_ID], error);
    return cat_db_transact(p->db, end_early, &e);
}

static apr_status_t add_row(void *baton, const char *const *values, int)
{
    portion_t *p = baton;

    p->rows++;
    p->position = cat_id_number_text(p->pool, values[CAT_PRODUCT_ID]);
    APR_ARRAY_PUSH(p->ids, const char *) = apr_pstrdup(p->pool, values[CAT_PRODUCT_ID]);
    return APR_SUCCESS;
}

static int is_last(const portion_t *p)
{
    return p->rows < PORTION;
}

static apr_status_t find_changes(portion_t *p)
{
    apr_status_t rv;

    p->undo.below = apr_atoi64(p->row[NEXT_N]);
    p->undo.most = PORTION;
    rv = cat_undo_find(p->db, &p->undo);
    p->rows = p->undo.rows;
    p->ids = p->undo.ids;
    p->position = cat_number_write(p->pool, p->undo.lowest);
    return rv;
}

/* Those of the next products that match; passes over those that do not. */
static apr_status_t find_matching(portion_t *p)
{
    apr_status_t rv = APR_SUCCESS;
    int passed = 0;

    p->position = p->row[NEXT_N];
    do {
        const char *after = p->position;
        p->rows = 0;
        apr_array_clear(p->ids);
        rv = cat_db_each(p->db, SQL_PRODUCT_LIST_AFTER, CAT_VALUES(after, APR_STRINGIFY(PORTION)), add_row, p);
        rv = rv == APR_SUCCESS ? cat_bulk_match(p->db, &p->request.query, p->ids) : rv;
    } while (rv == APR_SUCCESS && !p->ids->nelts && !is_last(p) && ++passed < PASSED_MOST);
    return rv;
}

/* The work of a view, which may run several times. */
static apr_status_t find_products(void *baton)
{
    portion_t *p = baton;

    return is_undo(p) ? find_changes(p) : find_matching(p);
}

/* The errors of the row, and those of the portion behind them. */
static const char *join_errors(const portion_t *p)
{
    const char *why, *before = p->row[NEXT_ERRORS];
    json_t *errors = cat_json_parse(p->pool, before, strlen(before), &why);

    if (!json_is_array(errors)) {
        return "[]";
    }
    json_array_extend(errors, p->result.errors);
    while (json_array_size(errors) > ERRORS_MOST || strlen(cat_json_text(p->pool, errors)) > ERRORS_OCTETS) {
        json_array_remove(errors, json_array_size(errors) - 1);
    }
    return cat_json_text(p->pool, errors);
}

static const char *sum(const portion_t *p, int column, apr_int64_t more)
{
    return cat_number_write(p->pool, apr_atoi64(p->row[column]) + more);
}

/* CAT_ECHANGED: the job was stopped, or another server has made this portion. */
static apr_status_t move_position(const portion_t *p)
{
    const cat_bulk_result_t *r = &p->result;
    int moved;
    apr_status_t rv =
        cat_db_exec(p->db, SQL_BULK_JOB_ADVANCE,
                    CAT_VALUES(p->position, sum(p, NEXT_CHANGED, r->changed), sum(p, NEXT_UNCHANGED, r->unchanged),
                               sum(p, NEXT_FAILED, r->failed), join_errors(p),
                               cat_number_write(p->pool, p->author.batch), p->row[NEXT_ID], p->row[NEXT_N]),
                    &moved);

    if (rv == APR_SUCCESS && !moved) {
        return CAT_ECHANGED;
    }
    return rv == APR_SUCCESS && is_last(p)
               ? cat_db_exec(p->db, SQL_BULK_JOB_END,
                             CAT_VALUES(DONE, cat_time_store(p->pool, apr_time_now()), NULL, p->row[NEXT_ID]), NULL)
               : rv;
}

/* If no product has gone back in the end, the batch is not undone. */
static apr_status_t undo_changes(portion_t *p)
{
    apr_int64_t batch = p->undo.range.batch;
    apr_status_t rv = cat_undo_portion_within(p->db, &p->undo, p->changed, &p->result);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    return is_last(p) && !p->author.batch ? cat_undo_give_up(p->db, batch)
                                          : cat_undo_note(p->db, batch, p->author.batch);
}

/* The work of a transaction. */
static apr_status_t change_portion(void *baton)
{
    portion_t *p = baton;
    int held;
    apr_status_t rv = cat_db_exec(p->db, SQL_BULK_JOB_HOLD, CAT_VALUES(p->row[NEXT_ID], p->row[NEXT_N]), &held);

    if (rv != APR_SUCCESS || !held) {
        return rv == APR_SUCCESS ? CAT_ECHANGED : rv;
    }
    p->author.is_open = !is_last(p);
    if (is_undo(p)) {
        rv = undo_changes(p);
    } else if (!p->request.is_dry) {
        rv = cat_bulk_change_within(p->db, &p->request, p->ids, p->changed, &p->result);
    }
    return rv == APR_SUCCESS ? move_position(p) : rv;
}

/* The work of a transaction that is rolled back. */
static apr_status_t try_portion(void *baton)
{
    portion_t *p = baton;
    apr_status_t rv = cat_bulk_change_within(p->db, &p->request, p->ids, p->changed, &p->result);

    return rv == APR_SUCCESS ? CAT_ECHANGED : rv;
}

/* Cached lists stay valid where nothing can change. A dry run examines a portion first, and then notes what it has found. */
static apr_status_t store_portion(portion_t *p)
{
    cat_noted_work_t noted = {p->db, change_portion, p};
    apr_status_t rv = APR_SUCCESS;

    if (p->request.is_dry) {
        rv = cat_products_transact(p->db, p->changed, PORTION, try_portion, p);
    }
    if (rv != APR_SUCCESS && rv != CAT_ECHANGED) {
        return rv;
    }
    rv = p->ids->nelts && !p->request.is_dry ? cat_products_transact(p->db, p->changed, PORTION, change_portion, p)
                                             : cat_db_transact(p->db, cat_change_notes_run, &noted);
    return rv == CAT_ECHANGED ? APR_SUCCESS : rv;
}

/* APR_EAGAIN: a part of the index is being filled. */
static apr_status_t make_products(portion_t *p)
{
    apr_status_t rv = cat_db_view(p->db, find_products, p);

    rv = rv == APR_SUCCESS ? store_portion(p) : rv;
    return rv == CAT_EFILLING ? APR_EAGAIN : rv;
}

/* Another server may know other fields or keep another index than the one that took the request. */
static apr_status_t make_matching(portion_t *p, const json_t *body)
{
    cat_indexes_state_t index;
    apr_status_t rv;

    if (!cat_bulk_request_parse(p->pool, p->job->conf, 0, body, &p->request)) {
        return fail_job(p, cat_fields_summary(p->pool, p->request.errors));
    }
    rv = cat_key_filler_check(p->db, &p->request.query, &index);
    if (rv != APR_SUCCESS || index.filling || index.is_keying) {
        return rv == APR_SUCCESS ? APR_EAGAIN : rv;
    }
    return index.absent ? fail_job(p, "CatalogIndex no longer includes what the conditions need") : make_products(p);
}

static apr_status_t make_portion(portion_t *p)
{
    const json_t *body = read_request(p->pool, p->row[NEXT_REQUEST]);

    if (!cat_undo_read_job(body, &p->undo.range)) {
        return make_matching(p, body);
    }
    p->author.source = CAT_SOURCE_UNDO;
    p->author.undoes = p->undo.range.batch;
    return make_products(p);
}

/* ---- the job ---- */

/* APR_NOTFOUND: there is nothing to do. */
static apr_status_t make_next(cat_job_t *job, apr_pool_t *pool)
{
    portion_t p = {.job = job, .pool = pool, .db = cat_db_make(pool, job->conf, job->source, job->log)};
    apr_status_t rv = cat_db_one(p.db, SQL_BULK_JOB_NEXT, CAT_VALUES(job->conf->mount), &p.row);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    p.author = (cat_author_t){.user_id = *p.row[NEXT_USER] ? p.row[NEXT_USER] : NULL,
                              .source = CAT_SOURCE_BATCH,
                              .stored = apr_atoi64(p.row[NEXT_BATCH])};
    p.db->author = &p.author;
    p.ids = apr_array_make(pool, PORTION, sizeof(const char *));
    p.changed = apr_array_make(pool, PORTION, sizeof(const char *));
    return make_portion(&p);
}

cat_job_result_t cat_bulk_job_run(cat_job_t *job)
{
    apr_time_t end = cat_time_monotonic() + JOB_TIME;
    apr_pool_t *pool;
    apr_status_t rv;

    apr_pool_create(&pool, job->pool);
    do {
        apr_pool_clear(pool);
        rv = make_next(job, pool);
    } while (rv == APR_SUCCESS && cat_time_monotonic() < end && !cat_job_must_stop(job));
    apr_pool_destroy(pool);
    return rv == APR_SUCCESS || rv == APR_NOTFOUND || rv == APR_EAGAIN ? CAT_JOB_DONE : CAT_JOB_FAILED;
}
