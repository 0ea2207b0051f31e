/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restores a product as it was before a change.
 *
 * The product is written as any other: by an update, or by a creation with its former id and creation time. So derived columns, counts and cached
 * answers follow, and the history gets one more change, which can be undone as well. A unique value that another product has taken meanwhile is
 * refused; but if the server made the value of other fields (from=), it makes another one.
 */
#include "catalogue/changes/restore.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/own_slug.h"
#include "catalogue/product/product_images.h"
#include "catalogue/product/products.h"
#include "lib/json.h"
#include "lib/text.h"

/* ---- pictures ---- */

static apr_status_t keep_picture(cat_db_t *db, json_t *kept, json_t *image)
{
    const char *id = json_string_value(json_object_get(image, "id"));
    int is_there = 0;
    apr_status_t rv = id ? cat_db_exec(db, SQL_IMAGE_TAKE_BACK, CAT_VALUES(id), &is_there) : APR_SUCCESS;

    if (rv == APR_SUCCESS && is_there) {
        json_array_append(kept, image);
    }
    return rv;
}

/* *text: without the pictures that the database has not any more; NULL: none is left. */
static apr_status_t keep_pictures(cat_db_t *db, const char **text)
{
    const char *why;
    json_t *images = *text ? cat_json_parse(db->pool, *text, strlen(*text), &why) : NULL, *image;
    json_t *kept = cat_json_own(db->pool, json_array());
    apr_status_t rv = APR_SUCCESS;
    size_t i;

    json_array_foreach (images, i, image) {
        rv = rv == APR_SUCCESS ? keep_picture(db, kept, image) : rv;
    }
    *text = json_array_size(kept) ? cat_json_text(db->pool, kept) : NULL;
    return rv;
}

/* Those of a mount without pictures are not purged, either. */
static apr_status_t keep_hidden_pictures(cat_db_t *db, const char *extra)
{
    const char *text;
    cat_json_member_t m;

    if (!cat_json_find_member(extra, CAT_PRODUCT_IMAGES_NAME, &m)) {
        return APR_SUCCESS;
    }
    text = apr_pstrmemdup(db->pool, m.value, m.value_length);
    return keep_pictures(db, &text);
}

/* ---- writing ---- */

/* Takes the unique values that the server made of the record's other fields (from=). Where another product has one, makes another one and sets it
 * in the record. */
static apr_status_t claim_made(cat_db_t *db, const char **record)
{
    return cat_own_slugs_claim(db, cat_own_slugs_recognize(db->pool, cat_product_fields_of(db->conf), record), record);
}

static apr_status_t insert_again(cat_db_t *db, const char *const *row, int remakes)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);
    int images = cat_product_images_find(fields);
    const char **record =
        apr_pmemdup(db->pool, cat_product_read(db->pool, fields, row), (apr_size_t)fields->count * sizeof(*record));
    const char **again = apr_pmemdup(db->pool, row, CAT_PRODUCT_COLUMNS * sizeof(*again));
    apr_status_t rv =
        images < fields->count ? keep_pictures(db, &record[images]) : keep_hidden_pictures(db, row[CAT_PRODUCT_EXTRA]);

    rv = rv == APR_SUCCESS && remakes ? claim_made(db, record) : rv;
    cat_product_stamp(db->pool, fields, record, apr_time_now());
    again[CAT_PRODUCT_EXTRA] = cat_product_write_extra(db->pool, fields, record, row[CAT_PRODUCT_EXTRA]);
    return rv == APR_SUCCESS ? cat_products_insert_row_within(db, (const char *const *)again) : rv;
}

static apr_status_t set_field(cat_db_t *db, cat_input_t *input, int i, const char *value)
{
    apr_status_t rv = APR_SUCCESS;

    if (input->fields[i].flags & CAT_IMAGES) {
        rv = keep_pictures(db, &value);
        input->values[i] = cat_product_images_replace(db->pool, value);
    } else {
        input->values[i] = value;
        input->cleared[i] = !value;
    }
    input->given++;
    return rv;
}

/* Members that the mount has no field for. A mount without pictures leaves them as they are. */
static void compare_hidden(cat_db_t *db, const char *const *present, const char *const *row, cat_input_t *input)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);
    const char *extra = present[CAT_PRODUCT_EXTRA];
    const char *is = cat_product_write_hidden(db->pool, fields, extra, extra);
    const char *was = cat_product_write_hidden(db->pool, fields, row[CAT_PRODUCT_EXTRA], extra);

    if (strcmp(is, was) != 0) {
        input->hidden = was;
        input->given++;
    }
}

/* The fields that differ, and no others. */
static apr_status_t compare_rows(cat_db_t *db, const char *const *present, const char *const *row, cat_input_t *input)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);
    const char *const *is = cat_product_read(db->pool, fields, present);
    const char *const *was = cat_product_read(db->pool, fields, row);
    apr_status_t rv = APR_SUCCESS;

    *input = (cat_input_t){.fields = fields->all, .count = fields->count};
    input->values = apr_pcalloc(db->pool, (apr_size_t)fields->count * sizeof(*input->values));
    input->cleared = apr_pcalloc(db->pool, (apr_size_t)fields->count);
    for (int i = 0; i < fields->count && rv == APR_SUCCESS; i++) {
        int flags = fields->all[i].flags, is_set_by_clients = !(flags & CAT_SERVER) || flags & CAT_IMAGES;
        if (is_set_by_clients && !cat_text_is_same(is[i], was[i])) {
            rv = set_field(db, input, i, was[i]);
        }
    }
    compare_hidden(db, present, row, input);
    return rv;
}

static int changes_unique(const cat_input_t *input)
{
    int changes = 0;

    for (int i = CAT_PRODUCT_FIELDS; i < input->count; i++) {
        changes |= input->values[i] && input->fields[i].flags & CAT_UNIQUE;
    }
    return changes;
}

/* Takes the unique values that the server made of other fields of the row. Where another product has one that the update sets, makes another one
 * and sets it in the update. */
static apr_status_t remake_fields(cat_db_t *db, const char *const *row, cat_input_t *input)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);
    const char **record =
        apr_pmemdup(db->pool, cat_product_read(db->pool, fields, row), (apr_size_t)fields->count * sizeof(*record));
    apr_status_t rv = claim_made(db, record);

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        if (input->values[i] && input->fields[i].flags & CAT_UNIQUE) {
            input->values[i] = record[i];
        }
    }
    return rv;
}

static apr_status_t update_again(cat_db_t *db, const char *const *present, const char *const *row, int remakes,
                                 int *is_changed)
{
    const char *const *product;
    cat_input_t input;
    apr_status_t rv = compare_rows(db, present, row, &input);

    rv = rv == APR_SUCCESS && remakes && changes_unique(&input) ? remake_fields(db, row, &input) : rv;
    *is_changed = input.given > 0;
    return rv == APR_SUCCESS && input.given ? cat_products_update_within(db, row[CAT_PRODUCT_ID], &input, &product)
                                            : rv;
}

apr_status_t cat_restore_lock(cat_db_t *db, const char *id, const char *const **present)
{
    apr_status_t rv = cat_db_one(db, SQL_PRODUCT_LOCK, CAT_PRODUCT_IS(db->pool, id), present);

    *present = rv == APR_SUCCESS ? *present : NULL;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

apr_status_t cat_restore_put(cat_db_t *db, const char *id, const char *const *present, const char *const *row,
                             int remakes, int *is_changed)
{
    *is_changed = present || row;
    if (!row) {
        return present ? cat_products_delete_within(db, id) : APR_SUCCESS;
    }
    return present ? update_again(db, present, row, remakes, is_changed) : insert_again(db, row, remakes);
}

/* ---- of one product ---- */

static apr_status_t read_product(cat_restoration_t *r)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(r->db, SQL_PRODUCT_GET, CAT_PRODUCT_IS(r->db->pool, r->id), &row);

    r->product = rv == APR_SUCCESS ? cat_product_read(r->db->pool, cat_product_fields_of(r->db->conf), row) : NULL;
    return rv;
}

static apr_status_t restore_product(void *baton)
{
    cat_restoration_t *r = baton;
    const char *const *row = NULL;
    const char *const *present = NULL;
    apr_int64_t number;
    int is_changed = 0;
    apr_status_t rv = cat_changes_find(r->db, r->id, r->seq, &number);

    rv = rv == APR_SUCCESS ? cat_changes_read_before(r->db, r->id, number, &row) : rv;
    if (rv == APR_SUCCESS && !row) {
        return CAT_ENOPRODUCT;
    }
    rv = rv == APR_SUCCESS ? cat_restore_lock(r->db, r->id, &present) : rv;
    rv = rv == APR_SUCCESS ? cat_restore_put(r->db, r->id, present, row, 1, &is_changed) : rv;
    rv = rv == APR_SUCCESS ? read_product(r) : rv;
    return rv == APR_SUCCESS && is_changed ? r->finish(r->baton) : rv;
}

/* A product that is gone has no row to lock: another transaction may have put it back after this one has read that there is none, or
 * between its changes and it. */
apr_status_t cat_restore_product(cat_restoration_t *restoration)
{
    cat_db_t *db = restoration->db;
    apr_array_header_t *changed = apr_array_make(db->pool, 1, sizeof(const char *));
    apr_status_t rv;

    APR_ARRAY_PUSH(changed, const char *) = restoration->id;
    rv = cat_products_transact(db, changed, 1, restore_product, restoration);
    if (rv == CAT_ENOPRODUCT || (rv == APR_EEXIST && !*cat_products_name_taken(db))) {
        rv = cat_products_transact(db, changed, 1, restore_product, restoration);
    }
    return rv;
}
