/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes all products that match, at most CAT_BULK_ATOMIC_MAX in one transaction.
 *
 * First the products are looked for as a list looks for them, with its plans and its time limit, while nothing is locked. The transaction
 * then goes through their ids in ascending order, so that transactions which change the same products wait for each other without a
 * deadlock, a group at a time:
 *
 *     lock each product of the group    -> what is stored; it stays so until the commit
 *     ask which of these still match    -> another writer may have been faster
 *     make the new values of each       -> invalid: an error that names it | as before: unchanged | write
 *
 * A dry run does the same and is rolled back by its caller; it writes only what the database may refuse. After the first invalid product
 * of an atomic change nothing more is written, but the others are still checked, so that the client learns of all of them.
 */
#include "catalogue/bulk/bulk.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/products.h"
#include "catalogue/search/conditions.h"
#include "catalogue/search/search.h"
#include "lib/decimal.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/text.h"

typedef struct change_t {
    cat_db_t *db;
    const cat_bulk_request_t *request;
    int is_dry; /* flag: nothing is written */
    apr_array_header_t *changed;
    cat_bulk_result_t *result;
    /* The product that write_product writes: */
    const char *id;
    cat_input_t input;
} change_t;

/* ---- which products match ---- */

/* The statement has always as many places; those that are left repeat an id. */
static void add_ids(cat_select_text_t *text, const apr_array_header_t *ids)
{
    cat_select_text_add_condition(text);
    cat_select_text_add(text, "p.id IN (", NULL);
    for (int i = 0; i < CAT_BULK_GROUP; i++) {
        cat_select_text_add(text, i ? ", " : "", NULL);
        cat_select_text_add_value(text, APR_ARRAY_IDX(ids, i < ids->nelts ? i : 0, const char *));
    }
    cat_select_text_add(text, ")", NULL);
}

apr_status_t cat_bulk_match(cat_db_t *db, const cat_list_query_t *query, apr_array_header_t *ids)
{
    apr_array_header_t *found = apr_array_make(ids->pool, ids->nelts, sizeof(const char *));
    cat_select_text_t text;
    apr_status_t rv = ids->nelts ? cat_conditions_prepare(db, query) : APR_SUCCESS;

    if (rv != APR_SUCCESS || ids->nelts == 0) {
        return rv;
    }
    cat_select_text_begin(&text, db);
    cat_select_text_add(&text, "SELECT p.id FROM products p", NULL);
    cat_select_text_begin_where(&text);
    add_ids(&text, ids);
    cat_conditions_add_all(&text, query, &(cat_found_t){0});
    rv = cat_select_text_run(&text, db, cat_db_add_texts, found);
    qsort(found->elts, (size_t)found->nelts, sizeof(const char *), cat_text_compare);
    *ids = *found;
    return rv;
}

/* ---- the new values of a product ---- */

void cat_bulk_add_error(cat_bulk_result_t *result, const char *id, const char *field, const char *code,
                        const char *message)
{
    json_array_append_new(
        result->errors, json_pack("{s:s, s:s, s:s, s:s}", "id", id, "field", field, "code", code, "message", message));
}

static void add_failure(const change_t *c, const char *field, const char *code, const char *message)
{
    if (json_array_size(c->result->errors) < CAT_BULK_ERRORS_MOST) {
        cat_bulk_add_error(c->result, c->id, field, code, message);
    }
}

static const char *calculate(apr_pool_t *pool, const cat_bulk_adjustment_t *a, const char *number)
{
    number = a->factor ? cat_decimal_multiply(pool, number, a->factor) : number;
    number = number && a->addend ? cat_decimal_add(pool, number, a->addend) : number;
    return number && a->places >= 0 ? cat_decimal_round(pool, number, a->places) : number;
}

/* The body of an update with the adjusted numbers that the product has; NULL: one is larger than any that can be stored. */
static const json_t *make_body(const change_t *c, apr_pool_t *pool, const char *const *product)
{
    const cat_bulk_request_t *request = c->request;
    cat_buffer_t b;
    const char *why;

    cat_buffer_init(&b, pool, 64);
    CAT_BUFFER_LITERAL(&b, "{");
    for (int i = 0; i < request->adjustment_count; i++) {
        const cat_bulk_adjustment_t *a = &request->adjustments[i];
        const char *number = product[a->field] ? calculate(pool, a, product[a->field]) : NULL;
        if (product[a->field] && !number) {
            return NULL;
        }
        if (number) {
            cat_buffer_add_text(&b, b.length > 1 ? "," : "");
            cat_json_add_string(&b, request->fields->all[a->field].name);
            CAT_BUFFER_LITERAL(&b, ":");
            cat_buffer_add_text(&b, number);
        }
    }
    CAT_BUFFER_LITERAL(&b, "}");
    return cat_json_parse_exact(pool, b.data, b.length, &why);
}

/* Checks the adjusted numbers as those of any other update. 0, and errors: one is refused. */
static int adjust_product(change_t *c, apr_pool_t *pool, const char *const *product)
{
    const cat_fields_t *fields = c->request->fields;
    const json_t *body = make_body(c, pool, product), *error;
    size_t i;

    if (!body) {
        add_failure(c, "", "too_large", "has a number that would be too large");
        return 0;
    }
    cat_fields_check(pool, fields->all, fields->count, CAT_UPDATE, 1, body, &c->input);
    json_array_foreach (c->input.errors, i, error) {
        add_failure(c, json_string_value(json_object_get(error, "field")),
                    json_string_value(json_object_get(error, "code")),
                    json_string_value(json_object_get(error, "message")));
    }
    return !c->input.errors;
}

static void set_fields(change_t *c)
{
    const cat_input_t *set = &c->request->set;

    for (int i = 0; i < set->count; i++) {
        if (set->values[i] || set->cleared[i]) {
            c->input.values[i] = set->values[i];
            c->input.cleared[i] = set->cleared[i];
        }
    }
}

/* ---- one product ---- */

static apr_status_t write_product(void *baton)
{
    const change_t *c = baton;
    const char *const *product;

    return c->request->is_deletion ? cat_products_delete_within(c->db, c->id)
                                   : cat_products_update_within(c->db, c->id, &c->input, &product);
}

static void note_refusal(change_t *c, apr_status_t rv)
{
    c->result->failed++;
    if (rv == APR_EEXIST) {
        add_failure(c, cat_products_name_taken(c->db), "taken", "is already taken by another product");
    } else if (rv == CAT_ETOOLONG) {
        add_failure(c, "", "too_long", CAT_PRODUCT_TOO_LONG);
    } else {
        add_failure(c, "", "invalid", "has a value that the database refuses");
    }
}

/* What is not atomic is written within a savepoint, so that a product whose values the database refuses is left as it is. */
static apr_status_t store_product(change_t *c)
{
    const cat_bulk_request_t *request = c->request;
    apr_status_t rv;

    if (c->is_dry || (request->is_atomic && c->result->failed)) {
        c->result->changed++;
        return APR_SUCCESS;
    }
    APR_ARRAY_PUSH(c->changed, const char *) = c->id;
    rv = request->is_atomic ? write_product(c) : cat_db_attempt(c->db, write_product, c);
    if (rv == APR_SUCCESS) {
        c->result->changed++;
    } else if (rv == APR_EEXIST || rv == CAT_ETOOLONG || (rv == CAT_EVALUE && !request->is_atomic)) {
        note_refusal(c, rv);
        return APR_SUCCESS;
    }
    return rv;
}

static apr_status_t change_product(change_t *c, apr_pool_t *pool, const char *const *product)
{
    c->result->matched++;
    if (c->request->is_deletion) {
        return store_product(c);
    }
    if (!adjust_product(c, pool, product)) {
        c->result->failed++;
        return APR_SUCCESS;
    }
    set_fields(c);
    if (!cat_products_changes(&c->input, product)) {
        c->result->unchanged++;
        return APR_SUCCESS;
    }
    return store_product(c);
}

/* ---- a group ---- */

typedef struct group_t {
    apr_pool_t *pool;
    apr_array_header_t *ids; /* const char *: ascending */
    const char *const *products[CAT_BULK_GROUP];
} group_t;

/* A product that was deleted meanwhile is NULL. */
static apr_status_t lock_group(change_t *c, group_t *g)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < g->ids->nelts && (rv == APR_SUCCESS || rv == APR_NOTFOUND); i++) {
        rv = cat_products_lock(c->db, APR_ARRAY_IDX(g->ids, i, const char *), &g->products[i]);
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

static apr_status_t change_group(change_t *c, group_t *g)
{
    apr_array_header_t *matching = apr_array_copy(g->pool, g->ids);
    apr_status_t rv = lock_group(c, g);

    rv = rv == APR_SUCCESS ? cat_bulk_match(c->db, &c->request->query, matching) : rv;
    for (int i = 0, k = 0; i < matching->nelts && rv == APR_SUCCESS; i++) {
        while (strcmp(APR_ARRAY_IDX(g->ids, k, const char *), APR_ARRAY_IDX(matching, i, const char *)) != 0) {
            k++;
        }
        if (g->products[k]) { /* NULL: another writer has deleted it, and restored it since */
            c->id = APR_ARRAY_IDX(g->ids, k, const char *); /* lives longer than the group */
            rv = change_product(c, g->pool, g->products[k]);
        }
    }
    return rv;
}

static apr_status_t change_groups(change_t *c, const apr_array_header_t *ids)
{
    group_t g;
    apr_pool_t *before;
    apr_status_t rv = APR_SUCCESS;

    apr_pool_create(&g.pool, ids->pool);
    before = cat_db_use_pool(c->db, g.pool);
    for (int done = 0; done < ids->nelts && rv == APR_SUCCESS; done += CAT_BULK_GROUP) {
        apr_pool_clear(g.pool);
        g.ids = apr_array_make(g.pool, CAT_BULK_GROUP, sizeof(const char *));
        for (int i = done; i < ids->nelts && i < done + CAT_BULK_GROUP; i++) {
            APR_ARRAY_PUSH(g.ids, const char *) = APR_ARRAY_IDX(ids, i, const char *);
        }
        rv = change_group(c, &g);
    }
    cat_db_use_pool(c->db, before);
    apr_pool_destroy(g.pool);
    return rv;
}

/* Does the database have to be asked whether a product can have the values? It is of fields of the shop's own: they may be taken, or too
 * long together. */
static int needs_trial(const cat_bulk_request_t *request)
{
    int needs = 0;

    for (int i = CAT_PRODUCT_FIELDS; i < request->set.count; i++) {
        needs |= request->set.values[i] != NULL;
    }
    for (int i = 0; i < request->adjustment_count; i++) {
        needs |= request->adjustments[i].field >= CAT_PRODUCT_FIELDS;
    }
    return needs;
}

/* Takes the unique values that other products had when the change set them, as "adjust" moves the values of several products by one. Names each
 * product whose value another one still has. */
static apr_status_t take_waiting_values(change_t *c)
{
    apr_array_header_t *refused = apr_array_make(c->changed->pool, 0, sizeof(cat_waiting_value_t));
    apr_status_t rv = c->result->failed ? APR_SUCCESS : cat_own_keys_take_waiting(c->db, refused);

    c->id = NULL;
    for (int i = 0; i < refused->nelts; i++) {
        const cat_waiting_value_t *value = &APR_ARRAY_IDX(refused, i, cat_waiting_value_t);
        if (c->id && !strcmp(c->id, value->id)) {
            continue; /* another field of the same product */
        }
        c->id = value->id;
        c->db->taken = value->number;
        c->result->changed--;
        note_refusal(c, APR_EEXIST);
    }
    return rv == APR_EEXIST ? APR_SUCCESS : rv;
}

apr_status_t cat_bulk_change_within(cat_db_t *db, const cat_bulk_request_t *request, apr_array_header_t *ids,
                                    apr_array_header_t *changed, cat_bulk_result_t *result)
{
    change_t c = {.db = db, .request = request, .changed = changed, .result = result};
    apr_status_t rv;

    c.is_dry = request->is_dry && !needs_trial(request);
    *result = (cat_bulk_result_t){.errors = cat_json_own(ids->pool, json_array())};
    apr_array_clear(changed);
    qsort(ids->elts, (size_t)ids->nelts, sizeof(const char *), cat_text_compare);
    if (request->is_atomic) {
        cat_own_keys_wait(db, ids->pool);
    }
    rv = change_groups(&c, ids);
    rv = rv == APR_SUCCESS && request->is_atomic ? take_waiting_values(&c) : rv;
    db->waiting = NULL;
    return rv;
}

/* ---- all ---- */

typedef struct run_t {
    cat_bulk_t *bulk;
    apr_array_header_t *ids, *changed;
} run_t;

static int is_unexpected(const cat_bulk_t *bulk)
{
    apr_int64_t expect = bulk->request->expect, matched = bulk->result.matched;

    return expect >= 0 && (bulk->is_more ? expect <= matched : expect != matched);
}

/* CAT_ECHANGED: it must not be done. APR_NOTFOUND: there is nothing to store. Both roll back. */
static apr_status_t end_run(cat_bulk_t *bulk)
{
    const cat_bulk_request_t *request = bulk->request;

    bulk->outcome = is_unexpected(bulk)                         ? CAT_BULK_UNEXPECTED
                    : request->is_atomic && bulk->result.failed ? CAT_BULK_REFUSED
                                                                : CAT_BULK_DONE;
    if (bulk->outcome != CAT_BULK_DONE) {
        return CAT_ECHANGED;
    }
    if (bulk->finish && !request->is_dry) {
        bulk->finish(bulk->baton, &bulk->result);
    }
    return !request->is_dry && (bulk->result.changed || cat_db_is_accompanied(bulk->db)) ? APR_SUCCESS : APR_NOTFOUND;
}

static apr_status_t run_change(void *baton)
{
    const run_t *run = baton;
    cat_bulk_t *bulk = run->bulk;
    apr_status_t rv = cat_bulk_change_within(bulk->db, bulk->request, run->ids, run->changed, &bulk->result);

    return rv == APR_SUCCESS ? end_run(bulk) : rv;
}

static apr_status_t add_product_id(void *baton, const char *const *values, int)
{
    return cat_db_add_texts(baton, &values[CAT_PRODUCT_ID], 1);
}

static void begin_ids(void *baton)
{
    apr_array_clear(baton);
}

/* How many there are is counted where it must be told although there are too many. */
static apr_status_t find_products(cat_bulk_t *bulk, apr_array_header_t *ids)
{
    const cat_search_rows_t rows = {begin_ids, add_product_id, ids};
    cat_list_query_t query = bulk->request->query;
    cat_search_end_t end;
    apr_status_t rv = cat_db_begin_search(bulk->db);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    query.count = bulk->request->expect > 0 && !bulk->request->is_atomic ? CAT_COUNT_EXACT : CAT_COUNT_NONE;
    rv = cat_search_read(bulk->db, &query, &rows, &end);
    cat_db_end_search(bulk->db);
    if (rv == APR_SUCCESS) {
        bulk->result.matched = end.total > ids->nelts ? end.total : ids->nelts;
        bulk->is_more = end.has_next && bulk->result.matched == ids->nelts;
        bulk->outcome = end.has_next ? CAT_BULK_TOO_MANY : CAT_BULK_DONE;
    }
    return rv;
}

apr_status_t cat_bulk_run(cat_bulk_t *bulk)
{
    run_t run = {.bulk = bulk};
    apr_status_t rv;

    run.ids = apr_array_make(bulk->db->pool, 64, sizeof(const char *));
    run.changed = apr_array_make(bulk->db->pool, 64, sizeof(const char *));
    rv = find_products(bulk, run.ids);
    if (rv != APR_SUCCESS || (bulk->outcome == CAT_BULK_TOO_MANY && !is_unexpected(bulk))) {
        return rv;
    }
    if (is_unexpected(bulk)) {
        bulk->outcome = CAT_BULK_UNEXPECTED;
        return APR_SUCCESS;
    }
    rv = cat_products_transact(bulk->db, run.changed, run.ids->nelts + 1, run_change, &run);
    return rv == CAT_ECHANGED || rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}
