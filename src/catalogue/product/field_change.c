/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes a field out of products, from the newest to the oldest.
 *
 *     extra             {"sku":"KT-1","colour":"red"}  ->  {"sku":"KT-1"}, or {"sku":"KT-1","color":"red"}
 *     product_keys, product_unique   what they have of the field is deleted, and that of the target made
 *     catalog_fields    first the field loses its options, so that no server makes keys of it any more; its row goes last
 *
 * As long as the row is there, the number of the field belongs to nobody else, and the change can be begun anew. Other commands may drop or
 * rename fields at the same time, and servers with new lines add fields, which then get numbers that have become free. So each transaction
 * looks up the fields by their names, and goes on only if they are still those of the begin.
 */
#include "catalogue/product/field_change.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/own_keys.h"
#include "catalogue/product/portion.h"
#include "catalogue/product/product.h"
#include "catalogue/product/value_counts.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/number.h"

#define PORTION 100 /* products of one transaction */

/* The field, and the pairs that it is one of. */
static int is_involved(const cat_field_change_t *c, int field)
{
    return field == c->field || cat_own_keys_is_of_pair(c->registry, field, c->field);
}

/* Those of products that are gone as well. */
static apr_status_t drop_keys(const cat_field_change_t *c, int field, apr_int64_t from, apr_int64_t end)
{
    apr_pool_t *pool = c->db->pool;

    return cat_db_exec(
        c->db, SQL_KEYS_DROP,
        CAT_VALUES(c->registry->numbers[field], cat_number_write(pool, from), cat_number_write(pool, end)), NULL);
}

static int has_type(const cat_field_change_t *c, int field)
{
    return field < c->registry->fields->count && !strcmp(c->registry->fields->own[field]->type->name, c->type);
}

/* Are the field and the pairs that it is one of without their options? */
static int is_retired(const cat_field_change_t *c)
{
    int retired = 1;

    for (int i = CAT_PRODUCT_FIELDS; i < c->registry->fields->count; i++) {
        retired = retired && (!is_involved(c, i) || cat_registry_is_retired(c->db->pool, c->registry, i));
    }
    return retired;
}

static apr_status_t find_fields(cat_field_change_t *c)
{
    apr_status_t rv = cat_registry_get(c->db, &c->registry);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    c->field = cat_registry_find(c->registry, c->name);
    c->to = c->target ? cat_registry_find(c->registry, c->target) : c->registry->fields->count;
    return has_type(c, c->field) && (!c->target || has_type(c, c->to)) ? APR_SUCCESS : CAT_ECHANGED;
}

/* The same after the begin. */
static apr_status_t find_retired(cat_field_change_t *c)
{
    apr_status_t rv = find_fields(c);

    return rv == APR_SUCCESS && !is_retired(c) ? CAT_ECHANGED : rv;
}

apr_status_t cat_field_change_begin(void *baton)
{
    cat_field_change_t *c = baton;
    apr_status_t rv = find_fields(c);

    for (int i = CAT_PRODUCT_FIELDS; rv == APR_SUCCESS && i < c->registry->fields->count; i++) {
        if (is_involved(c, i)) {
            rv = cat_registry_retire(c->db, c->registry, i);
        }
    }
    return rv;
}

/* The number may be another field's next, so no key may be left, of a writer that was late for instance. */
apr_status_t cat_field_change_end(void *baton)
{
    cat_field_change_t *c = baton;
    apr_status_t rv = find_retired(c);
    const char *number = rv == APR_SUCCESS ? c->registry->numbers[c->field] : NULL;

    rv = rv == APR_SUCCESS ? cat_value_counts_drop(c->db, number) : rv;
    rv = rv == APR_SUCCESS ? cat_db_exec(c->db, SQL_UNIQUE_DROP, CAT_VALUES(number), NULL) : rv;
    for (int i = CAT_PRODUCT_FIELDS; rv == APR_SUCCESS && i < c->registry->fields->count; i++) {
        if (is_involved(c, i)) {
            rv = cat_db_exec(c->db, SQL_FIELDS_REMOVE, CAT_VALUES(c->registry->numbers[i]), NULL);
            rv = rv == APR_SUCCESS ? drop_keys(c, i, CAT_LIST_KEY_MAX, CAT_LIST_KEY_MIN) : rv;
        }
    }
    return rv;
}

/* ---- one product ---- */

/* NULL: nothing is left. other: the name that the member gets; NULL: it is left out. */
static const char *rewrite_extra(apr_pool_t *pool, const char *extra, const char *name, const char *other)
{
    cat_json_member_t m;
    cat_buffer_t b;

    cat_buffer_init(&b, pool, strlen(extra) + 64);
    while (cat_json_next_member(&extra, &m)) {
        int is_member = cat_json_is_named(&m, name);
        if (is_member && !other) {
            continue;
        }
        cat_buffer_add_text(&b, b.length ? ",\"" : "{\"");
        cat_buffer_add(&b, is_member ? other : m.name, is_member ? strlen(other) : m.name_length);
        cat_buffer_add_text(&b, "\":");
        cat_buffer_add(&b, m.value, m.value_length);
    }
    cat_buffer_add_text(&b, b.length ? "}" : "");
    return b.length ? cat_buffer_text(&b) : NULL;
}

/* keys: receives those of the target field, to be inserted. */
static apr_status_t change_product(cat_field_change_t *c, const char *const *row, apr_array_header_t *keys)
{
    const char *id = row[CAT_PRODUCT_ID], *n = cat_id_number_text(c->db->pool, id), *name = c->name, *other = c->target;
    const char *changed[CAT_PRODUCT_COLUMNS];
    cat_json_member_t m;
    apr_status_t rv;

    if (!cat_json_find_member(row[CAT_PRODUCT_EXTRA], name, &m)) {
        return APR_SUCCESS;
    }
    c->changed++;
    if (other && cat_json_find_member(row[CAT_PRODUCT_EXTRA], other, &m)) {
        c->dropped++;
        other = NULL;
    }
    memcpy(changed, row, sizeof(changed));
    changed[CAT_PRODUCT_EXTRA] = rewrite_extra(c->db->pool, row[CAT_PRODUCT_EXTRA], name, other);
    rv = cat_db_exec(c->db, SQL_EXTRA_SET, CAT_VALUES(changed[CAT_PRODUCT_EXTRA], n, id), NULL);
    rv = rv == APR_SUCCESS ? cat_db_exec(c->db, SQL_UNIQUE_DELETE, CAT_VALUES(n, c->registry->numbers[c->field]), NULL)
                           : rv;
    if (rv == APR_SUCCESS && other) {
        rv = cat_own_keys_renew(c->db, c->registry, c->to, changed, 1, keys);
        c->taken = rv == APR_EEXIST ? id : NULL;
    }
    return rv;
}

/* ---- a portion ---- */

static apr_status_t delete_keys(const cat_field_change_t *c)
{
    apr_int64_t end = c->is_last ? CAT_LIST_KEY_MIN : c->end;
    apr_status_t rv = APR_SUCCESS;

    for (int i = CAT_PRODUCT_FIELDS; i < c->registry->fields->count && rv == APR_SUCCESS; i++) {
        if (is_involved(c, i)) {
            rv = drop_keys(c, i, c->from, end);
        }
    }
    return rv;
}

apr_status_t cat_field_change_next(void *baton)
{
    cat_field_change_t *c = baton;
    apr_array_header_t *keys = cat_own_keys_begin(c->db->pool);
    cat_portion_t portion = {.rows = keys, .end = c->from};
    apr_status_t rv = find_retired(c);

    rv = rv == APR_SUCCESS ? cat_portion_read(c->db, SQL_INDEX_ROWS, c->from, PORTION, &portion) : rv;
    c->rows = portion.rows->nelts;
    c->changed = c->dropped = 0;
    c->end = portion.end;
    c->is_last = portion.is_last;
    for (int i = 0; i < c->rows && rv == APR_SUCCESS; i++) {
        rv = change_product(c, CAT_PORTION_ROW(&portion, i), keys);
    }
    rv = rv == APR_SUCCESS ? delete_keys(c) : rv;
    return rv == APR_SUCCESS ? cat_own_keys_insert(c->db, keys) : rv;
}
