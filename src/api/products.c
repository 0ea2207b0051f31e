/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One product: create, read, update, delete.
 *
 * The field table checks the body and reports all errors at once; the catalogue stores the product. The ETag of a
 * product is always the ETag of the response to GET. So a write evaluates its conditions in its transaction, against
 * the response that GET would return for the stored product:
 *
 *     If-Match: "tag" -> judge_conditions, called with the row locked -> CAT_ECHANGED -> 412, with the present ETag
 *
 * If fields are private, GET returns one response to writers and another one to readers. A writer's page may have read
 * the second one, so a condition may name either ETag.
 *
 * The path may have a name instead of an id, such as sku=KT-1. Then the product is looked up, and judge_conditions also
 * checks that the product still has the name (catalogue/product/product_name.h). PUT creates the product if no product
 * has the name.
 */
#include "api/products.h"

#include <apr_strings.h>
#include <string.h>

#include "api/failure.h"
#include "api/idempotency.h"
#include "api/image_schema.h"
#include "api/indexing.h"
#include "catalogue/lists.h"
#include "catalogue/store.h"
#include "http/answer.h"
#include "http/etag.h"
#include "http/parameters.h"
#include "http/request.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/time.h"

static cat_answer_t *answer_unknown(cat_request_t *q)
{
    return cat_answer_problem(q->pool, CAT_PROBLEM_PRODUCT_UNKNOWN, NULL);
}

static cat_answer_t *answer_failure(cat_request_t *q, apr_status_t rv)
{
    return rv == APR_NOTFOUND ? answer_unknown(q) : cat_failure_answer(q->pool, rv);
}

static cat_answer_t *make_answer(apr_pool_t *pool, const cat_fields_t *fields, int status, const char *const *values,
                                 const char *message)
{
    cat_buffer_t b;
    cat_buffer_init(&b, pool, CAT_PRODUCT_SIZE);
    cat_fields_write(&b, fields->all, fields->count, values);
    return cat_answer_success(pool, status, &b, message);
}

static cat_answer_t *add_tag(cat_answer_t *answer)
{
    answer->tag = CAT_TAG_STRONG;
    return answer;
}

/* Returns the response to GET. The ETag of this response is the ETag of the product in every response. */
static cat_answer_t *represent_product(apr_pool_t *pool, const cat_fields_t *fields, const char *const *values)
{
    return add_tag(make_answer(pool, fields, 200, values, NULL));
}

const char *cat_products_tag(apr_pool_t *pool, const cat_fields_t *fields, const char *const *product)
{
    const cat_answer_t *answer = represent_product(pool, fields, product);
    return cat_etag_make(pool, answer->body, answer->length, 0);
}

/* ---- the products that readers see ---- */

typedef struct reading_t {
    cat_request_t *q;
    cat_list_query_t query; /* Selects the product if it meets the conditions of CatalogVisible. */
    const char *const *row; /* Row of the product. NULL if the query finds none. */
} reading_t;

static apr_status_t keep_row(void *baton, const char *const *values, int)
{
    reading_t *r = baton;

    r->row = cat_product_copy(r->q->pool, values, CAT_PRODUCT_COLUMNS);
    return CAT_ENOUGH;
}

static apr_status_t find_product(void *baton, cat_db_t *db, const char *const **row)
{
    reading_t *r = baton;
    const cat_search_rows_t rows = {.add = keep_row, .baton = r};
    cat_search_end_t end;
    apr_status_t rv;

    r->row = NULL;
    rv = cat_search_read(db, &r->query, &rows, &end);
    *row = r->row;
    return rv;
}

/* Prepares r->query if CatalogVisible is set. Returns NULL, or the refusal if the path has no id or an index that
 * CatalogVisible needs is not ready. */
static cat_answer_t *prepare_query(reading_t *r)
{
    cat_request_t *q = r->q;

    if (!q->conf->visible) {
        return NULL;
    }
    if (!cat_id_check(q->params[0])) {
        return answer_unknown(q);
    }
    cat_query_parse_all(q->pool, q->conf, 0, apr_pstrcat(q->pool, "id=", q->params[0], NULL), NULL, &r->query);
    return cat_indexing_refuse(q, &r->query);
}

/* ---- reading ---- */

static void represent_body(void *baton, const char *const *product, const char **body, apr_size_t *length)
{
    const cat_request_t *q = ((const reading_t *)baton)->q;
    const cat_answer_t *answer = represent_product(q->pool, cat_product_fields_of(q->conf), product);

    *body = answer->body;
    *length = answer->length;
}

/* Returns false if the path has no name. */
static int read_name(cat_request_t *q, cat_product_name_t *name)
{
    return cat_product_name_read(q->pool, cat_product_fields_of(q->conf), q->params[0], name);
}

static cat_answer_t *read_product(cat_request_t *q)
{
    reading_t r = {.q = q};
    const cat_products_form_t form = {q->conf->visible ? find_product : NULL, represent_body, &r};
    cat_product_name_t name;
    cat_item_t item;
    cat_answer_t *answer;
    apr_status_t rv;
    int is_named = read_name(q, &name);

    if (is_named && !q->conf->visible) {
        rv = cat_product_name_get(q->db, &name, q->now, &form, &item);
    } else {
        rv = is_named ? cat_product_name_find(q->db, &name, &q->params[0]) : APR_SUCCESS;
        answer = rv == APR_SUCCESS ? prepare_query(&r) : NULL;
        if (answer) {
            return answer;
        }
        rv = rv == APR_SUCCESS ? cat_products_get_one(q->db, q->params[0], q->now, &form, &item) : rv;
        if (rv == APR_SUCCESS && is_named && !cat_product_name_is_in(q->db, &name, item.body)) {
            rv = APR_NOTFOUND; /* the product got another name after it was found */
        }
    }
    if (rv != APR_SUCCESS) {
        return answer_failure(q, rv);
    }
    answer = add_tag(cat_answer_text(q->pool, 200, item.body, item.length));
    answer->hash = item.hash;
    return answer;
}

/* ---- some fields of a product ---- */

#define FIELDS "fields"

/* Returns the fields that the parameter `fields` selects, or all fields if the query does not have it. */
static cat_field_set_t parse_parameters(cat_parameters_t *p, const cat_fields_t *fields)
{
    static const char *const names[] = {FIELDS, NULL};
    const cat_field_set_t all = cat_field_list_without(fields, 0);
    cat_field_set_t chosen = {{0}};
    cat_parameter_t parameter;

    p->names = names;
    while (cat_parameters_next(p, &parameter)) {
        if (!cat_parameters_is_list(&parameter, FIELDS)) {
            cat_parameters_add_unknown(p, parameter.name);
        } else if (cat_field_set_is_empty(&chosen)) {
            chosen = cat_field_list_parse(p, fields, FIELDS, &parameter, &all);
        }
    }
    return cat_field_set_is_empty(&chosen) ? all : chosen;
}

/* Makes a response with some fields from the response with all fields, because the response cache has whole products
 * only. */
static cat_answer_t *select_fields(cat_request_t *q, const cat_answer_t *whole, const cat_field_set_t *fields)
{
    const char *object = cat_products_object(whole->body);
    cat_json_member_t m;
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, whole->length);
    while (cat_json_next_member(&object, &m)) {
        int field = cat_field_list_find(cat_product_fields_of(q->conf), m.name, m.name_length);
        if (cat_field_set_has(fields, field)) {
            cat_buffer_add_text(&b, b.length ? ",\"" : "{\"");
            cat_buffer_add(&b, m.name, (apr_size_t)(m.value + m.value_length - m.name));
        }
    }
    cat_buffer_add_text(&b, b.length ? "}" : "{}");
    return add_tag(cat_answer_success(q->pool, 200, &b, NULL));
}

cat_answer_t *cat_products_get(cat_request_t *q)
{
    cat_parameters_t parameters;
    const cat_fields_t *all = cat_product_fields_of(q->conf);
    const cat_field_set_t every = cat_field_list_without(all, 0);
    cat_answer_t *answer;
    cat_field_set_t fields;

    if (!q->query) {
        return read_product(q);
    }
    cat_parameters_init(&parameters, q->pool, q->strict, q->query);
    fields = parse_parameters(&parameters, all);
    if (parameters.errors) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, parameters.errors);
    }
    answer = read_product(q);
    if (answer->status == 200 && !cat_field_set_is_same(&fields, &every)) {
        answer = select_fields(q, answer, &fields);
    }
    if (parameters.ignored) {
        cat_answer_name_ignored(answer, q->pool, parameters.ignored);
    }
    return answer;
}

/* ---- writing ---- */

/* Reads the pictures of an update: the pictures that stay, in their new order. A new product has no pictures. */
static void check_images(cat_request_t *q, const json_t *body, cat_input_t *input)
{
    const cat_fields_t *fields = cat_product_fields_of(q->conf);
    int images = cat_product_images_find(fields);
    const json_t *sent = images < fields->count ? json_object_get(body, fields->all[images].name) : NULL;
    cat_field_fault_t fault;

    if (sent) {
        input->given++;
        input->values[images] = cat_product_images_arrange(q->pool, sent, &fault);
        if (fault.code) {
            cat_fields_add_error(q->pool, input, fields->all[images].name, fault.code, fault.message);
        }
    }
}

/* ---- merge patches of `json` fields ---- */

/* Returns the merge patch that the body has for the field. Returns NULL if the body replaces the field or leaves it
 * out. */
static const json_t *find_patch(const cat_request_t *q, const json_t *body, const cat_field_t *field)
{
    int is_merged = q->is_merge_patch && field->kind == CAT_VALUE && !(field->flags & CAT_SERVER);
    const json_t *sent = is_merged ? json_object_get(body, field->name) : NULL;

    return json_is_object(sent) ? sent : NULL;
}

/* Returns the body without its merge patches. The limits of a field apply to the result of the merge, not to the
 * patch. */
static const json_t *leave_out_patches(cat_request_t *q, const json_t *body)
{
    const cat_fields_t *fields = cat_product_fields_of(q->conf);
    json_t *rest = cat_json_own(q->pool, json_copy((json_t *)body));

    for (int i = 0; i < fields->count; i++) {
        if (find_patch(q, body, &fields->all[i])) {
            json_object_del(rest, fields->all[i].name);
        }
    }
    return rest;
}

static void check_value(apr_pool_t *pool, cat_input_t *input, int field, const json_t *value)
{
    cat_field_fault_t fault = cat_fields_read_value(pool, &input->fields[field], value, &input->values[field]);

    if (fault.code) {
        cat_fields_add_error(pool, input, input->fields[field].name, fault.code, fault.message);
    }
}

static void add_patches(cat_request_t *q, const json_t *body, cat_input_t *input)
{
    for (int i = 0; i < input->count; i++) {
        const json_t *patch = find_patch(q, body, &input->fields[i]);
        if (patch) {
            input->patches =
                input->patches ? input->patches : apr_pcalloc(q->pool, input->count * sizeof(*input->patches));
            input->patches[i] = patch;
            input->given++;
        }
    }
}

/* Applies the merge patches to the stored values and sets the results in the update. Runs while the product is locked,
 * and again if the transaction is repeated. Returns CAT_ETOOLONG and sets input->errors if a result violates a rule of
 * its field. */
static apr_status_t apply_patches(cat_request_t *q, cat_input_t *input, const char *const *product)
{
    input->errors = NULL;
    for (int i = 0; i < input->count; i++) {
        const json_t *stored;
        if (input->patches[i]) {
            stored = product[i] ? cat_json_parse_value(q->pool, product[i], strlen(product[i])) : NULL;
            check_value(q->pool, input, i, cat_json_own(q->pool, cat_json_merge(stored, input->patches[i])));
        }
    }
    return input->errors ? CAT_ETOOLONG : APR_SUCCESS;
}

void cat_products_check(cat_request_t *q, cat_purpose_t purpose, const json_t *body, cat_input_t *input)
{
    const cat_fields_t *fields = cat_product_fields_of(q->conf);
    const json_t *rest = q->is_merge_patch ? leave_out_patches(q, body) : body;

    cat_fields_check(q->pool, fields->all, fields->count, purpose, q->strict, rest, input);
    if (purpose == CAT_UPDATE) {
        check_images(q, body, input);
        add_patches(q, body, input);
    }
    if (purpose == CAT_UPDATE && !input->errors && input->given == 0) {
        cat_fields_add_error(q->pool, input, "", "required", "must have at least one field of a product");
    }
    if (purpose == CAT_CREATE && !input->errors) {
        cat_own_slugs_complete(q->pool, fields, input);
    }
}

const char **cat_products_make(cat_request_t *q, const cat_input_t *input, apr_time_t now)
{
    input->values[CAT_PRODUCT_ID] = cat_id_make(q->pool, now);
    input->values[CAT_PRODUCT_CREATED_AT] = cat_time_store(q->pool, now);
    cat_product_stamp(q->pool, cat_product_fields_of(q->conf), input->values, now);
    return input->values;
}

static cat_answer_t *answer_refused(cat_request_t *q, apr_status_t rv, cat_input_t *input, const char *id)
{
    apr_status_t noted = rv == APR_EEXIST ? cat_products_note_taken(q->db, input, id, q->db->taken) : APR_SUCCESS;

    return noted == APR_SUCCESS && input->errors ? cat_answer_malformed(q->pool, input->errors)
                                                 : answer_failure(q, noted == APR_SUCCESS ? rv : noted);
}

static cat_answer_t *answer_created(cat_request_t *q, const cat_input_t *input, const char *const *v, int has_tag)
{
    const cat_fields_t *fields = cat_product_fields_of(q->conf);
    cat_answer_t *answer = make_answer(q->pool, fields, 201, v, "Product created");

    answer->etag = has_tag ? cat_products_tag(q->pool, fields, v) : NULL;
    cat_answer_header(answer, q->pool, "Location",
                      apr_pstrcat(q->pool, q->conf->mount_uri, "/products/", v[CAT_PRODUCT_ID], NULL));
    cat_answer_name_ignored(answer, q->pool, input->ignored);
    return answer;
}

/* Draws the id again if another product has its number; otherwise makes the values again that the server made from other fields (from=). */
static apr_status_t renew_product(cat_request_t *q, const cat_input_t *input, const char **v, int *draws)
{
    if (q->db->taken) {
        return cat_own_slugs_renew(q->db, input->made, v);
    }
    v[CAT_PRODUCT_ID] = cat_id_redraw(q->pool, v[CAT_PRODUCT_ID]);
    return ++*draws < CAT_PRODUCTS_DRAWS ? APR_SUCCESS : CAT_EBUSY;
}

/* Inserts the product; the transaction stores the response for an Idempotency-Key. If another product has the number of the id, or a unique
 * value that the server made from other fields, makes another one and tries again. */
static apr_status_t insert_product(cat_request_t *q, const cat_input_t *input, int has_tag, cat_answer_t **answer)
{
    const char **v = cat_products_make(q, input, q->now);
    apr_status_t rv = APR_EEXIST, renewed = APR_SUCCESS;
    int draws = 0;

    for (int tries = 0; rv == APR_EEXIST && renewed == APR_SUCCESS && tries < CAT_OWN_SLUG_TRIES + draws; tries++) {
        *answer = answer_created(q, input, (const char *const *)v, has_tag);
        cat_idempotency_keep(q, *answer);
        rv = cat_products_insert_one(q->db, (const char *const *)v);
        renewed = rv == APR_EEXIST ? renew_product(q, input, v, &draws) : APR_SUCCESS;
    }
    return renewed == APR_SUCCESS || renewed == APR_EEXIST ? rv : renewed;
}

cat_answer_t *cat_products_create(cat_request_t *q)
{
    cat_input_t input;
    cat_answer_t *answer;
    apr_status_t rv;

    cat_products_check(q, CAT_CREATE, q->body, &input);
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    rv = insert_product(q, &input, 1, &answer);
    return rv == APR_SUCCESS ? answer : answer_refused(q, rv, &input, NULL);
}

cat_condition_t cat_products_judge(cat_request_t *q, const cat_conditions_t *conditions, const char *const *product,
                                   const char **tag)
{
    const cat_fields_t *fields = cat_product_fields_of(q->conf);
    const cat_fields_t *shown = cat_own_fields_public(q->pool, fields); /* the fields that readers see */

    *tag = cat_products_tag(q->pool, fields, product);
    return cat_etag_judge_either(conditions, *tag, shown == fields ? NULL : cat_products_tag(q->pool, shown, product));
}

static apr_status_t judge_conditions(void *baton, const char *const *product)
{
    cat_products_judgement_t *j = baton;

    if (j->target->name.text && !cat_product_name_fits(&j->target->name, product)) {
        return APR_NOTFOUND;
    }
    if (cat_products_judge(j->q, &j->q->conditions, product, &j->tag) != CAT_CONDITION_HOLDS) {
        return CAT_ECHANGED;
    }
    return j->merge ? apply_patches(j->q, j->merge, product) : APR_SUCCESS;
}

const cat_products_condition_t *cat_products_require(cat_request_t *q, const cat_products_target_t *target,
                                                     cat_products_judgement_t *j)
{
    *j = (cat_products_judgement_t){q, target, {judge_conditions, j}, NULL, NULL};
    return target->name.text || q->conditions.match || q->conditions.none_match ? &j->condition : NULL;
}

static const cat_products_condition_t *require_for_update(cat_request_t *q, cat_input_t *input,
                                                          const cat_products_target_t *target,
                                                          cat_products_judgement_t *j)
{
    const cat_products_condition_t *condition = cat_products_require(q, target, j);

    j->merge = input->patches ? input : NULL;
    return j->merge ? &j->condition : condition;
}

#define NAME_TRIES 3 /* Attempts of a write by name while other writers give the name to other products. */

apr_status_t cat_products_find_target(cat_request_t *q, cat_products_target_t *target)
{
    *target = (cat_products_target_t){.id = q->params[0]};
    if (cat_id_check(target->id)) {
        return APR_SUCCESS;
    }
    return read_name(q, &target->name) ? cat_product_name_find(q->db, &target->name, &target->id) : APR_NOTFOUND;
}

static json_t *make_error(apr_pool_t *pool, const char *field, const char *code, const char *message)
{
    return cat_json_own(pool, json_pack("[o]", cat_fields_make_error(field, code, message)));
}

json_t *cat_products_refusals(apr_pool_t *pool, apr_status_t rv)
{
    switch (rv) {
    case CAT_ETOOLONG:
        return make_error(pool, "", "too_long", CAT_PRODUCT_TOO_LONG);
    case CAT_ENOIMAGE:
        return make_error(pool, "images", "unknown", "must have only pictures of the product");
    default:
        return NULL;
    }
}

/* Adds the present ETag to a 412, so that the client can compare it with its own, or use it in a conditional GET. */
cat_answer_t *cat_products_refuse(cat_request_t *q, apr_status_t rv, const cat_products_judgement_t *j)
{
    const json_t *errors = cat_products_refusals(q->pool, rv);
    cat_answer_t *answer = errors ? cat_answer_malformed(q->pool, errors) : answer_failure(q, rv);

    if (rv == CAT_ECHANGED) {
        answer->etag = j->tag;
    }
    return answer;
}

static apr_status_t update_target(cat_request_t *q, cat_input_t *input, cat_products_target_t *target,
                                  cat_products_judgement_t *judgement, const char *const **product)
{
    apr_status_t rv = cat_products_find_target(q, target);

    for (int tries = 1; rv == APR_SUCCESS; tries++) {
        rv =
            cat_products_update_one(q->db, target->id, input, require_for_update(q, input, target, judgement), product);
        if (rv != APR_NOTFOUND || !target->name.text || tries == NAME_TRIES) {
            return rv;
        }
        rv = cat_products_find_target(q, target);
    }
    return rv;
}

/* Handles PUT and PATCH, which both change only the fields that are sent. The response to PUT must not have an ETag
 * (has_tag is false), because the server does not store exactly the body that was sent (RFC 9110, 9.3.4). */
static cat_answer_t *update_product(cat_request_t *q, cat_input_t *input, int has_tag, apr_status_t *rv)
{
    const cat_fields_t *fields = cat_product_fields_of(q->conf);
    const char *const *product;
    cat_products_judgement_t judgement;
    cat_products_target_t target;
    cat_answer_t *answer;

    *rv = update_target(q, input, &target, &judgement, &product);
    if (*rv == APR_EEXIST || (*rv == CAT_ETOOLONG && input->errors)) {
        return answer_refused(q, *rv, input, target.id);
    }
    if (*rv != APR_SUCCESS) {
        return cat_products_refuse(q, *rv, &judgement);
    }
    answer = make_answer(q->pool, fields, 200, product, "Product updated");
    answer->etag = has_tag ? cat_products_tag(q->pool, fields, product) : NULL;
    cat_answer_name_ignored(answer, q->pool, input->ignored);
    return answer;
}

/* Handles PATCH, or PUT of a product that exists. Sets *rv to the status of the write, or to APR_EGENERAL if the body
 * has errors. */
static cat_answer_t *check_and_update(cat_request_t *q, int has_tag, apr_status_t *rv)
{
    cat_product_name_t name;
    cat_input_t input;

    *rv = APR_NOTFOUND;
    if (!cat_id_check(q->params[0]) && !read_name(q, &name)) {
        return answer_unknown(q);
    }
    cat_products_check(q, CAT_UPDATE, q->body, &input);
    *rv = APR_EGENERAL;
    return input.errors ? cat_answer_malformed(q->pool, input.errors) : update_product(q, &input, has_tag, rv);
}

/* Returns the body with the value of the name added, if the body does not have that field: PUT of sku=KT-1 creates a
 * product whose sku is KT-1. */
static const json_t *add_name(cat_request_t *q, const cat_product_name_t *name)
{
    const cat_fields_t *fields = cat_product_fields_of(q->conf);
    json_t *body = cat_json_own(q->pool, json_copy(q->body));
    const json_t *value = json_object_get(body, fields->all[name->field].name);

    if (json_is_object(body) && (!value || json_is_null(value))) {
        json_object_set(body, fields->all[name->field].name, cat_product_name_json(q->pool, fields, name));
    }
    return body;
}

/* Creates the product of a name that no product had. Sets *rv to APR_EEXIST if a product has the name by now, so that
 * the caller updates it. Sets *rv to APR_EGENERAL if the response is final although nothing was created. */
static cat_answer_t *create_named(cat_request_t *q, const cat_product_name_t *name, apr_status_t *rv)
{
    cat_input_t input;
    cat_answer_t *answer;
    const char *id;

    *rv = APR_EGENERAL;
    if (q->conditions.match) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_PRECONDITION, NULL);
    }
    cat_products_check(q, CAT_CREATE, add_name(q, name), &input);
    if (!input.errors && !cat_product_name_fits(name, (const char *const *)input.values)) {
        cat_fields_add_error(q->pool, &input, input.fields[name->field].name, "format",
                             "must be the value in the path, or left out");
    }
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    *rv = insert_product(q, &input, 0, &answer);
    if (*rv == APR_SUCCESS) {
        return answer;
    }
    if (*rv != APR_EEXIST) {
        answer = answer_failure(q, *rv);
        *rv = APR_EGENERAL;
        return answer;
    }
    *rv = cat_product_name_find(q->db, name, &id) == APR_SUCCESS ? APR_EEXIST : APR_EGENERAL;
    return answer_refused(q, APR_EEXIST, &input, NULL);
}

/* Tries several times, because other requests may create or delete the product of the name at the same time. */
cat_answer_t *cat_products_update(cat_request_t *q)
{
    cat_product_name_t name;
    cat_answer_t *answer = NULL;
    int is_named = !cat_id_check(q->params[0]) && read_name(q, &name);
    apr_status_t rv = APR_EEXIST;

    for (int tries = 0; rv == APR_EEXIST && tries < NAME_TRIES; tries++) {
        const char *id;
        rv = is_named ? cat_product_name_find(q->db, &name, &id) : APR_SUCCESS;
        if (rv == APR_SUCCESS) {
            answer = check_and_update(q, 0, &rv);
            rv = rv == APR_NOTFOUND && is_named ? APR_EEXIST : APR_SUCCESS;
        } else {
            answer = rv == APR_NOTFOUND ? create_named(q, &name, &rv) : cat_failure_answer(q->pool, rv);
        }
    }
    return answer;
}

cat_answer_t *cat_products_patch(cat_request_t *q)
{
    apr_status_t rv;

    return check_and_update(q, 1, &rv);
}

cat_answer_t *cat_products_remove(cat_request_t *q)
{
    cat_products_judgement_t judgement;
    cat_products_target_t target;
    apr_status_t rv = cat_products_find_target(q, &target);

    for (int tries = 1; rv == APR_SUCCESS; tries++) {
        rv = cat_products_delete_one(q->db, target.id, cat_products_require(q, &target, &judgement));
        if (rv == APR_SUCCESS) {
            return cat_answer_success(q->pool, 200, NULL, "Product deleted");
        }
        if (rv == APR_NOTFOUND && target.name.text && tries < NAME_TRIES) {
            rv = cat_products_find_target(q, &target);
        }
    }
    return cat_products_refuse(q, rv, &judgement);
}

/* ---- descriptions ---- */

static const cat_member_t listed_members[] = {
    {"images", &cat_image_schema_all, CAT_RARELY, "Its pictures, in their order; absent if it has none"},
    {"etag", &cat_schema_text, CAT_RARELY, "In lists with `etags`: the `ETag` of GET of the product"},
    CAT_MEMBER_END,
};
const cat_shape_t cat_products_shape = {.kind = CAT_SHAPE_RECORD,
                                        .name = "Product",
                                        .fields = cat_product_fields,
                                        .count = CAT_PRODUCT_FIELDS,
                                        .members = listed_members + 1}; /* skips images */

void cat_products_describe(cat_describer_t *d)
{
    const cat_fields_t *fields = cat_product_fields_of(d->conf);
    cat_shape_t shape = cat_products_shape;

    shape.fields = fields->all;
    shape.count = fields->count;
    shape.members = d->conf->images ? listed_members : shape.members;
    json_decref(cat_schema_of_shape(d->schemas, &shape));
}

static json_t *describe_new(cat_describer_t *d, json_t **example)
{
    const cat_fields_t *fields = cat_product_fields_of(d->conf);

    *example = cat_schema_input_example(fields->all, fields->count);
    return cat_schema_of_input(fields->all, fields->count, CAT_CREATE);
}

/* Returns an example with one field, because fields that are not sent stay as they are. */
static json_t *exemplify_change(void)
{
    return json_pack("{s:f}", "price", 24.5);
}

json_t *cat_products_describe_change(const cat_describer_t *d)
{
    const cat_fields_t *fields = cat_product_fields_of(d->conf);
    json_t *schema = cat_schema_of_input(fields->all, fields->count, CAT_UPDATE);

    json_object_set_new(schema, "examples", json_pack("[o]", exemplify_change()));
    if (d->conf->images) {
        json_object_set_new(
            json_object_get(schema, "properties"), "images",
            json_pack(
                "{s:s, s:[s, s], s:i, s:{s:s, s:{s:{s:s}, s:{s:s, s:i}}, s:[s]}}", "description",
                "The pictures that stay, in their order; the others are deleted. One without `alt` keeps its own.",
                "type", "array", "null", "maxItems", CAT_IMAGES_MOST, "items", "type", "object", "properties", "id",
                "type", "string", "alt", "type", "string", "maxLength", CAT_IMAGES_ALT_MOST, "required", "id"));
    }
    return schema;
}

static json_t *describe_change(cat_describer_t *d, json_t **example)
{
    *example = exemplify_change();
    return cat_products_describe_change(d);
}

static const cat_member_t read_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &cat_products_shape, CAT_ALWAYS, "The product; with `fields`, it has no other fields"},
    CAT_MEMBER_END,
};
static const cat_shape_t read_answer = {.kind = CAT_SHAPE_OBJECT, .name = "ProductAnswer", .members = read_members};

static const cat_member_t written_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &cat_products_shape, CAT_ALWAYS, "The product as it is stored"},
    CAT_MEMBER_MESSAGE,
    CAT_MEMBER_END,
};
static const cat_shape_t written_answer = {
    .kind = CAT_SHAPE_OBJECT, .name = "WrittenProduct", .members = written_members};

static const cat_problem_t reading[] = {CAT_PROBLEM_PRODUCT_UNKNOWN, CAT_PROBLEM_INDEXING, CAT_PROBLEM_COUNT};
static const cat_problem_t creating[] = {CAT_PROBLEM_INDEXING, CAT_PROBLEM_COUNT};
static const cat_problem_t writing[] = {CAT_PROBLEM_PRODUCT_UNKNOWN, CAT_PROBLEM_PRECONDITION, CAT_PROBLEM_INDEXING,
                                        CAT_PROBLEM_COUNT};

static void describe_fields(cat_describer_t *d)
{
    const cat_fields_t *fields = cat_product_fields_of(d->conf);
    const cat_field_set_t all = cat_field_list_without(fields, 0);

    cat_description_add_parameter(d, FIELDS, "The fields that the answer has; all if absent",
                                  cat_field_list_describe(fields, &all), json_pack("[s, s]", "name", "price"));
}

const cat_description_t cat_products_about_get = {
    .id = "getProduct",
    .tag = "Products",
    .summary = "Read a product",
    .param = CAT_PRODUCTS_PARAM,
    .takes_name = 1,
    .group = "products",
    .describe_parameters = describe_fields,
    .status = 200,
    .answered = "The product",
    .shape = &read_answer,
    .headers = CAT_HEADER_ETAG | CAT_HEADER_CURRENCY,
    .problems = reading,
};

const cat_description_t cat_products_about_create = {
    .id = "createProduct",
    .tag = "Products",
    .summary = "Create a product",
    .about = "Unknown fields, and fields that the server sets, are ignored.",
    .input = CAT_PRODUCTS_NEW,
    .describe_input = describe_new,
    .status = 201,
    .answered = "The product is stored",
    .shape = &written_answer,
    .headers = CAT_HEADER_ETAG | CAT_HEADER_LOCATION,
    .problems = creating,
};

/* Members that the descriptions of PUT and PATCH have in common. */
#define CHANGE                                                                                                         \
    .tag = "Products", .param = CAT_PRODUCTS_PARAM, .takes_name = 1, .input = CAT_PRODUCTS_CHANGE,                     \
    .describe_input = describe_change, .status = 200, .answered = "The product after the update",                      \
    .shape = &written_answer, .problems = writing

const cat_description_t cat_products_about_update = {
    .id = "updateProduct",
    .summary = "Update a product",
    .about = "Changes the fields that are sent; `null` clears one that a product can lack, such as the rating. With "
             "`If-Match`, only as the client has read it.",
    CHANGE,
    .other_status = 201,
    .other_answered = "The product, which was created, as no product had the name",
    .other_shape = &written_answer,
    .headers = CAT_HEADER_LOCATION,
};

const cat_description_t cat_products_about_patch = {
    .id = "patchProduct",
    .summary = "Update a product by a merge patch",
    .about = "Does what PUT does. Sent as `application/merge-patch+json` (RFC 7396), an object for a field of the type "
             "`json` is merged "
             "into the stored object. Any other value replaces the stored one. The answer has the new `ETag`.",
    CHANGE,
    .headers = CAT_HEADER_ETAG,
};

const cat_description_t cat_products_about_remove = {
    .id = "deleteProduct",
    .tag = "Products",
    .summary = "Delete a product",
    .param = CAT_PRODUCTS_PARAM,
    .takes_name = 1,
    .status = 200,
    .answered = "The product is deleted",
    .shape = &cat_description_done,
    .problems = writing,
};
