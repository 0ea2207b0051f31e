/* SPDX-License-Identifier: Apache-2.0 */
#include "api/products.h"

#include <apr_strings.h>
#include <float.h>
#include <stdlib.h>

#include "db/db.h"
#include "lib/fields.h"
#include "lib/id.h"
#include "lib/number.h"
#include "lib/route.h"
#include "lib/time.h"

/* In the column order of SQL_PRODUCT_GET and SQL_PRODUCT_LIST. */
enum { ID, NAME, PRICE, CATEGORY, IN_STOCK, RATING, CREATED_AT, FIELDS };

/* clang-format off */
static const cat_field_t fields[FIELDS] = {
    /*               name         kind         flags                       least most     absent refuse */
    [ID] =         {"id",        CAT_STRING,  CAT_SERVER,                 0,    0,       NULL,  NULL},
    [NAME] =       {"name",      CAT_STRING,  CAT_REQUIRED | CAT_VISIBLE, 1,    200,     NULL,  NULL},
    [PRICE] =      {"price",     CAT_NUMBER,  CAT_REQUIRED,               0,    DBL_MAX, NULL,  NULL},
    [CATEGORY] =   {"category",  CAT_STRING,  0,                          0,    100,     "",    NULL},
    [IN_STOCK] =   {"inStock",   CAT_BOOLEAN, 0,                          0,    0,       "1",   NULL},
    [RATING] =     {"rating",    CAT_NUMBER,  CAT_CLEARABLE,              0,    5,       NULL,  NULL},
    [CREATED_AT] = {"createdAt", CAT_TIME,    CAT_SERVER,                 0,    0,       NULL,  NULL},
};
/* clang-format on */

#define RECORD_SIZE 320 /* bytes: a guess of one product's JSON */

static cat_answer_t *unknown(cat_request_t *q)
{
    return cat_answer_problem(q->pool, CAT_PROBLEM_PRODUCT_UNKNOWN, NULL);
}

static cat_answer_t *not_done(cat_request_t *q, apr_status_t rv)
{
    return rv == APR_NOTFOUND ? unknown(q) : cat_answer_failure(q->pool, rv);
}

static cat_answer_t *one_product(cat_request_t *q, int status, const char *const *values, const char *message)
{
    cat_buffer_t b;
    cat_buffer_init(&b, q->pool, RECORD_SIZE);
    cat_fields_write(&b, fields, FIELDS, values);
    return cat_answer_success(q->pool, status, &b, message);
}

/* ---- list ---- */

typedef struct page_t {
    apr_int64_t page, limit, skip;
    apr_int64_t total;
} page_t;

static void read_page(cat_request_t *q, page_t *p)
{
    if (!cat_number_parse_integer(cat_route_query(q->pool, q->query, "page"), &p->page) || p->page < 1) {
        p->page = 1;
    }
    if (!cat_number_parse_integer(cat_route_query(q->pool, q->query, "limit"), &p->limit) || p->limit < 1) {
        p->limit = q->conf->default_limit;
    }
    if (p->limit > q->conf->max_limit) {
        p->limit = q->conf->max_limit;
    }
    /* A page that lies beyond all integers lies beyond all products. */
    p->skip = p->page - 1 > APR_INT64_MAX / p->limit ? APR_INT64_MAX : (p->page - 1) * p->limit;
}

static apr_status_t add_product(void *baton, const char *const *values, int count)
{
    cat_buffer_t *b = baton;
    (void)count;
    if (b->data[b->length - 1] != '[') {
        CAT_BUFFER_LITERAL(b, ",");
    }
    cat_fields_write(b, fields, FIELDS, values);
    return APR_SUCCESS;
}

static apr_status_t add_products(cat_request_t *q, const page_t *p, cat_buffer_t *b)
{
    if (p->skip >= p->total) {
        return APR_SUCCESS;
    }
    return cat_db_each(q->db, SQL_PRODUCT_LIST,
                       CAT_VALUES(apr_psprintf(q->pool, "%" APR_INT64_T_FMT, p->limit),
                                  apr_psprintf(q->pool, "%" APR_INT64_T_FMT, p->skip)),
                       add_product, b);
}

static void add_pagination(cat_buffer_t *b, const page_t *p)
{
    CAT_BUFFER_LITERAL(b, ",\"pagination\":{\"page\":");
    cat_buffer_add_int(b, p->page);
    CAT_BUFFER_LITERAL(b, ",\"limit\":");
    cat_buffer_add_int(b, p->limit);
    CAT_BUFFER_LITERAL(b, ",\"total\":");
    cat_buffer_add_int(b, p->total);
    CAT_BUFFER_LITERAL(b, ",\"pages\":");
    cat_buffer_add_int(b, (p->total + p->limit - 1) / p->limit);
    CAT_BUFFER_LITERAL(b, "}");
}

cat_answer_t *cat_products_list(cat_request_t *q)
{
    cat_buffer_t b;
    page_t p;
    const char *const *count;
    apr_status_t rv;

    read_page(q, &p);
    rv = cat_db_one(q->db, SQL_PRODUCT_COUNT, CAT_NO_VALUES, &count);
    if (rv != APR_SUCCESS) {
        return cat_answer_failure(q->pool, rv);
    }
    p.total = apr_atoi64(count[0]);
    cat_buffer_init(&b, q->pool, (apr_size_t)p.limit * RECORD_SIZE);
    CAT_BUFFER_LITERAL(&b, "{\"success\":true,\"data\":[");
    rv = add_products(q, &p, &b);
    if (rv != APR_SUCCESS) {
        return cat_answer_failure(q->pool, rv);
    }
    CAT_BUFFER_LITERAL(&b, "]");
    add_pagination(&b, &p);
    CAT_BUFFER_LITERAL(&b, "}");
    return cat_answer_text(q->pool, 200, b.data, b.length);
}

/* ---- one product ---- */

cat_answer_t *cat_products_get(cat_request_t *q)
{
    const char *const *values;
    apr_status_t rv;

    if (!cat_id_check(q->params[0])) {
        return unknown(q);
    }
    rv = cat_db_one(q->db, SQL_PRODUCT_GET, CAT_VALUES(q->params[0]), &values);
    return rv == APR_SUCCESS ? one_product(q, 200, values, NULL) : not_done(q, rv);
}

cat_answer_t *cat_products_create(cat_request_t *q)
{
    cat_input_t input;
    cat_answer_t *answer;
    const char **v;
    apr_status_t rv;

    if (cat_fields_check(q->pool, fields, FIELDS, CAT_CREATE, q->strict, q->body, &input) != APR_SUCCESS) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input.errors);
    }
    v = input.values;
    v[ID] = cat_id_make(q->pool, q->now);
    v[CREATED_AT] = cat_time_store(q->pool, q->now);
    rv = cat_db_insert(q->db, SQL_PRODUCT_INSERT, v, FIELDS);
    if (rv != APR_SUCCESS) {
        return cat_answer_failure(q->pool, rv);
    }
    answer = one_product(q, 201, v, "Product created");
    cat_answer_header(answer, q->pool, "Location", apr_pstrcat(q->pool, q->conf->mount, "/products/", v[ID], NULL));
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}

typedef struct update_t {
    cat_request_t *q;
    cat_input_t input;
    const char *const *values; /* of the record after it */
} update_t;

/* Updates and reads back in one transaction, so that the answer is what this request made of the record. */
static apr_status_t update_and_read(void *baton)
{
    update_t *u = baton;
    cat_request_t *q = u->q;
    const char *const *v = u->input.values;
    const char *clear_rating = u->input.cleared[RATING] ? "1" : "0";
    const char *id = q->params[0];
    int changed;
    apr_status_t rv =
        cat_db_exec(q->db, SQL_PRODUCT_UPDATE,
                    CAT_VALUES(v[NAME], v[PRICE], v[CATEGORY], v[IN_STOCK], clear_rating, v[RATING], id), &changed);

    if (rv == APR_SUCCESS) {
        rv = changed ? cat_db_one(q->db, SQL_PRODUCT_GET, CAT_VALUES(id), &u->values) : APR_NOTFOUND;
    }
    return rv;
}

cat_answer_t *cat_products_update(cat_request_t *q)
{
    update_t update = {.q = q};
    cat_input_t *input = &update.input;
    cat_answer_t *answer;
    apr_status_t rv;

    if (!cat_id_check(q->params[0])) {
        return unknown(q);
    }
    rv = cat_fields_check(q->pool, fields, FIELDS, CAT_UPDATE, q->strict, q->body, input);
    if (rv == APR_SUCCESS && input->given == 0) {
        cat_fields_add_error(q->pool, input, "", "required", "must have at least one member of a product");
        rv = APR_EINVAL;
    }
    if (rv != APR_SUCCESS) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input->errors);
    }
    rv = cat_db_transact(q->db, update_and_read, &update);
    if (rv != APR_SUCCESS) {
        return not_done(q, rv);
    }
    answer = one_product(q, 200, update.values, "Product updated");
    cat_answer_name_ignored(answer, q->pool, input->ignored);
    return answer;
}

cat_answer_t *cat_products_remove(cat_request_t *q)
{
    int removed;
    apr_status_t rv;

    if (!cat_id_check(q->params[0])) {
        return unknown(q);
    }
    rv = cat_db_exec(q->db, SQL_PRODUCT_DELETE, CAT_VALUES(q->params[0]), &removed);
    if (rv == APR_SUCCESS && removed) {
        return cat_answer_success(q->pool, 200, NULL, "Product deleted");
    }
    return not_done(q, rv == APR_SUCCESS ? APR_NOTFOUND : rv);
}
