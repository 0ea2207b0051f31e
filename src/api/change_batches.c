/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of changes. A batch has all changes that one request made.
 *
 *     GET /changes/batches                lists the batches
 *     POST /changes/batches/:batch/undo   undoes a batch
 *       up to 10,000 changes   at once, in one transaction     200 {batch, matched, changed, unchanged, failed, errors}
 *       more                   by the job of catalogue/bulk    202 and the job's Location
 */
#include "api/change_batches.h"

#include <apr_strings.h>

#include "accounts/audit.h"
#include "accounts/page.h"
#include "api/account_context.h"
#include "api/admin_list.h"
#include "api/changes.h"
#include "api/failure.h"
#include "api/pagination.h"
#include "api/product_bulk.h"
#include "catalogue/bulk.h"
#include "catalogue/history.h"
#include "jose/token.h"
#include "lib/json.h"

/* ---- list ---- */

/* Fields of a batch in responses. They are also the first columns of SQL_BATCHES_PAGE, whose last column is
 * USERNAME. */
enum { BATCH_ID, BATCH_AT, BATCH_BY, BATCH_SOURCE, BATCH_ROWS, BATCH_UNDONE, BATCH_UNDOES, BATCH_FIELDS };
enum { USERNAME = BATCH_FIELDS };

static const char *const sources[] = {CAT_SOURCE_REQUEST, CAT_SOURCE_BATCH, CAT_SOURCE_IMPORT,
                                      CAT_SOURCE_UNDO,    CAT_SOURCE_CTL,   NULL};
static const cat_text_rule_t source_rule = {.words = sources};

/* clang-format off */
static const cat_field_t fields[BATCH_FIELDS] = {
    /*                name      kind         flags                      least most absent rule */
    [BATCH_ID] =     {"batch",  CAT_NUMBER,  CAT_SERVER | CAT_WHOLE,    0,    0,   NULL,  NULL,
        "The batch", "228817563420002"},
    [BATCH_AT] =     {"at",     CAT_TIME,    CAT_SERVER,                0,    0,   NULL,  NULL,
        "When it began, in UTC", "2026-11-21T16:17:33.270Z"},
    [BATCH_BY] =     {"by",     CAT_STRING,  CAT_SERVER | CAT_OPTIONAL | CAT_EMBEDDED, 0, 0, NULL, NULL,
        "Who made it: the user's `id`, and the `username` if the account exists; absent with catalogctl",
        "{\"id\": \"01a1fee5-af25-7514-8a69-477230296f5b\", \"username\": \"ada\"}"},
    [BATCH_SOURCE] = {"source", CAT_STRING,  CAT_SERVER,                0,    0,   NULL,  &source_rule,
        "How: `request`, of one product; `batch`, also of all that match; `import`; `undo`; or `catalogctl`", CAT_SOURCE_IMPORT},
    [BATCH_ROWS] =   {"rows",   CAT_NUMBER,  CAT_SERVER | CAT_WHOLE,    0,    0,   NULL,  NULL,
        "How many changes it has made", "200"},
    [BATCH_UNDONE] = {"undone", CAT_BOOLEAN, CAT_SERVER,                0,    0,   NULL,  NULL,
        "Whether it has been undone, or is being undone", "false"},
    [BATCH_UNDOES] = {"undoes", CAT_NUMBER,  CAT_SERVER | CAT_WHOLE | CAT_OPTIONAL, 0, 0, NULL, NULL,
        "Of an undo: the batch that it undid", "228817421160004"},
};
/* clang-format on */

static apr_status_t add_batch(void *baton, const char *const *values, int count)
{
    const cat_page_t *page = baton;
    const char *row[BATCH_FIELDS + 1];

    memcpy(row, values, (apr_size_t)count * sizeof(*row));
    row[BATCH_BY] = cat_changes_write_author(page->rows->pool, values[BATCH_BY], values[USERNAME]);
    return cat_page_add_row(baton, row, BATCH_FIELDS);
}

static int is_batch(const char *text)
{
    apr_int64_t batch = cat_undo_parse_batch(text);

    return batch > 0 && batch < APR_INT64_MAX;
}

static void parse_cursor(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    cat_admin_list_parse_cursor(request, p, parameter, is_batch);
}

static const cat_parameter_row_t parameters[] = {
    CAT_ADMIN_LIST_PARAMETERS,
    {"cursor", 0, parse_cursor, cat_admin_list_describe_cursor, CAT_ADMIN_LIST_CURSOR, "\"228817563420002\""},
    CAT_PARAMETERS_END,
};

static apr_status_t read_page(cat_db_t *db, cat_page_t *page)
{
    const char *const bound = cat_page_bound(page, CAT_BATCH_MOST);
    const cat_page_query_t query = {.counts = SQL_BATCHES_COUNT,
                                    .selects = SQL_BATCHES_PAGE,
                                    .values = &bound,
                                    .count = 1,
                                    .is_bounded = 1,
                                    .add = add_batch};

    return cat_page_read(db, &query, page);
}

cat_answer_t *cat_change_batches_list(cat_request_t *q)
{
    cat_admin_list_t list;
    cat_parameters_t p;
    cat_answer_t *refusal = cat_admin_list_parse(q, &p, parameters, &list);

    if (refusal) {
        return refusal;
    }
    list.page.most = q->conf->count_limit;
    return cat_admin_list_answer(q, read_page(q->db, &list.page), &list, &p, fields, BATCH_FIELDS);
}

/* ---- undo ---- */

typedef struct undo_request_t {
    cat_request_t *q;
    cat_undo_t undo;
    const char *const *job; /* Record of the job, which is stored only if the batch has too many changes. */
} undo_request_t;

static apr_status_t begin_job(void *baton, const char *request)
{
    const undo_request_t *r = baton;

    return cat_bulk_job_insert_within(r->q->db, r->job, request);
}

/* Stores the entry of the audit table in the transaction of the undo. */
static apr_status_t record_undo(void *baton)
{
    const undo_request_t *r = baton;
    const cat_actor_t actor = cat_account_context_actor(r->q);
    cat_audit_entry_t entry;

    cat_audit_begin(&entry, r->q->pool, CAT_AUDIT_CHANGES_UNDO, NULL, r->q->params[0]);
    return cat_audit_store(&entry, r->q->db, &actor, r->q->now);
}

static cat_answer_t *answer_undone(const undo_request_t *r)
{
    apr_pool_t *pool = r->q->pool;
    cat_answer_t *answer = cat_answer_success(pool, 200, NULL, "Batch undone");

    if (r->undo.result.changed) {
        cat_changes_name_batch(r->q, answer, r->q->db->author->batch);
        cat_answer_add_json(pool, answer, "batch", cat_json_own(pool, json_integer(r->q->db->author->batch)));
    }
    cat_product_bulk_add_result(r->q, answer, &r->undo.result);
    return answer;
}

static cat_answer_t *answer_outcome(const undo_request_t *r)
{
    static const cat_problem_t problems[] = {
        [CAT_UNDO_UNKNOWN] = CAT_PROBLEM_BATCH_UNKNOWN,
        [CAT_UNDO_ALREADY] = CAT_PROBLEM_BATCH_UNDONE,
        [CAT_UNDO_RUNNING] = CAT_PROBLEM_BATCH_RUNNING,
        [CAT_UNDO_GONE] = CAT_PROBLEM_BATCH_GONE,
    };

    switch (r->undo.outcome) {
    case CAT_UNDO_DONE:
        return answer_undone(r);
    case CAT_UNDO_BEGUN:
        return cat_product_bulk_answer_begun(r->q, r->job, "Undo begun");
    default:
        return cat_answer_problem(r->q->pool, problems[r->undo.outcome], NULL);
    }
}

cat_answer_t *cat_change_batches_undo(cat_request_t *q)
{
    undo_request_t r = {.q = q};
    cat_undo_t *undo = &r.undo;
    apr_status_t rv;

    *undo = (cat_undo_t){.db = q->db,
                         .batch = cat_undo_parse_batch(q->params[0]),
                         .begin_job = begin_job,
                         .finish = record_undo,
                         .baton = &r};
    r.job = cat_bulk_job_make(q->pool, 0, q->user->subject, q->now);
    if (!r.job) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_UNABLE, NULL);
    }
    q->db->author->source = CAT_SOURCE_UNDO;
    q->db->author->undoes = undo->batch;
    rv = cat_undo_run(undo);
    return rv == APR_SUCCESS ? answer_outcome(&r) : cat_failure_answer(q->pool, rv);
}

/* ---- descriptions ---- */

static const cat_shape_t batch = {
    .kind = CAT_SHAPE_RECORD, .name = "ChangeBatch", .fields = fields, .count = BATCH_FIELDS};
static const cat_shape_t batch_list = {.kind = CAT_SHAPE_LIST, .of = &batch};
static const cat_member_t list_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &batch_list, CAT_ALWAYS, "The batches of the page"},
    CAT_PAGINATION_MEMBER,
    CAT_MEMBER_END,
};
static const cat_shape_t list_shape = {.kind = CAT_SHAPE_OBJECT, .name = "ChangeBatches", .members = list_members};

static const cat_problem_t listing[] = {CAT_PROBLEM_CURSOR, CAT_PROBLEM_COUNT};

const cat_description_t cat_change_batches_about_list = {
    .id = "listChangeBatches",
    .tag = "Products",
    .summary = "List the batches of changes of products",
    .about = "Newest first. Each has the changes of one request.",
    .group = "batches",
    .parameters = parameters,
    .status = 200,
    .answered = "A page of the batches",
    .shape = &list_shape,
    .headers = CAT_HEADER_LINK,
    .problems = listing,
    .is_open = cat_changes_are_kept,
};

static const cat_member_t undo_members[] = {
    CAT_MEMBER_SUCCESS,
    CAT_MEMBER_MESSAGE,
    {"batch", &cat_schema_whole, CAT_USUALLY, "The undo, a batch itself; absent if no product goes back"},
    {"matched", &cat_schema_whole, CAT_ALWAYS, "How many products the batch has changed"},
    {"changed", &cat_schema_whole, CAT_ALWAYS, "How many of them are again what they were"},
    {"unchanged", &cat_schema_whole, CAT_ALWAYS, "How many were so already"},
    {"failed", &cat_schema_whole, CAT_ALWAYS, "How many stay as they are, as `errors` says"},
    {"errors", &cat_description_errors, CAT_ALWAYS,
     "Each of these: `changed`, somebody has changed it since; `taken`, another product has its unique value now"},
    CAT_MEMBER_END,
};
static const cat_shape_t undo_shape = {.kind = CAT_SHAPE_OBJECT, .name = "Undo", .members = undo_members};
static const cat_problem_t undo_problems[] = {CAT_PROBLEM_BATCH_UNKNOWN, CAT_PROBLEM_BATCH_UNDONE,
                                              CAT_PROBLEM_BATCH_RUNNING, CAT_PROBLEM_BATCH_GONE, CAT_PROBLEM_COUNT};

const cat_description_t cat_change_batches_about_undo = {
    .id = "undoChangeBatch",
    .tag = "Products",
    .summary = "Undo a batch of changes",
    .about = "Each product that nobody has changed since becomes what it was before; the others are named and stay. A "
             "batch of more than "
             "10000 changes is undone by a job of the server.",
    .param = "The batch",
    .param_example = "228817563420002",
    .status = 200,
    .answered = "The batch was undone",
    .shape = &undo_shape,
    .headers = CAT_HEADER_LOCATION | CAT_HEADER_BATCH,
    .other_status = 202,
    .other_answered = "A job of the server has begun to undo the batch",
    .other_shape = &cat_product_bulk_job_answer,
    .problems = undo_problems,
    .is_open = cat_changes_are_kept,
};
