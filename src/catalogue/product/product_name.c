/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of products, "sku=KT-1": the one place that makes an id of them.
 *
 * A product that is read by its name is found by one statement. The response cache keeps bodies by id, and beside them which id was
 * found for a name. That may be out of date when the name is asked for again, so it is only a guess:
 *
 *     sku=KT-1  ->  guess 01a1...  ->  the body of 01a1..., as valid as any  ->  has it "sku":"KT-1"?  yes: the answer
 *                                                                                 no: ask the database
 *
 * So a name that was given up or taken over is never answered from a guess, and a body that is valid is that of the product that has
 * the name, because no two products have it.
 */
#include "catalogue/product/product_name.h"

#include <string.h>

#include <apr_strings.h>

#include "db/answer_cache.h"
#include "http/etag.h"
#include "lib/id.h"
#include "lib/json.h"

/* ---- reading a name ---- */

int cat_product_name_find_field(const cat_fields_t *fields, const char *name, apr_size_t length)
{
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        if (fields->all[i].flags & CAT_UNIQUE && !strncmp(fields->all[i].name, name, length) &&
            !fields->all[i].name[length]) {
            return i;
        }
    }
    return fields->count;
}

static json_t *read_json(apr_pool_t *pool, const cat_field_t *field, const char *text)
{
    const char *why;

    return field->kind == CAT_NUMBER ? cat_json_parse_exact(pool, text, strlen(text), &why)
                                     : cat_json_own(pool, json_string(text));
}

int cat_product_name_read(apr_pool_t *pool, const cat_fields_t *fields, const char *text, cat_product_name_t *name)
{
    const char *sign = strchr(text, '=');
    int field = sign ? cat_product_name_find_field(fields, text, (apr_size_t)(sign - text)) : fields->count;
    const json_t *value = field < fields->count && sign[1] ? read_json(pool, &fields->all[field], sign + 1) : NULL;
    cat_field_t wide;

    *name = (cat_product_name_t){.text = text, .field = field};
    if (!value) {
        return 0;
    }
    wide = cat_own_field_widen(&fields->all[field]);
    return !cat_fields_read_value(pool, &wide, value, &name->value).code;
}

int cat_product_name_fits(const cat_product_name_t *name, const char *const *product)
{
    return product[name->field] && !strcmp(product[name->field], name->value);
}

static const char *write_value(apr_pool_t *pool, const cat_fields_t *fields, const cat_product_name_t *name)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    cat_fields_write_value(&b, &fields->all[name->field], name->value);
    return cat_buffer_text(&b);
}

json_t *cat_product_name_json(apr_pool_t *pool, const cat_fields_t *fields, const cat_product_name_t *name)
{
    const char *text = write_value(pool, fields, name), *why;

    return cat_json_parse_exact(pool, text, strlen(text), &why);
}

/* ---- finding the product ---- */

apr_status_t cat_product_name_number(cat_db_t *db, int field, const char **number)
{
    const cat_registry_t *registry;
    apr_status_t rv = cat_registry_get_filled(db, &registry);
    int known;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    known = cat_registry_find_field(registry, cat_product_fields_of(db->conf), field);
    *number = registry->numbers[known];
    return registry->is_complete[known] ? APR_SUCCESS : CAT_EFILLING;
}

apr_status_t cat_product_name_find(cat_db_t *db, const cat_product_name_t *name, const char **id)
{
    const char *number;
    apr_status_t rv = cat_product_name_number(db, name->field, &number);

    return rv == APR_SUCCESS ? cat_own_keys_find(db, number, name->value, id) : rv;
}

/* ---- one product ---- */

typedef struct name_read_t {
    cat_db_t *db;
    const cat_product_name_t *name;
    const cat_fields_t *fields;
    apr_time_t now;
    const cat_products_form_t *form;
    cat_item_t *item;
    const char *id; /* of the product that was read; NULL: there is none */
} name_read_t;

int cat_product_name_is_in(const cat_db_t *db, const cat_product_name_t *name, const char *body)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);
    const char *field = fields->all[name->field].name, *value = write_value(db->pool, fields, name);
    cat_json_member_t m;

    return cat_json_find_member(cat_products_object(body), field, &m) && m.value_length == strlen(value) &&
           !memcmp(m.value, value, m.value_length);
}

/* The name is before the columns. */
static apr_status_t represent_row(void *baton, const char *const *values, int)
{
    const char *const *row = values + 1;
    name_read_t *r = baton;

    r->id = apr_pstrdup(r->db->pool, row[CAT_PRODUCT_ID]);
    r->form->represent(r->form->baton, cat_product_read(r->db->pool, r->fields, row), &r->item->body, &r->item->length);
    return CAT_ENOUGH;
}

/* Requests that come at once share a round trip. */
static apr_status_t find_row(name_read_t *r, const char *number)
{
    const char *value = cat_own_keys_unique(r->db->pool, r->name->value);

    return cat_db_asks_server(r->db)
               ? cat_read_batch_one(r->db, &(cat_row_key_t){SQL_PRODUCT_GET_NAMED, number, value}, represent_row, r)
               : cat_db_each(r->db, SQL_PRODUCT_GET_NAMED, CAT_VALUES(number, value), represent_row, r);
}

/* guess: to be cached. */
static apr_status_t read_database(name_read_t *r, cat_item_t *guess)
{
    const char *number;
    apr_status_t rv = cat_product_name_number(r->db, r->name->field, &number);

    rv = rv == APR_SUCCESS ? find_row(r, number) : rv;
    if (rv != APR_SUCCESS || !r->id) {
        return rv == APR_SUCCESS ? APR_NOTFOUND : rv;
    }
    r->item->hash = cat_etag_hash(r->item->body, r->item->length);
    guess->body = r->id;
    guess->length = strlen(r->id);
    guess->hash = 0;
    cat_answer_cache_put(r->db, guess);
    return APR_SUCCESS;
}

static apr_status_t read_guess(const name_read_t *r, const cat_item_t *guess)
{
    const char *id = apr_pstrmemdup(r->db->pool, guess->body, guess->length);
    apr_status_t rv = cat_products_get_one(r->db, id, r->now, r->form, r->item);

    return rv == APR_SUCCESS && !cat_product_name_is_in(r->db, r->name, r->item->body) ? APR_NOTFOUND : rv;
}

/* The key of a guess begins as no other key does: what a client sends for an id has no slash. */
apr_status_t cat_product_name_get(cat_db_t *db, const cat_product_name_t *name, apr_time_t now,
                                  const cat_products_form_t *form, cat_item_t *item)
{
    name_read_t r = {db, name, cat_product_fields_of(db->conf), now, form, item, NULL};
    cat_item_t guess = {.key = apr_pstrcat(db->pool, "/=", name->text, NULL)};
    apr_status_t rv = cat_answer_cache_get(db, guess.key, now, &guess) ? read_guess(&r, &guess) : APR_NOTFOUND;

    *item = rv == APR_SUCCESS ? *item : (cat_item_t){.key = name->text};
    return rv == APR_NOTFOUND ? read_database(&r, &guess) : rv;
}

int cat_product_name_can_be(const cat_fields_t *fields)
{
    int i = 0;

    while (i < fields->count && !(fields->all[i].flags & CAT_UNIQUE)) {
        i++;
    }
    return i < fields->count;
}
