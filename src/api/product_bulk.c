/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests and responses for changes of all products that match conditions.
 *
 *     POST /products/batch {"where": "category=tea", "adjust": {"price": {"percent": 5, "round": 2}}}
 *       up to 10,000 products    changed at once, in one transaction       200 {matched, changed, unchanged}
 *       more, "atomic": false    stored for the job of catalogue/bulk      202 and the job's Location
 *     GET /products/batch/:id      reports the progress of the job
 *     DELETE /products/batch/:id   stops the job
 */
#include "api/product_bulk.h"

#include <apr_strings.h>
#include <string.h>

#include "api/changes.h"
#include "api/failure.h"
#include "api/idempotency.h"
#include "api/indexing.h"
#include "api/products.h"
#include "catalogue/bulk.h"
#include "db/db.h"
#include "http/answer.h"
#include "http/request.h"
#include "jose/token.h"
#include "lib/id.h"
#include "lib/json.h"

typedef struct bulk_request_t {
    cat_request_t *q;
    cat_bulk_request_t request;
    cat_answer_t *kept; /* Response stored for the Idempotency-Key. NULL if none was stored. */
} bulk_request_t;

/* ---- changes in one transaction ---- */

static void add_count(cat_request_t *q, cat_answer_t *answer, const char *name, apr_int64_t count)
{
    cat_answer_add_json(q->pool, answer, name, cat_json_own(q->pool, json_integer(count)));
}

static void add_counts(cat_request_t *q, cat_answer_t *answer, const cat_bulk_result_t *result)
{
    add_count(q, answer, "matched", result->matched);
    add_count(q, answer, "changed", result->changed);
    add_count(q, answer, "unchanged", result->unchanged);
}

void cat_product_bulk_add_result(cat_request_t *q, cat_answer_t *answer, const cat_bulk_result_t *result)
{
    add_counts(q, answer, result);
    add_count(q, answer, "failed", result->failed);
    cat_answer_add_json(q->pool, answer, "errors", result->errors);
}

static cat_answer_t *answer_changed(const bulk_request_t *r, const cat_bulk_result_t *result)
{
    cat_request_t *q = r->q;
    const char *message = r->request.is_dry        ? "Checked, nothing was changed"
                          : r->request.is_deletion ? "Products deleted"
                                                   : "Products changed";
    cat_answer_t *answer = cat_answer_success(q->pool, 200, NULL, message);

    (r->request.is_atomic ? add_counts : cat_product_bulk_add_result)(q, answer, result);
    cat_changes_name_batch(q, answer, r->request.is_dry ? 0 : q->db->author->batch);
    cat_answer_name_ignored(answer, q->pool, r->request.set.ignored);
    return answer;
}

/* Writes the response at the end of the transaction, which stores it for the Idempotency-Key. */
static void keep_answer(void *baton, const cat_bulk_result_t *result)
{
    bulk_request_t *r = baton;

    r->kept = answer_changed(r, result);
    cat_idempotency_keep(r->q, r->kept);
}

static cat_answer_t *answer_unexpected(const bulk_request_t *r, const cat_bulk_t *bulk)
{
    const char *error =
        apr_psprintf(r->q->pool, "%s%" APR_INT64_T_FMT " products match, %" APR_INT64_T_FMT " were expected",
                     bulk->is_more ? "more than " : "", bulk->result.matched, r->request.expect);

    return cat_answer_problem(r->q->pool, CAT_PROBLEM_BULK_UNEXPECTED, error);
}

/* ---- changes by the job ---- */

static cat_answer_t *answer_job(cat_request_t *q, int status, const char *const *job, const char *message)
{
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, 512);
    cat_fields_write(&b, cat_bulk_job_fields, CAT_BULK_JOB_FIELDS, job);
    return cat_answer_success(q->pool, status, &b, message);
}

cat_answer_t *cat_product_bulk_answer_begun(cat_request_t *q, const char *const *job, const char *message)
{
    cat_answer_t *answer = answer_job(q, 202, job, message);

    cat_answer_header(answer, q->pool, "Location",
                      apr_pstrcat(q->pool, q->conf->mount_uri, "/products/batch/", job[CAT_BULK_JOB_ID], NULL));
    return answer;
}

static cat_answer_t *refuse_length(cat_request_t *q)
{
    cat_input_t input = {.count = 0};

    cat_fields_add_error(
        q->pool, &input, "", "too_long",
        "must have at most " APR_STRINGIFY(CAT_BULK_JOB_REQUEST_MOST) " bytes if more than " APR_STRINGIFY(
            CAT_BULK_ATOMIC_MAX) " products match");
    return cat_answer_malformed(q->pool, input.errors);
}

/* Returns the refusal of a request that sets a unique field, or NULL. A job changes many products, but only one product
 * can have the value. */
static cat_answer_t *refuse_unique(const bulk_request_t *r)
{
    const cat_input_t *set = &r->request.set;
    cat_input_t input = {.count = 0};

    for (int i = 0; i < set->count; i++) {
        if (set->values[i] && set->fields[i].flags & CAT_UNIQUE) {
            cat_fields_add_error(r->q->pool, &input, apr_pstrcat(r->q->pool, "set.", set->fields[i].name, NULL),
                                 "taken", "must not be the same for several products");
        }
    }
    return input.errors ? cat_answer_malformed(r->q->pool, input.errors) : NULL;
}

static cat_answer_t *begin_job(const bulk_request_t *r)
{
    cat_request_t *q = r->q;
    const char *const *job = cat_bulk_job_make(q->pool, r->request.is_dry, q->user->subject, q->now);
    cat_answer_t *answer = refuse_unique(r);
    apr_status_t rv;

    if (answer) {
        return answer;
    }
    if (!job) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_UNABLE, NULL);
    }
    if (strlen(q->body_text) > CAT_BULK_JOB_REQUEST_MOST) {
        return refuse_length(q);
    }
    answer = cat_product_bulk_answer_begun(q, job, "Change begun");
    cat_answer_name_ignored(answer, q->pool, r->request.set.ignored);
    cat_idempotency_keep(q, answer);
    rv = cat_bulk_job_insert(q->db, job, q->body_text);
    return rv == APR_SUCCESS ? answer : cat_failure_answer(q->pool, rv);
}

static cat_answer_t *answer_asked(cat_request_t *q, apr_status_t rv, const char *const *job)
{
    if (rv != APR_SUCCESS) {
        return rv == APR_NOTFOUND ? cat_answer_problem(q->pool, CAT_PROBLEM_BULK_JOB_UNKNOWN, NULL)
                                  : cat_failure_answer(q->pool, rv);
    }
    return answer_job(q, 200, job, NULL);
}

cat_answer_t *cat_product_bulk_get(cat_request_t *q)
{
    const char *const *job = NULL;
    apr_status_t rv = cat_id_check(q->params[0]) ? cat_bulk_job_get(q->db, q->params[0], &job) : APR_NOTFOUND;

    return answer_asked(q, rv, job);
}

cat_answer_t *cat_product_bulk_stop(cat_request_t *q)
{
    const char *const *job = NULL;
    apr_status_t rv = cat_id_check(q->params[0]) ? cat_bulk_job_stop(q->db, q->params[0], q->now, &job) : APR_NOTFOUND;

    return answer_asked(q, rv, job);
}

/* ---- the handler ---- */

static cat_answer_t *answer_outcome(const bulk_request_t *r, const cat_bulk_t *bulk)
{
    switch (bulk->outcome) {
    case CAT_BULK_UNEXPECTED:
        return answer_unexpected(r, bulk);
    case CAT_BULK_REFUSED:
        return cat_answer_rows_invalid(r->q->pool, "product", "id", bulk->result.errors);
    case CAT_BULK_TOO_MANY:
        return r->request.is_atomic ? cat_answer_problem(r->q->pool, CAT_PROBLEM_BULK_TOO_LARGE, NULL) : begin_job(r);
    default:
        return r->kept ? r->kept : answer_changed(r, &bulk->result);
    }
}

cat_answer_t *cat_product_bulk_run(cat_request_t *q)
{
    bulk_request_t r = {.q = q};
    cat_bulk_t bulk = {.db = q->db, .request = &r.request, .finish = q->idempotency ? keep_answer : NULL, .baton = &r};
    cat_answer_t *answer;
    apr_status_t rv;

    if (!cat_bulk_request_parse(q->pool, q->conf, q->strict, q->body, &r.request)) {
        return cat_answer_malformed(q->pool, r.request.errors);
    }
    answer = cat_indexing_refuse(q, &r.request.query);
    if (answer) {
        return answer;
    }
    q->db->author->source = CAT_SOURCE_BATCH;
    rv = cat_bulk_run(&bulk);
    return rv == APR_SUCCESS ? answer_outcome(&r, &bulk) : cat_failure_answer(q->pool, rv);
}

/* ---- descriptions ---- */

/* Uses another schema than an update of one product if there are pictures, because pictures belong to one product. */
json_t *cat_product_bulk_describe(cat_describer_t *d)
{
    const cat_fields_t *fields = cat_product_fields_of(d->conf);

    return cat_bulk_request_describe(
        d, cat_description_add_schema(d, d->conf->images ? "ProductSetting" : CAT_PRODUCTS_CHANGE,
                                      cat_schema_of_input(fields->all, fields->count, CAT_UPDATE)));
}

static const cat_member_t begun_members[] = {
    CAT_MEMBER_SUCCESS,
    CAT_MEMBER_MESSAGE,
    {"data", &cat_bulk_job_shape, CAT_ALWAYS, "The change"},
    CAT_MEMBER_END,
};
const cat_shape_t cat_product_bulk_job_answer = {
    .kind = CAT_SHAPE_OBJECT, .name = "BulkJobBegun", .members = begun_members};

static const cat_member_t job_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &cat_bulk_job_shape, CAT_ALWAYS, "The change, and what it has done so far"},
    CAT_MEMBER_END,
};
static const cat_shape_t job_answer = {.kind = CAT_SHAPE_OBJECT, .name = "BulkJobAnswer", .members = job_members};
static const cat_problem_t problems[] = {CAT_PROBLEM_BULK_JOB_UNKNOWN, CAT_PROBLEM_COUNT};

const cat_description_t cat_product_bulk_about_get = {
    .id = "getBatch",
    .tag = "Products",
    .summary = "Ask how far a large change has come",
    .about = "It can be asked for a week after its end.",
    .param = "The change's id",
    .status = 200,
    .answered = "The change, and what it has done so far",
    .shape = &job_answer,
    .problems = problems,
};

const cat_description_t cat_product_bulk_about_stop = {
    .id = "stopBatch",
    .tag = "Products",
    .summary = "Stop a large change",
    .about = "What it has changed stays changed. One that has ended stays as it is.",
    .param = "The change's id",
    .status = 200,
    .answered = "The change, and what it has done",
    .shape = &job_answer,
    .problems = problems,
};
