/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores pictures, and reads them.
 *
 * A picture and the product that names it are written in one transaction, so neither is ever there without the other. The product is
 * changed by an update like any other (catalogue/product/product_images.h): what was cached of it is invalidated, its ETag is another one,
 * and fields that say when it was changed follow.
 */
#include "catalogue/images/image_store.h"

#include <apr_encode.h>
#include <apr_strings.h>

#include "lib/number.h"

#define MIB ((apr_int64_t)1024 * 1024)

/* ---- may it be added? ---- */

static apr_status_t check_quota(cat_db_t *db)
{
    const char *const *row;
    apr_status_t rv = db->conf->image_quota ? cat_db_one(db, SQL_IMAGE_SUM, CAT_NO_VALUES, &row) : APR_ENOTIMPL;

    if (rv != APR_SUCCESS) {
        return rv == APR_ENOTIMPL ? APR_SUCCESS : rv;
    }
    return apr_atoi64(row[0]) >= db->conf->image_quota * MIB ? CAT_ENOROOM : APR_SUCCESS;
}

apr_status_t cat_image_store_check(cat_db_t *db, const char *product)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);
    int images = cat_product_images_find(fields);
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_PRODUCT_GET, CAT_VALUES(product), &row);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    row = cat_product_read(db->pool, fields, row);
    return cat_product_images_count(db->pool, row[images]) < CAT_IMAGES_MOST ? check_quota(db) : CAT_EIMAGES;
}

/* ---- writing ---- */

/* The input of an update that makes one change of the pictures. */
static void make_input(cat_db_t *db, const char *change, cat_input_t *input)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);

    *input = (cat_input_t){.fields = fields->all, .count = fields->count, .given = 1};
    input->values = apr_pcalloc(db->pool, (apr_size_t)fields->count * sizeof(*input->values));
    input->cleared = apr_pcalloc(db->pool, (apr_size_t)fields->count);
    input->values[cat_product_images_find(fields)] = change;
}

typedef struct addition_t {
    cat_db_t *db;
    const cat_image_addition_t *wanted;
    cat_input_t input;
} addition_t;

static apr_status_t judge_condition(const addition_t *a)
{
    const cat_products_condition_t *condition = a->wanted->condition;
    const char *const *product;
    apr_status_t rv = condition ? cat_products_lock(a->db, a->wanted->product, &product) : APR_SUCCESS;

    return rv == APR_SUCCESS && condition ? condition->judge(condition->baton, product) : rv;
}

static apr_status_t insert_size(const addition_t *a, const cat_image_size_t *size)
{
    const char *name = apr_psprintf(a->db->pool, "%s-%d", a->wanted->id, size->width);
    apr_status_t rv = APR_SUCCESS;

    for (apr_size_t at = 0, part = 0; at < size->length && rv == APR_SUCCESS; at += CAT_IMAGES_PORTION, part++) {
        apr_size_t left = size->length - at;
        rv = cat_product_images_insert_part(a->db, name, (int)part, size->data + at,
                                            left < CAT_IMAGES_PORTION ? left : CAT_IMAGES_PORTION);
    }
    return rv;
}

/* What the statements need is cleared at the end: it is a third more than the picture. */
static apr_status_t insert_octets(const addition_t *a)
{
    const cat_image_made_t *made = a->wanted->made;
    apr_pool_t *pool, *before;
    apr_status_t rv;

    apr_pool_create(&pool, a->db->pool);
    before = cat_db_use_pool(a->db, pool);
    rv = cat_product_images_insert(a->db, a->wanted->product, a->wanted->id, made->octets);
    for (int i = 0; i < made->count && rv == APR_SUCCESS; i++) {
        rv = insert_size(a, &made->sizes[i]);
    }
    cat_db_use_pool(a->db, before);
    apr_pool_destroy(pool);
    return rv;
}

static apr_status_t add_image(void *baton)
{
    addition_t *a = baton;
    const char *const *product;
    apr_status_t rv = judge_condition(a);

    rv = rv == APR_SUCCESS ? cat_products_update_within(a->db, a->wanted->product, &a->input, &product) : rv;
    return rv == APR_SUCCESS ? insert_octets(a) : rv;
}

apr_status_t cat_image_store_add(cat_db_t *db, const cat_image_addition_t *wanted)
{
    const cat_image_t image = {wanted->id, wanted->made->width, wanted->made->height, wanted->alt};
    apr_array_header_t *changed = apr_array_make(db->pool, 1, sizeof(const char *));
    addition_t a = {.db = db, .wanted = wanted};

    APR_ARRAY_PUSH(changed, const char *) = wanted->product;
    make_input(db, cat_product_images_add(db->pool, &image, wanted->place), &a.input);
    return cat_products_transact(db, changed, 2 + (int)(wanted->made->octets / CAT_IMAGES_PORTION), add_image, &a);
}

apr_status_t cat_image_store_remove(cat_db_t *db, const char *product, const char *id,
                                    const cat_products_condition_t *condition)
{
    const char *const *after;
    cat_input_t input;

    make_input(db, cat_product_images_remove(db->pool, id), &input);
    return cat_products_update_one(db, product, &input, condition, &after);
}

/* ---- reading ---- */

typedef struct reading_t {
    cat_buffer_t octets;
    int is_damaged;
} reading_t;

static apr_status_t add_portion(void *reading, const char *const *values, int count)
{
    reading_t *r = reading;
    cat_buffer_t *b = &r->octets;
    apr_size_t length;

    (void)count;
    if (apr_decode_base64_binary(NULL, values[0], APR_ENCODE_STRING, APR_ENCODE_NONE, &length) != APR_SUCCESS) {
        r->is_damaged = 1;
        return APR_EGENERAL;
    }
    cat_buffer_reserve(b, length);
    apr_decode_base64_binary((unsigned char *)b->data + b->length, values[0], APR_ENCODE_STRING, APR_ENCODE_NONE,
                             &length);
    b->length += length;
    return APR_SUCCESS;
}

/* A WebP file says how long it is, without the first eight octets. */
static int is_whole(const cat_buffer_t *b)
{
    const unsigned char *o = (const unsigned char *)b->data;

    return b->length > 8 &&
           b->length - 8 == ((apr_size_t)o[7] << 24 | (apr_size_t)o[6] << 16 | (apr_size_t)o[5] << 8 | o[4]);
}

/* While catalogctl imports a picture, its first portions are there and others are not yet. */
apr_status_t cat_image_store_read(cat_db_t *db, const char *size, const char **data, apr_size_t *length)
{
    const char *from = apr_pstrcat(db->pool, size, "/", NULL), *to = apr_pstrcat(db->pool, size, "0", NULL);
    reading_t r = {.is_damaged = 0};
    apr_status_t rv;

    cat_buffer_init(&r.octets, db->pool, CAT_IMAGES_PORTION);
    rv = cat_db_each(db, SQL_IMAGE_PARTS, CAT_VALUES(from, to), add_portion, &r);
    if (r.is_damaged) {
        cat_log(db->log, CAT_LOG_ERROR, 0, "CAT122: the picture %s is damaged in the database", size);
    }
    *data = r.octets.data;
    *length = r.octets.length;
    return rv == APR_SUCCESS && !is_whole(&r.octets) ? APR_NOTFOUND : rv;
}
