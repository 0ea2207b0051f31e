/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of products, and how those of the shop's own are kept in a row of the database.
 *
 *     extra    {"sku":"KT-1","tags":["red","steel"],"weight":2.5,"published":true,"seen":1795521600000}
 *
 * The column has the members that are set, in the order of the mount's fields, then those of fields that this mount does not
 * have: a line of CatalogField that was removed hides its field, and another server of the database may have lines of its own.
 * Values are as JSON has them, times as milliseconds.
 *
 * Rows are read far more often than they are written, so the text is read member by member here, without a tree: almost always
 * the next member is that of the next field. A value that is not of its field's kind, as another program may write it, counts
 * as absent.
 */
#include "catalogue/product/product.h"

#include <float.h>
#include <string.h>

#include <apr_strings.h>

#include "lib/json.h"
#include "lib/time.h"

#define FLAGS_KEY CAT_SERVER
#define FLAGS_FIXED CAT_SERVER
#define FLAGS_FIRST 0
#define FLAGS_SET 0
#define FLAGS_CLEAR CAT_CLEARABLE

#define RULE_KEY &cat_fields_id
#define RULE_FIXED NULL
#define RULE_FIRST NULL
#define RULE_SET NULL
#define RULE_CLEAR NULL

#define FIELD(name, field, column, update, compare, kind, flags, least, most, absent, ...)                             \
    [CAT_PRODUCT_##name] = {field, kind, (flags) | FLAGS_##update, least, most, absent, RULE_##update, __VA_ARGS__},

const cat_field_t cat_product_fields[CAT_PRODUCT_FIELDS] = {CAT_PRODUCT_TABLE(FIELD)};

const cat_fields_t cat_product_built_in = {cat_product_fields, CAT_PRODUCT_FIELDS, NULL};

const cat_fields_t *cat_product_fields_of(const cat_conf_t *conf)
{
    return conf->fields ? conf->fields : &cat_product_built_in;
}

/* ---- members of extra ---- */

/* Looks at the expected field first. fields->count: the mount has none of the name. */
static int find_field(const cat_fields_t *fields, const cat_json_member_t *m, int expected)
{
    for (int i = expected; i < fields->count; i++) {
        if (cat_json_is_named(m, fields->all[i].name)) {
            return i;
        }
    }
    for (int i = CAT_PRODUCT_FIELDS; i < expected; i++) {
        if (cat_json_is_named(m, fields->all[i].name)) {
            return i;
        }
    }
    return fields->count;
}

/* ---- reading ---- */

static const char *read_string(apr_pool_t *pool, const cat_json_member_t *m)
{
    const char *why;
    const json_t *value;

    if (*m->value != '"' || m->value_length < 2) {
        return NULL;
    }
    if (!memchr(m->value, '\\', m->value_length)) {
        return apr_pstrmemdup(pool, m->value + 1, m->value_length - 2);
    }
    value = cat_json_parse(pool, m->value, m->value_length, &why);
    return json_is_string(value) ? apr_pstrdup(pool, json_string_value(value)) : NULL;
}

/* The text, if it begins with one of these characters. */
static const char *read_text(apr_pool_t *pool, const cat_json_member_t *m, const char *beginnings)
{
    return strchr(beginnings, *m->value) ? apr_pstrmemdup(pool, m->value, m->value_length) : NULL;
}

const char *cat_product_read_member(apr_pool_t *pool, const cat_field_t *field, const cat_json_member_t *m)
{
    switch (field->kind) {
    case CAT_STRING:
        return read_string(pool, m);
    case CAT_BOOLEAN:
        return *m->value == 't' ? "1" : *m->value == 'f' ? "0" : NULL;
    case CAT_NUMBER:
    case CAT_TIME:
        return read_text(pool, m, "-0123456789");
    case CAT_LIST:
        return read_text(pool, m, "[");
    case CAT_VALUE:
        return apr_pstrmemdup(pool, m->value, m->value_length);
    }
    return NULL;
}

const char *const *cat_product_read(apr_pool_t *pool, const cat_fields_t *fields, const char *const *row)
{
    const char **record, *at = row[CAT_PRODUCT_EXTRA];
    int expected = CAT_PRODUCT_FIELDS;
    cat_json_member_t m;

    if (fields->count == CAT_PRODUCT_FIELDS) {
        return row;
    }
    record = apr_pcalloc(pool, (apr_size_t)fields->count * sizeof(*record));
    memcpy(record, row, CAT_PRODUCT_FIELDS * sizeof(*record));
    while (at && cat_json_next_member(&at, &m)) {
        int field = find_field(fields, &m, expected);
        if (field < fields->count) {
            record[field] = cat_product_read_member(pool, &fields->all[field], &m);
            expected = field + 1;
        }
    }
    return record;
}

const char *const *cat_product_copy(apr_pool_t *pool, const char *const *row, int count)
{
    const char **copy = apr_palloc(pool, (apr_size_t)count * sizeof(*copy));

    for (int i = 0; i < count; i++) {
        copy[i] = apr_pstrdup(pool, row[i]);
    }
    return copy;
}

/* ---- writing ---- */

void cat_product_stamp(apr_pool_t *pool, const cat_fields_t *fields, const char **record, apr_time_t now)
{
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        if (fields->all[i].flags & CAT_MODIFIED) {
            record[i] = cat_time_store(pool, now);
        }
    }
}

typedef enum { ALL, ALL_BUT_PICTURES, PICTURES } hidden_t;

static int is_wanted(const cat_json_member_t *m, hidden_t which)
{
    return which == ALL || (which == PICTURES) == (cat_json_is_named(m, CAT_PRODUCT_IMAGES_NAME) != 0);
}

static void add_hidden(cat_buffer_t *b, const cat_fields_t *fields, const char *hidden, hidden_t which)
{
    cat_json_member_t m;

    while (hidden && cat_json_next_member(&hidden, &m)) {
        if (find_field(fields, &m, CAT_PRODUCT_FIELDS) == fields->count && is_wanted(&m, which)) {
            cat_json_begin_member(b, m.name, m.name_length);
            cat_buffer_add(b, m.value, m.value_length);
        }
    }
}

const char *cat_product_write_hidden(apr_pool_t *pool, const cat_fields_t *fields, const char *extra,
                                     const char *images)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    add_hidden(&b, fields, extra, ALL_BUT_PICTURES);
    add_hidden(&b, fields, images, PICTURES);
    cat_buffer_add_text(&b, b.length ? "}" : "{}");
    return cat_buffer_text(&b);
}

const char *cat_product_add_member(apr_pool_t *pool, const char *extra, const cat_field_t *field, const char *text)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, CAT_PRODUCT_SIZE);
    cat_buffer_add(&b, extra ? extra : "", extra ? strlen(extra) - 1 : 0); /* without "}" */
    cat_json_begin_member(&b, field->name, strlen(field->name));
    if (field->kind == CAT_TIME) {
        cat_buffer_add_text(&b, text);
    } else {
        cat_fields_write_value(&b, field, text);
    }
    CAT_BUFFER_LITERAL(&b, "}");
    return cat_buffer_text(&b);
}

const char *cat_product_write_extra(apr_pool_t *pool, const cat_fields_t *fields, const char *const *record,
                                    const char *hidden)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, fields->count > CAT_PRODUCT_FIELDS ? CAT_PRODUCT_SIZE : 1);
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        if (!record[i]) {
            continue;
        }
        cat_json_begin_member(&b, fields->all[i].name, strlen(fields->all[i].name));
        if (fields->all[i].kind == CAT_TIME || fields->all[i].flags & CAT_IMAGES) {
            cat_buffer_add_text(&b, record[i]);
        } else {
            cat_fields_write_value(&b, &fields->all[i], record[i]);
        }
    }
    add_hidden(&b, fields, hidden, ALL);
    if (!b.length) {
        return NULL;
    }
    CAT_BUFFER_LITERAL(&b, "}");
    return cat_buffer_text(&b);
}
