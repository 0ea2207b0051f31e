/* SPDX-License-Identifier: Apache-2.0 */
#include "api/products.h"

#include <apr_strings.h>

#include "db/counts.h"
#include "db/recall.h"
#include "lib/etag.h"
#include "lib/id.h"
#include "lib/product.h"
#include "lib/time.h"

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
    cat_buffer_init(&b, q->pool, CAT_PRODUCT_SIZE);
    cat_fields_write(&b, cat_product_fields, CAT_PRODUCT_FIELDS, values);
    return cat_answer_success(q->pool, status, &b, message);
}

static cat_answer_t *with_tag(cat_answer_t *answer)
{
    answer->tag = CAT_TAG_STRONG;
    return answer;
}

/* What GET says of a product. */
static cat_answer_t *represent(cat_request_t *q, const char *const *values)
{
    return with_tag(one_product(q, 200, values, NULL));
}

static const char *make_tag(cat_request_t *q, const char *const *values)
{
    const cat_answer_t *answer = represent(q, values);
    return cat_etag_make(q->pool, answer->body, answer->length, 0);
}

typedef struct found_t {
    cat_request_t *q;
    cat_answer_t *answer; /* NULL: there is no such product */
} found_t;

static apr_status_t represent_found(void *baton, const char *const *values, int count)
{
    found_t *found = baton;
    (void)count;

    found->answer = represent(found->q, values);
    return APR_EOF;
}

cat_answer_t *cat_products_get(cat_request_t *q)
{
    cat_item_t item = {.key = q->params[0]};
    found_t found = {.q = q};
    cat_answer_t *answer;
    apr_status_t rv;

    if (cat_recall_find(q->db, q->params[0], q->now, &item)) { /* then it is an id: no list has such a key */
        answer = with_tag(cat_answer_text(q->pool, 200, item.body, item.length));
    } else if (!cat_id_check(q->params[0])) {
        return unknown(q);
    } else {
        rv = cat_db_each(q->db, SQL_PRODUCT_GET, CAT_VALUES(q->params[0]), represent_found, &found);
        if (rv != APR_SUCCESS || !found.answer) {
            return not_done(q, rv == APR_SUCCESS ? APR_NOTFOUND : rv);
        }
        answer = found.answer;
        cat_recall_keep(q->db, &item, answer->body, answer->length);
    }
    answer->hash = item.hash;
    return answer;
}

cat_answer_t *cat_products_create(cat_request_t *q)
{
    cat_input_t input;
    cat_answer_t *answer;
    const char **v;
    apr_status_t rv;

    if (cat_fields_check(q->pool, cat_product_fields, CAT_PRODUCT_FIELDS, CAT_CREATE, q->strict, q->body, &input) !=
        APR_SUCCESS) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input.errors);
    }
    v = input.values;
    v[CAT_PRODUCT_ID] = cat_id_make(q->pool, q->now);
    v[CAT_PRODUCT_CREATED_AT] = cat_time_store(q->pool, q->now);
    cat_db_touch(q->db, NULL);
    rv = cat_counts_insert(q->db, v);
    if (rv != APR_SUCCESS) {
        return cat_answer_failure(q->pool, rv);
    }
    answer = one_product(q, 201, v, "Product created");
    answer->etag = make_tag(q, v);
    cat_answer_header(answer, q->pool, "Location",
                      apr_pstrcat(q->pool, q->conf->mount, "/products/", v[CAT_PRODUCT_ID], NULL));
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}

static int has_conditions(const cat_request_t *q)
{
    return q->conditions.match || q->conditions.none_match;
}

/* In a transaction: to its end nobody else changes what was found to be good. */
static apr_status_t check_conditions(cat_request_t *q)
{
    const char *const *values;
    apr_status_t rv;

    if (!has_conditions(q)) {
        return APR_SUCCESS;
    }
    rv = cat_db_one(q->db, SQL_PRODUCT_LOCK, CAT_VALUES(q->params[0]), &values);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    return cat_etag_judge(&q->conditions, make_tag(q, values)) == CAT_CONDITION_HOLDS ? APR_SUCCESS : CAT_ECHANGED;
}

typedef struct update_t {
    cat_request_t *q;
    cat_input_t input;
    const char *const *values; /* of the record after it */
} update_t;

static apr_status_t update(const update_t *u, int *changed)
{
    const char *const *v = u->input.values;
    const char *clear_rating = u->input.cleared[CAT_PRODUCT_RATING] ? "1" : "0";

    return cat_db_exec(u->q->db, SQL_PRODUCT_UPDATE,
                       CAT_VALUES(v[CAT_PRODUCT_NAME], v[CAT_PRODUCT_PRICE], v[CAT_PRODUCT_CATEGORY],
                                  v[CAT_PRODUCT_IN_STOCK], clear_rating, v[CAT_PRODUCT_RATING], u->q->params[0]),
                       changed);
}

/* Updates and reads back in one transaction, so that the answer is what this request made of the record. */
static apr_status_t update_and_read(void *baton)
{
    update_t *u = baton;
    int changed = 0;
    apr_status_t rv = check_conditions(u->q);

    if (rv == APR_SUCCESS) {
        rv = update(u, &changed);
    }
    if (rv == APR_SUCCESS) {
        rv = changed ? cat_db_one(u->q->db, SQL_PRODUCT_GET, CAT_VALUES(u->q->params[0]), &u->values) : APR_NOTFOUND;
    }
    return rv;
}

cat_answer_t *cat_products_update(cat_request_t *q)
{
    update_t u = {.q = q};
    cat_input_t *input = &u.input;
    cat_answer_t *answer;
    apr_status_t rv;

    if (!cat_id_check(q->params[0])) {
        return unknown(q);
    }
    rv = cat_fields_check(q->pool, cat_product_fields, CAT_PRODUCT_FIELDS, CAT_UPDATE, q->strict, q->body, input);
    if (rv == APR_SUCCESS && input->given == 0) {
        cat_fields_add_error(q->pool, input, "", "required", "must have at least one member of a product");
        rv = APR_EINVAL;
    }
    if (rv != APR_SUCCESS) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, input->errors);
    }
    cat_db_touch(q->db, q->params[0]);
    rv = cat_db_transact(q->db, update_and_read, &u);
    if (rv != APR_SUCCESS) {
        return not_done(q, rv);
    }
    answer = one_product(q, 200, u.values, "Product updated");
    cat_answer_name_ignored(answer, q->pool, input->ignored);
    return answer;
}

static apr_status_t remove_product(void *baton)
{
    cat_request_t *q = baton;
    apr_status_t rv = check_conditions(q);

    return rv == APR_SUCCESS ? cat_counts_delete(q->db, q->params[0]) : rv;
}

cat_answer_t *cat_products_remove(cat_request_t *q)
{
    apr_status_t rv;

    if (!cat_id_check(q->params[0])) {
        return unknown(q);
    }
    cat_db_touch(q->db, q->params[0]);
    rv = has_conditions(q) ? cat_db_transact(q->db, remove_product, q) : remove_product(q);
    return rv == APR_SUCCESS ? cat_answer_success(q->pool, 200, NULL, "Product deleted") : not_done(q, rv);
}
