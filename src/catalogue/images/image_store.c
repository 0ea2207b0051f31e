/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores pictures, and reads them.
 *
 * A picture and the product that names it are written in one transaction, so neither is ever there without the other. The product is
 * changed by an update like any other (catalogue/product/product_images.h): what was cached of it is invalidated, its ETag is another one,
 * and fields that say when it was changed follow.
 */
#include "catalogue/images/image_store.h"

#include <string.h>

#include <apr_encode.h>
#include <apr_strings.h>

#include "lib/id.h"
#include "lib/number.h"

#define MIB ((apr_int64_t)1024 * 1024)

/* ---- may it be added? ---- */

static apr_status_t check_quota(cat_db_t *db)
{
    apr_int64_t quota = db->conf->image_quota * MIB, sum = 0;
    apr_status_t rv = quota ? cat_db_number(db, SQL_IMAGE_SUM, CAT_NO_VALUES, &sum) : APR_SUCCESS;

    return rv == APR_SUCCESS && quota && sum >= quota ? CAT_ENOROOM : rv;
}

apr_status_t cat_image_store_check(cat_db_t *db, const char *product)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);
    int images = cat_product_images_find(fields);
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_PRODUCT_GET, CAT_PRODUCT_IS(db->pool, product), &row);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    row = cat_product_read(db->pool, fields, row);
    return cat_product_images_count(db->pool, row[images]) < CAT_IMAGES_MOST ? check_quota(db) : CAT_EIMAGES;
}

/* ---- writing ---- */

void cat_image_store_change(cat_db_t *db, const char *change, cat_input_t *input)
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
    cat_image_t image;
    cat_input_t input;
} addition_t;

static addition_t make_addition(cat_db_t *db, const cat_image_addition_t *wanted)
{
    addition_t a = {
        .db = db, .wanted = wanted, .image = {wanted->id, wanted->made->width, wanted->made->height, wanted->alt}};

    cat_image_store_change(db, cat_product_images_add(db->pool, &a.image, wanted->place), &a.input);
    return a;
}

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
    rv = cat_product_images_insert(a->db, a->wanted->product, &a->image, made->octets, a->wanted->digest);
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

apr_status_t cat_image_store_add_within(cat_db_t *db, const cat_image_addition_t *wanted)
{
    addition_t a = make_addition(db, wanted);

    return add_image(&a);
}

apr_status_t cat_image_store_add(cat_db_t *db, const cat_image_addition_t *wanted)
{
    apr_array_header_t *changed = apr_array_make(db->pool, 1, sizeof(const char *));
    addition_t a = make_addition(db, wanted);
    apr_status_t rv = check_quota(db); /* others may have used the room while the picture was decoded */

    APR_ARRAY_PUSH(changed, const char *) = wanted->product;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    return cat_products_transact(db, changed, 2 + (int)(wanted->made->octets / CAT_IMAGES_PORTION), add_image, &a);
}

apr_status_t cat_image_store_remove(cat_db_t *db, const char *product, const char *id,
                                    const cat_products_condition_t *condition)
{
    const char *const *after;
    cat_input_t input;

    cat_image_store_change(db, cat_product_images_remove(db->pool, id), &input);
    return cat_products_update_one(db, product, &input, condition, &after);
}

/* ---- reading ---- */

#define PAGE 10 /* parts that are read at once */

typedef struct reading_t {
    apr_pool_t *page;
    cat_image_take_t *take;
    void *baton;
    char after[64]; /* the key of the last part */
    int parts;      /* of the page */
    int is_damaged;
    unsigned char head[8];
    apr_size_t length; /* so far */
} reading_t;

static apr_status_t pass_part(void *reading, const char *const *values, int)
{
    reading_t *r = reading;
    apr_size_t length = 0;
    const unsigned char *data =
        apr_pdecode_base64_binary(r->page, values[1], APR_ENCODE_STRING, APR_ENCODE_NONE, &length);

    if (!data) {
        r->is_damaged = 1;
        return APR_EGENERAL;
    }
    if (r->length == 0 && length >= sizeof(r->head)) {
        memcpy(r->head, data, sizeof(r->head));
    }
    apr_cpystrn(r->after, values[0], sizeof(r->after));
    r->parts++;
    r->length += length;
    return r->take(r->baton, (const char *)data, length);
}

/* A WebP file says how long it is, without the first eight octets. */
static int is_whole(const reading_t *r)
{
    const unsigned char *o = r->head;

    return r->length > 8 &&
           r->length - 8 == ((apr_size_t)o[7] << 24 | (apr_size_t)o[6] << 16 | (apr_size_t)o[5] << 8 | o[4]);
}

/* In pages, because drivers keep all rows of a result in memory. While catalogctl imports a picture, or another server deletes it, some of its
 * parts are there and others are not. */
static apr_status_t read_parts(cat_db_t *db, const char *size, cat_image_take_t *take, void *baton)
{
    const char *end = apr_pstrcat(db->pool, size, "0", NULL);
    reading_t r = {.take = take, .baton = baton};
    apr_status_t rv;

    apr_snprintf(r.after, sizeof(r.after), "%s/", size);
    apr_pool_create(&r.page, db->pool);
    do {
        apr_pool_clear(r.page);
        r.parts = 0;
        rv = cat_db_each(cat_db_another(db, r.page), SQL_IMAGE_PARTS,
                         CAT_VALUES(apr_pstrdup(r.page, r.after), end, APR_STRINGIFY(PAGE)), pass_part, &r);
    } while (rv == APR_SUCCESS && r.parts == PAGE);
    apr_pool_destroy(r.page);
    if (r.is_damaged) {
        cat_log(db->log, CAT_LOG_ERROR, 0, "CAT122: the picture %s is damaged in the database", size);
    }
    return rv == APR_SUCCESS && !is_whole(&r) ? APR_NOTFOUND : rv;
}

apr_status_t cat_image_store_read(cat_db_t *db, const char *size, cat_image_take_t *take, void *baton)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_IMAGE_USED, CAT_VALUES(apr_pstrmemdup(db->pool, size, CAT_ID_LENGTH)), &row);

    return rv == APR_SUCCESS ? read_parts(db, size, take, baton) : rv;
}
