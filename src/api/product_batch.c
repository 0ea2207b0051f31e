/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POST /products/batch: several writes in one request. api/product_bulk.c handles a body with `where`.
 *
 *     {"atomic": true, "operations": [{"op": "create", "body": {...}},
 *                                     {"op": "update", "id": "...", "ifMatch": "\"...\"", "body": {...}},
 *                                     {"op": "delete", "id": "..."}]}
 *
 * First the form of all operations is checked. Any error in the form is a 400 for the whole request, which lists each
 * error with its path, "operations[3].body.price". Then the catalogue runs the operations in one transaction
 * (catalogue/product/operations.h), and each operation gets its own result. With an Idempotency-Key, the transaction
 * also stores the response, so the response is written within the transaction.
 */
#include "api/product_batch.h"

#include <apr_strings.h>
#include <string.h>

#include "api/changes.h"
#include "api/failure.h"
#include "api/idempotency.h"
#include "api/product_bulk.h"
#include "api/products.h"
#include "catalogue/store.h"
#include "http/answer.h"
#include "http/etag.h"
#include "http/request.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/suggestion.h"

#define ERRORS_MAX 100 /* Largest number of errors in a response, for all operations together. */

/* An operation as the client sent it. */
typedef struct sent_t {
    cat_request_t *q;
    cat_input_t input;
    cat_conditions_t conditions;
    cat_products_condition_t condition;
    cat_product_name_t name;
} sent_t;

typedef struct batch_t {
    cat_request_t *q;
    cat_operations_t all;
    sent_t *sent;                /* One for each operation. */
    json_t *errors;              /* Errors of all operations, with the path to each field. NULL if there are none. */
    int is_malformed;            /* True if an error is not in the fields of a product but in the form of the batch. */
    apr_array_header_t *ignored; /* Names of unknown fields (const char *), without duplicates. */
    cat_answer_t *answer;        /* Response stored for an Idempotency-Key. NULL if none was stored. */
} batch_t;

/* ---- reading ---- */

static void add_error(batch_t *b, const char *field, const char *code, const char *message)
{
    if (!b->errors) {
        b->errors = cat_json_own(b->q->pool, json_array());
    }
    if (json_array_size(b->errors) < ERRORS_MAX) {
        json_array_append_new(b->errors, cat_fields_make_error(field, code, message));
    }
}

static void add_form_error(batch_t *b, const char *field, const char *code, const char *message)
{
    b->is_malformed = 1;
    add_error(b, field, code, message);
}

/* Returns the path of a field, such as "operations[3].body.price", or "operations[3].body" if `name` is "". */
static const char *make_path(const batch_t *b, int index, const char *member, const char *name)
{
    return apr_psprintf(b->q->pool, "operations[%d]%s%s%s", index, member, *name ? "." : "", name);
}

enum { CREATE = 1, UPDATE = 2, DELETE = 4 };

typedef struct op_t {
    const char *name;
    cat_operation_kind_t kind;
    int bit;
    const char *schema; /* Name of the schema in /openapi.json. */
} op_t;

static const op_t ops[] = {
    {"create", CAT_OPERATION_CREATE, CREATE, "CreateOperation"},
    {"update", CAT_OPERATION_UPDATE, UPDATE, "UpdateOperation"},
    {"delete", CAT_OPERATION_DELETE, DELETE, "DeleteOperation"},
};

/* Members of an operation besides op. */
static const struct member_t {
    const char *name;
    json_type type;
    int required, allowed; /* Sets of op_t.bit. */
    const char *message;   /* Error for a value of another type. */
    const char *about;     /* A sentence for /openapi.json. */
} members[] = {
    {"id", JSON_STRING, UPDATE | DELETE, UPDATE | DELETE, "must be a string", CAT_PRODUCTS_PARAM "."},
    {"ifMatch", JSON_STRING, 0, UPDATE | DELETE, "must be a string",
     "As the header `If-Match`: the state that is required."},
    {"body", JSON_OBJECT, CREATE | UPDATE, CREATE | UPDATE, "must be a JSON object", "The fields of the product."},
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Returns the op of the operation. If it is missing or unknown, adds an error and returns NULL. */
static const op_t *read_op(batch_t *b, int index, const json_t *operation)
{
    const json_t *value = json_object_get(operation, "op");
    const char *path = make_path(b, index, "", "op");

    if (!value) {
        add_form_error(b, path, "required", "is required");
        return NULL;
    }
    if (!json_is_string(value)) {
        add_form_error(b, path, "type", "must be a string");
        return NULL;
    }
    for (size_t i = 0; i < COUNT(ops); i++) {
        if (strcmp(ops[i].name, json_string_value(value)) == 0) {
            return &ops[i];
        }
    }
    add_form_error(b, path, "unknown", "must be \"create\", \"update\" or \"delete\"");
    return NULL;
}

static void check_member(batch_t *b, int index, const json_t *operation, const op_t *op, const struct member_t *member)
{
    const json_t *value = json_object_get(operation, member->name);
    const char *path = make_path(b, index, "", member->name);

    if (!value && (member->required & op->bit)) {
        add_form_error(b, path, "required", "is required");
    } else if (value && !(member->allowed & op->bit)) {
        add_form_error(b, path, "unknown", "is not allowed with this op");
    } else if (value && json_typeof(value) != member->type) {
        add_form_error(b, path, "type", member->message);
    }
}

static int is_member(const char *name)
{
    for (size_t i = 0; i < COUNT(members); i++) {
        if (strcmp(members[i].name, name) == 0) {
            return 1;
        }
    }
    return strcmp(name, "op") == 0;
}

/* Adds an error for each unknown member, even if unknown fields of a product are ignored: a write with "ifmatch" would
 * otherwise lose its condition. */
static void check_unknown_members(batch_t *b, int index, const json_t *operation)
{
    static const char *const names[] = {"op", "id", "ifMatch", "body", NULL};
    const char *name;
    json_t *value;

    json_object_foreach ((json_t *)operation, name, value) {
        if (!is_member(name)) {
            add_form_error(b, make_path(b, index, "", name), "unknown",
                           cat_suggestion_add(b->q->pool, "is not a known field", name, names));
        }
    }
}

static void add_ignored(batch_t *b, const char *name)
{
    for (int i = 0; i < b->ignored->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(b->ignored, i, const char *), name) == 0) {
            return;
        }
    }
    if (b->ignored->nelts < CAT_FIELDS_UNKNOWN_MAX) {
        APR_ARRAY_PUSH(b->ignored, const char *) = name;
    }
}

static void read_product(batch_t *b, int index, cat_purpose_t purpose, const json_t *body)
{
    cat_input_t *input = &b->sent[index].input;
    size_t i;
    json_t *error;

    cat_products_check(b->q, purpose, body, input);
    json_array_foreach (input->errors, i, error) {
        add_error(b, make_path(b, index, ".body", json_string_value(json_object_get(error, "field"))),
                  json_string_value(json_object_get(error, "code")),
                  json_string_value(json_object_get(error, "message")));
    }
    for (int k = 0; k < input->ignored->nelts; k++) {
        add_ignored(b, APR_ARRAY_IDX(input->ignored, k, const char *));
    }
}

static apr_status_t judge_sent(void *baton, const char *const *product)
{
    const sent_t *sent = baton;
    const char *tag;

    return cat_products_judge(sent->q, &sent->conditions, product, &tag) == CAT_CONDITION_HOLDS ? APR_SUCCESS
                                                                                                : CAT_ECHANGED;
}

static void read_condition(batch_t *b, int index, const json_t *operation)
{
    sent_t *sent = &b->sent[index];

    sent->q = b->q;
    sent->conditions.match = json_string_value(json_object_get(operation, "ifMatch"));
    sent->condition = (cat_products_condition_t){judge_sent, sent};
    b->all.list[index].condition = sent->conditions.match ? &sent->condition : NULL;
}

static void read_members(batch_t *b, int index, const json_t *operation, const op_t *op)
{
    const json_t *body = json_object_get(operation, "body"), *id = json_object_get(operation, "id");
    cat_operation_t *o = &b->all.list[index];

    o->kind = op->kind;
    o->id = json_is_string(id) ? cat_id_fold(b->q->pool, json_string_value(id)) : NULL;
    if (o->id && cat_product_name_read(b->q->pool, cat_product_fields_of(b->q->conf), o->id, &b->sent[index].name)) {
        o->name = &b->sent[index].name;
    }
    o->input = &b->sent[index].input;
    read_condition(b, index, operation);
    if (op->bit != DELETE && json_is_object(body)) {
        read_product(b, index, op->bit == CREATE ? CAT_CREATE : CAT_UPDATE, body);
    }
}

static void read_operation(batch_t *b, int index, const json_t *operation)
{
    const op_t *op;

    if (!json_is_object(operation)) {
        add_form_error(b, make_path(b, index, "", ""), "type", "must be a JSON object");
        return;
    }
    op = read_op(b, index, operation);
    for (size_t i = 0; op && i < COUNT(members); i++) {
        check_member(b, index, operation, op, &members[i]);
    }
    check_unknown_members(b, index, operation);
    if (op) {
        read_members(b, index, operation, op);
    }
}

static void read_operations(batch_t *b, const json_t *operations)
{
    size_t count = json_array_size(operations), most = (size_t)b->q->conf->max_batch, i;
    json_t *operation;

    if (!operations) {
        add_form_error(b, "operations", "required", "is required");
    } else if (!json_is_array(operations)) {
        add_form_error(b, "operations", "type", "must be an array");
    } else if (count == 0) {
        add_form_error(b, "operations", "too_short", "must have at least 1 operation");
    } else if (count > most) {
        add_form_error(b, "operations", "too_long",
                       apr_psprintf(b->q->pool, "must have at most %d operation%s", (int)most, most == 1 ? "" : "s"));
    } else {
        b->all.count = (int)count;
        b->all.list = apr_pcalloc(b->q->pool, count * sizeof(*b->all.list));
        b->sent = apr_pcalloc(b->q->pool, count * sizeof(*b->sent));
        json_array_foreach (operations, i, operation) {
            read_operation(b, (int)i, operation);
        }
    }
}

static void read_batch(batch_t *b, const json_t *body)
{
    static const char *const names[] = {"operations", "atomic", "where", NULL};
    const json_t *atomic = json_object_get(body, "atomic");
    const char *name;
    json_t *value;

    if (!json_is_object(body)) {
        add_form_error(b, "", "type", "must be a JSON object");
        return;
    }
    if (atomic && !json_is_boolean(atomic)) {
        add_form_error(b, "atomic", "type", "must be true or false");
    }
    b->all.is_atomic = !json_is_false(atomic);
    json_object_foreach ((json_t *)body, name, value) {
        if (strcmp(name, "atomic") != 0 && strcmp(name, "operations") != 0) {
            add_form_error(b, name, "unknown", cat_suggestion_add(b->q->pool, "is not a known field", name, names));
        }
    }
    read_operations(b, json_object_get(body, "operations"));
}

/* Makes the products to create, with times a microsecond apart, so that lists have them in the order of the operations.
 * Skips operations with errors. */
static void make_products(batch_t *b)
{
    apr_time_t now = b->q->now;

    for (int i = 0; i < b->all.count; i++) {
        cat_operation_t *o = &b->all.list[i];
        if (b->sent[i].input.errors) {
            o->kind = CAT_OPERATION_NONE;
        } else if (o->kind == CAT_OPERATION_CREATE) {
            o->created = cat_products_make(b->q, &b->sent[i].input, now++);
            o->slugs = b->sent[i].input.made;
        }
    }
}

/* ---- responses ---- */

static cat_problem_t find_problem(apr_status_t rv)
{
    int is_invalid = rv == APR_EEXIST || rv == CAT_ETOOLONG || rv == CAT_ENOIMAGE;

    return rv == APR_NOTFOUND ? CAT_PROBLEM_PRODUCT_UNKNOWN
           : is_invalid       ? CAT_PROBLEM_VALIDATION
                              : cat_failure_find(rv);
}

static void add_success(cat_buffer_t *results, const cat_fields_t *fields, const cat_operation_t *o)
{
    CAT_BUFFER_LITERAL(results, "\"status\":");
    cat_buffer_add_int(results, o->kind == CAT_OPERATION_CREATE ? 201 : 200);
    if (o->kind != CAT_OPERATION_DELETE) {
        CAT_BUFFER_LITERAL(results, ",\"data\":");
        cat_fields_write(results, fields->all, fields->count, o->product);
    }
}

/* Writes the result of an operation. `is_stored` is true if the operations that succeeded were committed. */
static void add_result(const batch_t *b, cat_buffer_t *results, int index, int is_stored)
{
    const cat_operation_t *o = &b->all.list[index];
    cat_input_t *input = &b->sent[index].input;
    const json_t *errors;

    if (o->rv == APR_EEXIST && !input->errors && o->refused) {
        cat_products_note_refused(b->q->db, input, o->refused);
    } else if (o->rv == APR_EEXIST && !input->errors) {
        cat_products_note_taken(b->q->db, input, o->kind == CAT_OPERATION_UPDATE ? o->id : NULL, o->taken);
    }
    errors = input->errors;
    if (errors) {
        cat_answer_write_problem(results, CAT_PROBLEM_VALIDATION, errors);
    } else if (o->rv != APR_SUCCESS) {
        cat_answer_write_problem(results, find_problem(o->rv), cat_products_refusals(b->q->pool, o->rv));
    } else if (!is_stored) {
        cat_answer_write_problem(results, CAT_PROBLEM_NOT_DONE, NULL);
    } else {
        add_success(results, cat_product_fields_of(b->q->conf), o);
    }
}

static cat_answer_t *add_results(const batch_t *b, cat_answer_t *answer, int is_stored)
{
    cat_buffer_t results;

    cat_buffer_init(&results, b->q->pool, (apr_size_t)b->all.count * CAT_PRODUCT_SIZE);
    for (int i = 0; i < b->all.count; i++) {
        cat_buffer_add_text(&results, i ? ",{\"index\":" : "[{\"index\":");
        cat_buffer_add_int(&results, i);
        CAT_BUFFER_LITERAL(&results, ",");
        add_result(b, &results, i, is_stored);
        CAT_BUFFER_LITERAL(&results, "}");
    }
    CAT_BUFFER_LITERAL(&results, "]");
    cat_answer_add_member(b->q->pool, answer, "results", &results);
    return answer;
}

static cat_answer_t *answer_stored(const batch_t *b)
{
    const char *message = "Batch completed";
    cat_answer_t *answer;
    int failures = 0;

    for (int i = 0; i < b->all.count; i++) {
        failures += b->sent[i].input.errors || b->all.list[i].rv != APR_SUCCESS;
    }
    if (failures) {
        message = apr_psprintf(b->q->pool, "Batch completed, %d of %d operation%s failed", failures, b->all.count,
                               b->all.count == 1 ? "" : "s");
    }
    answer = cat_answer_success(b->q->pool, 200, NULL, message);
    cat_answer_name_ignored(answer, b->q->pool, b->ignored);
    cat_changes_name_batch(b->q, answer, b->q->db->author->batch);
    return add_results(b, answer, 1);
}

static cat_answer_t *answer_failed(const batch_t *b)
{
    int failed = b->all.failed;
    const char *error = apr_psprintf(b->q->pool, "operations[%d] failed: %s; nothing is stored", failed,
                                     cat_problem_rows[find_problem(b->all.list[failed].rv)].message);

    return add_results(b, cat_answer_problem(b->q->pool, CAT_PROBLEM_BATCH, error), 0);
}

/* Writes the response at the end of the transaction, which stores it for the Idempotency-Key. Without an
 * Idempotency-Key, the response is written after the commit, so that other writers need not wait. */
static void keep_answer(void *baton)
{
    batch_t *b = baton;

    b->answer = answer_stored(b);
    cat_idempotency_keep(b->q, b->answer);
}

cat_answer_t *cat_product_batch_run(cat_request_t *q)
{
    batch_t b = {.q = q, .ignored = apr_array_make(q->pool, 0, sizeof(const char *))};
    apr_status_t rv;

    if (json_object_get(q->body, "where")) {
        return cat_product_bulk_run(q);
    }
    read_batch(&b, q->body);
    if (b.is_malformed) {
        return cat_answer_malformed(q->pool, b.errors);
    }
    if (b.errors && b.all.is_atomic) {
        return add_results(&b, cat_answer_malformed(q->pool, b.errors), 0);
    }
    make_products(&b);
    b.all.finish = q->idempotency ? keep_answer : NULL;
    b.all.baton = &b;
    q->db->author->source = CAT_SOURCE_BATCH;
    rv = cat_operations_run(q->pool, q->db, &b.all);
    if (rv == APR_SUCCESS) {
        return b.answer ? b.answer : answer_stored(&b);
    }
    return b.all.failed < 0 ? cat_failure_answer(q->pool, rv) : answer_failed(&b);
}

/* ---- description ---- */

static json_t *describe_member(cat_describer_t *d, const op_t *op, const struct member_t *member)
{
    const cat_fields_t *fields = cat_product_fields_of(d->conf);
    int creates = op->bit == CREATE;
    json_t *schema;

    if (member->type == JSON_STRING) {
        schema = json_pack("{s:s}", "type", "string");
        cat_schema_add_rule(schema,
                            !strcmp(member->name, "id") && !cat_product_name_can_be(fields) ? &cat_fields_id : NULL);
    } else {
        schema = cat_description_add_schema(d, creates ? CAT_PRODUCTS_NEW : CAT_PRODUCTS_CHANGE,
                                            creates ? cat_schema_of_input(fields->all, fields->count, CAT_CREATE)
                                                    : cat_products_describe_change(d));
    }
    json_object_set_new(schema, "description", json_string(member->about));
    return schema;
}

/* Describes the operation without additional properties, because unknown members are always errors. */
static json_t *describe_operation(cat_describer_t *d, const op_t *op)
{
    json_t *required = json_pack("[s]", "op");
    json_t *properties = json_pack("{s:{s:s, s:s}}", "op", "type", "string", "const", op->name);

    for (size_t i = 0; i < COUNT(members); i++) {
        if (members[i].allowed & op->bit) {
            json_object_set_new(properties, members[i].name, describe_member(d, op, &members[i]));
        }
        if (members[i].required & op->bit) {
            json_array_append_new(required, json_string(members[i].name));
        }
    }
    return cat_description_add_schema(d, op->schema,
                                      json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
                                                "required", required, "additionalProperties", 0));
}

static json_t *describe_operations(cat_describer_t *d)
{
    json_t *kinds = json_array();

    for (size_t i = 0; i < COUNT(ops); i++) {
        json_array_append_new(kinds, describe_operation(d, &ops[i]));
    }
    return cat_description_add_schema(
        d, "Operations",
        json_pack("{s:s, s:{s:{s:s, s:b, s:s}, s:{s:s, s:i, s:i, s:{s:o}, s:s}}, s:[s], s:b}", "type", "object",
                  "properties", "atomic", "type", "boolean", "default", 1, "description",
                  "Whether one operation that fails takes all others back.", "operations", "type", "array", "minItems",
                  1, "maxItems", d->conf->max_batch, "items", "oneOf", kinds, "description",
                  "What to do, in this order.", "required", "operations", "additionalProperties", 0));
}

static json_t *describe_batch(cat_describer_t *d, json_t **example)
{
    const cat_fields_t *fields = cat_product_fields_of(d->conf);
    json_t *operations = describe_operations(d);

    *example = json_pack("{s:[{s:s, s:o}]}", "operations", "op", ops->name, "body",
                         cat_schema_input_example(fields->all, fields->count));
    return json_pack("{s:[o, o]}", "oneOf", operations, cat_product_bulk_describe(d));
}

static const cat_shape_t status = {.kind = CAT_SHAPE_WHOLE, .example = "201"};
static const cat_shape_t position = {.kind = CAT_SHAPE_WHOLE, .example = "0"};
static const cat_member_t result_members[] = {
    {"index", &position, CAT_ALWAYS, "The operation, counted from 0"},
    {"status", &status, CAT_ALWAYS, "The status that it would have had as a request; 424: another one failed"},
    {"data", &cat_products_shape, CAT_USUALLY, "The product as it is stored"},
    {"message", &cat_schema_text, CAT_RARELY, "What went wrong"},
    {"error", &cat_schema_text, CAT_RARELY, "Its cause, in a sentence"},
    {"errors", &cat_description_errors, CAT_RARELY, "Each fault of the body"},
    CAT_MEMBER_END,
};
static const cat_shape_t result = {.kind = CAT_SHAPE_OBJECT, .name = "BatchResult", .members = result_members};
static const cat_shape_t result_list = {.kind = CAT_SHAPE_LIST, .of = &result};
static const cat_member_t answer_members[] = {
    CAT_MEMBER_SUCCESS,
    CAT_MEMBER_MESSAGE,
    {"results", &result_list, CAT_USUALLY, "The result of each operation"},
    CAT_PRODUCT_BULK_MEMBERS,
    CAT_MEMBER_END,
};
static const cat_shape_t batch_answer = {.kind = CAT_SHAPE_OBJECT, .name = "Batch", .members = answer_members};
static const cat_member_t refusal_members[] = {
    CAT_DESCRIPTION_PROBLEM,
    {"results", &result_list, CAT_RARELY, "The result of each operation"},
    CAT_MEMBER_END,
};
static const cat_shape_t refusal = {.kind = CAT_SHAPE_OBJECT, .name = "BatchProblem", .members = refusal_members};
static const cat_problem_t problems[] = {
    CAT_PROBLEM_BATCH,       CAT_PROBLEM_BULK_TOO_LARGE, CAT_PROBLEM_BULK_UNEXPECTED,
    CAT_PROBLEM_NOT_INDEXED, CAT_PROBLEM_INDEXING,       CAT_PROBLEM_QUERY_SLOW,
    CAT_PROBLEM_COUNT};

const cat_description_t cat_product_batch_about = {
    .id = "runBatch",
    .tag = "Products",
    .summary = "Create, update and delete several products, or change all that match",
    .about =
        "In one transaction. Atomic, as it is by default, all operations succeed or none does. With `where`, all "
        "products that match are changed or deleted; more than 10000 of them, with `atomic` false, by a job of the "
        "server.",
    .input = "NewBatch",
    .describe_input = describe_batch,
    .status = 200,
    .answered = "The operations were run, or the products changed",
    .shape = &batch_answer,
    .headers = CAT_HEADER_LOCATION | CAT_HEADER_BATCH,
    .other_status = 202,
    .other_answered = "A job of the server has begun to change the products",
    .other_shape = &cat_product_bulk_job_answer,
    .refusal = &refusal,
    .problems = problems,
};
