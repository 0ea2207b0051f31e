/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of fields of the shop's own. The fields are those of the registry, not of the mount: so a server also keeps the keys of fields
 * that only other servers have lines for.
 *
 *     {"sku":"KT-1","weight":2.5,"tags":["red","steel"]}
 *
 *     product_keys     sku     kt-1               value KT-1       (field, key, n)
 *                      weight  c004000000000000
 *                      tags    red
 *                      tags    steel
 *                      color   ""                                  the product lacks the field, and is in its order nevertheless
 *     product_unique   sku     KT-1
 *
 * The order of the keys is that of the list, so the products that have one key are found newest first; the index by product finds the
 * keys of a product, and those of all products in the order of the list.
 */
#include "catalogue/product/own_keys.h"

#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "catalogue/product/product.h"
#include "catalogue/product/value_counts.h"
#include "lib/digest.h"
#include "lib/fold.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/secret.h"
#include "lib/text.h"

#define ROW 5       /* values of a row of product_keys */
#define AT_ONCE 512 /* rows whose values are put together */
#define DELETED 16  /* fields of one SQL_KEYS_DELETE */

/* ---- one value ---- */

/* Hexadecimal digits in the order of signed numbers. */
static const char *write_order(apr_pool_t *pool, apr_uint64_t bits)
{
    return apr_psprintf(pool, "%016" APR_UINT64_T_HEX_FMT, bits);
}

/* The bits of a double are ordered as its value is, those of negative ones the other way. */
static const char *write_real(apr_pool_t *pool, double number)
{
    apr_uint64_t bits;

    number += 0.0; /* -0 is 0 */
    memcpy(&bits, &number, sizeof(bits));
    return write_order(pool, bits >> 63 ? ~bits : bits | APR_UINT64_C(1) << 63);
}

static const char *write_number(apr_pool_t *pool, const char *text)
{
    return write_real(pool, cat_number_read(text, NULL));
}

const char *cat_own_keys_unique(apr_pool_t *pool, const char *text)
{
    cat_digest_t *digest;

    if (strlen(text) <= CAT_OWN_KEY_SIZE) {
        return text;
    }
    digest = cat_digest_begin(pool);
    cat_digest_add(digest, text, strlen(text));
    return apr_pstrcat(pool, "sha256:", cat_digest_end(digest), NULL);
}

int cat_own_keys_has_value(const cat_fields_t *fields, int field)
{
    return fields->all[field].kind == CAT_STRING && !fields->own[field]->values &&
           !cat_fields_has_measure(fields->all[field].rule);
}

const char *cat_own_keys_value(apr_pool_t *pool, const cat_fields_t *fields, int field, const char *text)
{
    return text && cat_own_keys_has_value(fields, field) ? cat_own_keys_unique(pool, text) : NULL;
}

#define STRANGE "~" /* behind all digits; SQL_KEYS_STRANGE has it, too */

/* A value that no line of this database had is in no place: a restored export may have values that were removed from the line before. Each has
 * a key of its own, behind the places of all others. */
static const char *write_choice(apr_pool_t *pool, const char *const *values, const char *text)
{
    int place = cat_text_find(values, text);

    return values[place] ? apr_psprintf(pool, "%03d", place)
                         : apr_pstrcat(pool, STRANGE, cat_secret_digest(pool, text), NULL);
}

const char *cat_own_keys_key(apr_pool_t *pool, const cat_fields_t *fields, int field, const char *text)
{
    const char *const *values = fields->own[field]->values;
    const cat_text_rule_t *rule = fields->all[field].rule;

    if (!text) {
        return "";
    }
    switch (fields->all[field].kind) {
    case CAT_STRING:
        return values                         ? write_choice(pool, values, text)
               : cat_fields_has_measure(rule) ? write_real(pool, rule->form->measure(text))
                                              : cat_fold_cut(pool, cat_fold_text(pool, text), CAT_OWN_KEY_SIZE);
    case CAT_NUMBER:
        return write_number(pool, text);
    case CAT_TIME:
        return write_order(pool, (apr_uint64_t)apr_atoi64(text) ^ APR_UINT64_C(1) << 63);
    default:
        return text;
    }
}

/* ---- the rows of a product ---- */

/* A row to be inserted into product_keys. */
typedef struct row_t {
    const char *values[ROW];
    const cat_registry_t *registry;
    int field;
    int is_counted;
} row_t;

apr_array_header_t *cat_own_keys_begin(apr_pool_t *pool)
{
    return apr_array_make(pool, 0, sizeof(row_t));
}

/* The rows of a product are being added. */
typedef struct collector_t {
    apr_pool_t *pool;         /* of what is not in the rows */
    apr_array_header_t *rows; /* with their texts, on the array's pool */
    const cat_registry_t *registry;
    const char *const *record;
    const char *n; /* the product's number, for the rows */
} collector_t;

static collector_t begin_product(apr_pool_t *pool, apr_array_header_t *rows, const cat_registry_t *registry,
                                 const char *const *product)
{
    return (collector_t){pool, rows, registry, cat_product_read(pool, registry->fields, product),
                         cat_id_number_text(rows->pool, product[CAT_PRODUCT_ID])};
}

/* text: the value; NULL: the product lacks the field. */
static row_t *push_row(const collector_t *c, int field, const char *text)
{
    const cat_registry_t *registry = c->registry;
    apr_pool_t *pool = c->rows->pool;
    int is_counted = registry->is_counted[field] && text && strlen(text) <= CAT_VALUE_SIZE;
    const char *value = is_counted ? text : cat_own_keys_value(c->pool, registry->fields, field, text);
    row_t *row = apr_array_push(c->rows);

    *row =
        (row_t){{registry->numbers[field], apr_pstrdup(pool, cat_own_keys_key(c->pool, registry->fields, field, text)),
                 c->n, apr_pstrdup(pool, value), is_counted ? "1" : "0"},
                registry,
                field,
                is_counted};
    return row;
}

static void add_row(const collector_t *c, int field, const char *text)
{
    push_row(c, field, text);
}

/* ---- pairs ---- */

#define PAIR_SEPARATOR "\x01" /* below all that a folded text has */
#define PAIR_SIZE (CAT_OWN_KEY_SIZE - 17)

const char *cat_own_keys_pair_begin(apr_pool_t *pool, const cat_registry_t *registry, int pair, const char *text)
{
    int of = cat_registry_find(registry, registry->fields->own[pair]->of);

    return apr_pstrcat(pool, cat_fold_cut(pool, cat_own_keys_key(pool, registry->fields, of, text), PAIR_SIZE),
                       PAIR_SEPARATOR, NULL);
}

const char *cat_own_keys_pair_value(apr_pool_t *pool, const cat_registry_t *registry, int pair, const char *text)
{
    int of = cat_registry_find(registry, registry->fields->own[pair]->of);

    return registry->fields->all[of].kind == CAT_LIST ? text : cat_own_keys_value(pool, registry->fields, of, text);
}

/* The second part of the keys of a product. */
static const char *write_second(apr_pool_t *pool, const cat_registry_t *registry, int by, const char *const *record)
{
    if (by < CAT_PRODUCT_FIELDS) {
        return record[by] ? write_number(pool, record[by]) : "";
    }
    return cat_own_keys_key(pool, registry->fields, by, record[by]);
}

const char *cat_own_keys_pair_second(apr_pool_t *pool, const char *bits)
{
    apr_int64_t key = apr_atoi64(bits);

    return key < 0 ? "" : write_order(pool, (apr_uint64_t)key | APR_UINT64_C(1) << 63);
}

/* A product without the first value is in no such list. */
static void add_pair_row(const collector_t *c, int pair, const char *text)
{
    const cat_registry_t *registry = c->registry;
    int by = cat_own_fields_find(registry->fields, registry->fields->own[pair]->by);
    row_t *row;

    if (!text || by == registry->fields->count) {
        return;
    }
    row = push_row(c, pair, NULL);
    row->values[1] = apr_pstrcat(c->rows->pool, cat_own_keys_pair_begin(c->pool, registry, pair, text),
                                 write_second(c->pool, registry, by, c->record), NULL);
    row->values[3] = apr_pstrdup(c->rows->pool, cat_own_keys_pair_value(c->pool, registry, pair, text));
}

int cat_own_keys_is_of_pair(const cat_registry_t *registry, int pair, int field)
{
    const cat_own_field_t *own = registry->fields->own[pair];
    const char *name = registry->fields->all[field].name;

    return own->of && (!strcmp(own->of, name) || !strcmp(own->by, name));
}

/* Of a list each text has a row. */
static void collect_field(const collector_t *c, int field)
{
    const cat_fields_t *fields = c->registry->fields;
    const char *first = fields->own[field]->of, *text, *why;
    int values = first ? cat_registry_find(c->registry, first) : field;
    void (*add)(const collector_t *, int, const char *) = first ? add_pair_row : add_row;
    size_t i;
    json_t *element;

    if (values == fields->count) {
        return;
    }
    text = c->record[values];
    if (fields->all[values].kind != CAT_LIST) {
        add(c, field, text);
        return;
    }
    json_array_foreach (text ? cat_json_parse(c->pool, text, strlen(text), &why) : NULL, i, element) {
        add(c, field, json_string_value(element));
    }
}

static int is_changed(const cat_registry_t *registry, int field, const char *const *was, const char *const *is)
{
    const cat_own_field_t *own = registry->fields->own[field];
    int of, by;

    if (!own->of) {
        return !cat_text_is_same(was[field], is[field]);
    }
    of = cat_registry_find(registry, own->of);
    by = cat_own_fields_find(registry->fields, own->by);
    return of < registry->fields->count && by < registry->fields->count &&
           !(cat_text_is_same(was[of], is[of]) && cat_text_is_same(was[by], is[by]));
}

static int is_indexed(const cat_registry_t *registry, int field)
{
    return (registry->fields->all[field].flags & CAT_INDEXED) != 0;
}

void cat_own_keys_collect(apr_pool_t *pool, apr_array_header_t *rows, const cat_registry_t *registry,
                          const char *const *product)
{
    const collector_t c = begin_product(pool, rows, registry, product);

    for (int i = CAT_PRODUCT_FIELDS; i < registry->fields->count; i++) {
        if (is_indexed(registry, i)) {
            collect_field(&c, i);
        }
    }
}

static int compare_rows(const void *one, const void *other)
{
    const row_t *a = one, *b = other;
    int order = strcmp(a->values[0], b->values[0]);

    order = order ? order : strcmp(a->values[1], b->values[1]);
    return order ? order : strcmp(a->values[2], b->values[2]);
}

/* ---- comparing ---- */

static int has_key(const apr_array_header_t *keys, const row_t *row)
{
    for (int i = 0; i < keys->nelts; i++) {
        const cat_own_key_t *key = &APR_ARRAY_IDX(keys, i, cat_own_key_t);
        if (!strcmp(key->key, row->values[1]) && cat_text_is_same(key->value, row->values[3]) &&
            key->is_counted == row->is_counted) {
            return 1;
        }
    }
    return 0;
}

/* Of a list that has a text twice there is one row. */
static int count_keys(const apr_array_header_t *rows)
{
    const row_t *at = (const row_t *)rows->elts;
    int count = 0;

    for (int i = 0; i < rows->nelts; i++) {
        count += i == 0 || strcmp(at[i].values[1], at[i - 1].values[1]) != 0;
    }
    return count;
}

int cat_own_keys_match(apr_pool_t *pool, const cat_registry_t *registry, int field, const char *const *product,
                       const apr_array_header_t *keys)
{
    apr_array_header_t *rows = cat_own_keys_begin(pool);
    const collector_t c = begin_product(pool, rows, registry, product);

    collect_field(&c, field);
    qsort(rows->elts, (size_t)rows->nelts, sizeof(row_t), compare_rows);
    for (int i = 0; i < rows->nelts; i++) {
        if (!keys || !has_key(keys, &APR_ARRAY_IDX(rows, i, row_t))) {
            return 0;
        }
    }
    return count_keys(rows) == (keys ? keys->nelts : 0);
}

/* ---- keys and counts of values together ---- */

/* What is deleted and inserted in a transaction. */
typedef struct change_t {
    cat_db_t *db;
    const cat_registry_t *registry;
    apr_array_header_t *numbers; /* const char *: of fields whose rows are deleted */
    apr_array_header_t *counts;  /* cat_value_change_t */
} change_t;

static change_t begin_change(cat_db_t *db, const cat_registry_t *registry)
{
    return (change_t){db, registry, apr_array_make(db->pool, 8, sizeof(const char *)),
                      apr_array_make(db->pool, 8, sizeof(cat_value_change_t))};
}

/* In their order neighbours are on the same page of the database. */
static apr_status_t insert_keys(change_t *c, const apr_array_header_t *rows)
{
    const row_t *row = (const row_t *)rows->elts;
    const char *values[ROW * AT_ONCE];
    apr_status_t rv = APR_SUCCESS;

    qsort(rows->elts, (size_t)rows->nelts, sizeof(*row), compare_rows);
    for (int done = 0, count; done < rows->nelts && rv == APR_SUCCESS; done += count) {
        for (count = 0; count < AT_ONCE && done + count < rows->nelts; count++, row++) {
            memcpy(values + count * ROW, row->values, sizeof(row->values));
            if (row->is_counted) {
                cat_value_counts_add(c->counts, row->registry, row->field, row->values[3], 1);
            }
        }
        rv = cat_db_insert_rows(c->db, &(cat_rows_t){SQL_KEYS_INSERT, values, ROW, count, 0});
    }
    return rv;
}

apr_status_t cat_own_keys_insert(cat_db_t *db, apr_array_header_t *rows)
{
    change_t c = begin_change(db, NULL);
    apr_status_t rv = insert_keys(&c, rows);

    return rv == APR_SUCCESS ? cat_value_counts_write(db, c.counts) : rv;
}

static apr_status_t take_counted(void *baton, const char *const *values, int)
{
    change_t *c = baton;
    int field = cat_registry_find_number(c->registry, values[0]);

    if (field < c->registry->fields->count) {
        cat_value_counts_add(c->counts, c->registry, field, values[1], -1);
    }
    return APR_SUCCESS;
}

/* Deletes the keys of the fields of a product. Field 0, in the places that are left, has none. */
static apr_status_t delete_keys(change_t *c, const char *n)
{
    apr_status_t rv = APR_SUCCESS;

    for (int done = 0; done < c->numbers->nelts && rv == APR_SUCCESS; done += DELETED) {
        const char *values[1 + DELETED] = {n};
        for (int i = 0; i < DELETED; i++) {
            values[1 + i] = done + i < c->numbers->nelts ? APR_ARRAY_IDX(c->numbers, done + i, const char *) : "0";
        }
        if (c->registry->has_facets) {
            rv = cat_db_each(c->db, SQL_KEYS_COUNTED, values, 1 + DELETED, take_counted, c);
        }
        rv = rv == APR_SUCCESS ? cat_db_exec(c->db, SQL_KEYS_DELETE, values, 1 + DELETED, NULL) : rv;
    }
    return rv;
}

static apr_status_t delete_indexed(cat_db_t *db, const cat_registry_t *registry, const char *n)
{
    change_t c = begin_change(db, registry);
    apr_status_t rv;

    for (int i = CAT_PRODUCT_FIELDS; i < registry->fields->count; i++) {
        if (is_indexed(registry, i)) {
            APR_ARRAY_PUSH(c.numbers, const char *) = registry->numbers[i];
        }
    }
    rv = delete_keys(&c, n);
    return rv == APR_SUCCESS ? cat_value_counts_write(db, c.counts) : rv;
}

static cat_waiting_value_t *find_waiting(const cat_db_t *db, const char *number, const char *id)
{
    return db->waiting && apr_hash_count(db->waiting->by_owner)
               ? apr_hash_get(db->waiting->by_owner, apr_pstrcat(db->pool, number, " ", id, NULL), APR_HASH_KEY_STRING)
               : NULL;
}

int cat_own_keys_is_waiting(const cat_db_t *db, const char *number, const char *id)
{
    return find_waiting(db, number, id) != NULL;
}

static void give_up_waiting(const cat_db_t *db, const char *number, const char *id)
{
    cat_waiting_value_t *value = find_waiting(db, number, id);

    if (value) {
        value->is_over = 1;
        apr_hash_set(db->waiting->by_owner, apr_pstrcat(db->pool, number, " ", id, NULL), APR_HASH_KEY_STRING, NULL);
    }
}

apr_status_t cat_own_keys_delete(cat_db_t *db, const cat_registry_t *registry, const char *n, const char *id)
{
    apr_status_t rv = delete_indexed(db, registry, n);

    for (int i = CAT_PRODUCT_FIELDS; id && i < registry->fields->count; i++) {
        give_up_waiting(db, registry->numbers[i], id);
    }
    return rv == APR_SUCCESS && registry->has_unique ? cat_db_exec(db, SQL_UNIQUE_DELETE_ALL, CAT_VALUES(n), NULL) : rv;
}

apr_status_t cat_own_keys_change(cat_db_t *db, const cat_registry_t *registry, const char *const *before,
                                 const char *const *after)
{
    const char *const *was = cat_product_read(db->pool, registry->fields, before);
    apr_array_header_t *rows = cat_own_keys_begin(db->pool);
    const collector_t is = begin_product(db->pool, rows, registry, after);
    change_t c = begin_change(db, registry);
    apr_status_t rv;

    for (int i = CAT_PRODUCT_FIELDS; i < registry->fields->count; i++) {
        if (is_indexed(registry, i) && is_changed(registry, i, was, is.record)) {
            APR_ARRAY_PUSH(c.numbers, const char *) = registry->numbers[i];
            collect_field(&is, i);
        }
    }
    rv = delete_keys(&c, is.n);
    rv = rv == APR_SUCCESS ? insert_keys(&c, rows) : rv;
    return rv == APR_SUCCESS ? cat_value_counts_write(db, c.counts) : rv;
}

/* ---- unique values ---- */

/* sql: SQL_UNIQUE_GET, for the number of the product that has the value, or SQL_UNIQUE_FIND, for its id. */
static apr_status_t find_owner(cat_db_t *db, cat_sql_t sql, const char *number, const char *text, const char **owner)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, sql, CAT_VALUES(number, cat_own_keys_unique(db->pool, text)), &row);

    *owner = rv == APR_SUCCESS ? row[0] : NULL;
    return rv;
}

/* The product may have taken the value before (catalogue/product/own_slug.c). */
static apr_status_t take_value(cat_db_t *db, const char *number, const char *text, const char *id)
{
    const char *owner, *n = cat_id_number_text(db->pool, id);
    int taken;
    apr_status_t rv =
        cat_db_exec(db, SQL_UNIQUE_INSERT, CAT_VALUES(number, cat_own_keys_unique(db->pool, text), n), &taken);

    if (rv != APR_SUCCESS || taken) {
        return rv;
    }
    rv = find_owner(db, SQL_UNIQUE_GET, number, text, &owner);
    if (rv != APR_SUCCESS && rv != APR_NOTFOUND) {
        return rv;
    }
    if (rv == APR_SUCCESS && !strcmp(owner, n)) {
        return APR_SUCCESS;
    }
    db->taken = number;
    return APR_EEXIST;
}

apr_status_t cat_own_keys_take(cat_db_t *db, const cat_registry_t *registry, int field, const char *text,
                               const char *id)
{
    return registry->is_claimed[field] ? take_value(db, registry->numbers[field], text, id) : CAT_EFILLING;
}

apr_status_t cat_own_keys_claim(cat_db_t *db, const cat_registry_t *registry, int field, const char *const *product)
{
    const char *text = cat_product_read(db->pool, registry->fields, product)[field];

    return text ? take_value(db, registry->numbers[field], text, product[CAT_PRODUCT_ID]) : APR_SUCCESS;
}

/* A product that shares its value with another one, as the log says (CAT089), can get another value at any time, because the field is not
 * complete before. was: the record as it was; NULL: the product is new. */
static apr_status_t look_at_value(cat_db_t *db, const cat_registry_t *registry, int field, const char *const *was,
                                  int *is_shared)
{
    *is_shared = 0;
    return was && was[field] && !registry->is_claimed[field]
               ? cat_own_keys_find_other(db, registry->numbers[field], was[field], was[CAT_PRODUCT_ID], is_shared)
               : APR_SUCCESS;
}

/* ---- values that wait ---- */

void cat_own_keys_wait(cat_db_t *db, apr_pool_t *pool)
{
    db->waiting = apr_palloc(pool, sizeof(*db->waiting));
    *db->waiting =
        (cat_waiting_t){pool, apr_array_make(pool, 0, sizeof(cat_waiting_value_t *)), apr_hash_make(pool), 0};
}

static void wait_for_value(const cat_db_t *db, const char *number, const char *text, const char *id)
{
    const cat_waiting_t *w = db->waiting;
    cat_waiting_value_t *value = apr_palloc(w->pool, sizeof(*value));

    *value =
        (cat_waiting_value_t){apr_pstrdup(w->pool, number), apr_pstrdup(w->pool, cat_own_keys_unique(db->pool, text)),
                              apr_pstrdup(w->pool, id), w->writer, 0};
    APR_ARRAY_PUSH(w->values, cat_waiting_value_t *) = value;
    apr_hash_set(w->by_owner, apr_pstrcat(w->pool, number, " ", id, NULL), APR_HASH_KEY_STRING, value);
}

apr_status_t cat_own_keys_take_waiting(cat_db_t *db, apr_array_header_t *refused)
{
    const apr_array_header_t *values = db->waiting->values;
    apr_status_t rv = APR_SUCCESS;

    db->waiting = NULL;
    for (int i = 0; i < values->nelts && rv == APR_SUCCESS; i++) {
        const cat_waiting_value_t *value = APR_ARRAY_IDX(values, i, cat_waiting_value_t *);
        rv = value->is_over ? APR_SUCCESS : take_value(db, value->number, value->value, value->id);
        if (rv == APR_EEXIST) {
            APR_ARRAY_PUSH(refused, cat_waiting_value_t) = *value;
            rv = APR_SUCCESS;
        }
    }
    return rv == APR_SUCCESS && refused->nelts ? APR_EEXIST : rv;
}

/* ---- values that change ---- */

static apr_status_t change_value(cat_db_t *db, const cat_registry_t *registry, int field, const char *const *was,
                                 const char *const *is)
{
    const char *id = is[CAT_PRODUCT_ID], *number = registry->numbers[field];
    int is_shared;
    apr_status_t rv = look_at_value(db, registry, field, was, &is_shared);

    give_up_waiting(db, number, id);
    if (rv == APR_SUCCESS && was && was[field]) {
        rv = cat_db_exec(db, SQL_UNIQUE_DELETE, CAT_VALUES(cat_id_number_text(db->pool, id), number), NULL);
    }
    if (rv != APR_SUCCESS || !is[field]) {
        return rv;
    }
    rv = is_shared ? take_value(db, number, is[field], id) : cat_own_keys_take(db, registry, field, is[field], id);
    if (rv == APR_EEXIST && db->waiting) {
        wait_for_value(db, number, is[field], id);
        return APR_SUCCESS;
    }
    return rv;
}

/* Would change_value refuse the value? It changes nothing. */
static apr_status_t check_value(cat_db_t *db, const cat_registry_t *registry, int field, const char *const *was,
                                const char *const *is)
{
    const char *number = registry->numbers[field];
    int is_shared, is_taken = 0;
    apr_status_t rv = look_at_value(db, registry, field, was, &is_shared);

    if (rv != APR_SUCCESS || !is[field]) {
        return rv;
    }
    if (!registry->is_claimed[field] && !is_shared) {
        return CAT_EFILLING;
    }
    rv = cat_own_keys_find_other(db, number, is[field], is[CAT_PRODUCT_ID], &is_taken);
    if (rv != APR_SUCCESS || !is_taken) {
        return rv;
    }
    db->taken = number;
    return APR_EEXIST;
}

typedef apr_status_t value_step_t(cat_db_t *db, const cat_registry_t *registry, int field, const char *const *was,
                                  const char *const *is);

/* For each unique value that changes. */
static apr_status_t reclaim_each(cat_db_t *db, const cat_registry_t *registry, const char *const *was,
                                 const char *const *is, value_step_t *step)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = CAT_PRODUCT_FIELDS; i < registry->fields->count && rv == APR_SUCCESS; i++) {
        if (registry->fields->all[i].flags & CAT_UNIQUE && !cat_text_is_same(was ? was[i] : NULL, is[i])) {
            rv = step(db, registry, i, was, is);
        }
    }
    return rv;
}

/* Where there is one writer at a time, a product is refused before anything is changed, see cat_db_transact_at_once. */
apr_status_t cat_own_keys_reclaim(cat_db_t *db, const cat_registry_t *registry, const char *const *before,
                                  const char *const *after)
{
    const char *const *is = cat_product_read(db->pool, registry->fields, after);
    const char *const *was = before ? cat_product_read(db->pool, registry->fields, before) : NULL;
    apr_status_t rv;

    db->taken = NULL;
    rv = cat_db_has_one_writer(db) && !db->waiting ? reclaim_each(db, registry, was, is, check_value) : APR_SUCCESS;
    return rv == APR_SUCCESS ? reclaim_each(db, registry, was, is, change_value) : rv;
}

/* The values of a row of product_unique. */
typedef struct claim_t {
    const char *number, *value, *n;
} claim_t;

static void list_claims(apr_array_header_t *claims, const cat_registry_t *registry, const char *const *product)
{
    const char *const *record = cat_product_read(claims->pool, registry->fields, product);
    const char *n = cat_id_number_text(claims->pool, record[CAT_PRODUCT_ID]);

    for (int i = CAT_PRODUCT_FIELDS; i < registry->fields->count; i++) {
        if (registry->fields->all[i].flags & CAT_UNIQUE && record[i]) {
            APR_ARRAY_PUSH(claims, claim_t) =
                (claim_t){registry->numbers[i], cat_own_keys_unique(claims->pool, record[i]), n};
        }
    }
}

static int compare_claims(const void *one, const void *other)
{
    const claim_t *a = one, *b = other;
    int order = strcmp(a->number, b->number);

    return order ? order : strcmp(a->value, b->value);
}

/* In an order of their values, so that writers who claim the same ones wait for each other without a deadlock. */
static apr_status_t insert_claims(cat_db_t *db, const apr_array_header_t *claims, int *inserted)
{
    cat_rows_t rows = {SQL_UNIQUE_INSERT, (const char *const *)claims->elts, 3, claims->nelts, 0};
    apr_status_t rv;

    qsort(claims->elts, (size_t)claims->nelts, sizeof(claim_t), compare_claims);
    rv = cat_db_insert_rows(db, &rows);
    *inserted = rows.inserted;
    return rv;
}

int cat_own_keys_are_claimed(const cat_registry_t *registry)
{
    int i = CAT_PRODUCT_FIELDS;

    while (i < registry->fields->count && (!(registry->fields->all[i].flags & CAT_UNIQUE) || registry->is_claimed[i])) {
        i++;
    }
    return i == registry->fields->count;
}

/* All in few statements; if somebody has one of the values, one by one, to find out of which product. */
apr_status_t cat_own_keys_claim_all(cat_db_t *db, const cat_registry_t *registry, const char *const *const *products,
                                    int count, int *claimed)
{
    apr_array_header_t *claims = apr_array_make(db->pool, count, sizeof(claim_t));
    apr_status_t rv = APR_SUCCESS;
    int inserted;

    db->taken = NULL;
    *claimed = 0;
    if (count > 1 && cat_own_keys_are_claimed(registry)) {
        for (int i = 0; i < count; i++) {
            list_claims(claims, registry, products[i]);
        }
        rv = insert_claims(db, claims, &inserted);
        *claimed = inserted == claims->nelts ? count : 0;
    }
    while (rv == APR_SUCCESS && *claimed < count) {
        rv = cat_own_keys_reclaim(db, registry, NULL, products[*claimed]);
        *claimed += rv == APR_SUCCESS;
        if (db->waiting) {
            db->waiting->writer++;
        }
    }
    return rv;
}

apr_status_t cat_own_keys_renew(cat_db_t *db, const cat_registry_t *registry, int field, const char *const *product,
                                int has_keys, apr_array_header_t *rows)
{
    const collector_t is = begin_product(db->pool, rows, registry, product);
    const char *id = product[CAT_PRODUCT_ID], *number = registry->numbers[field], *text = is.record[field];
    change_t c = begin_change(db, registry);
    apr_status_t rv = APR_SUCCESS, taken = APR_SUCCESS;

    APR_ARRAY_PUSH(c.numbers, const char *) = number;
    for (int i = CAT_PRODUCT_FIELDS; i < registry->fields->count; i++) {
        if (cat_own_keys_is_of_pair(registry, i, field)) {
            APR_ARRAY_PUSH(c.numbers, const char *) = registry->numbers[i];
        }
    }
    if (has_keys) {
        rv = delete_keys(&c, is.n);
        rv = rv == APR_SUCCESS ? cat_value_counts_write(db, c.counts) : rv;
    }
    if (rv == APR_SUCCESS && registry->fields->all[field].flags & CAT_UNIQUE) {
        rv = cat_db_exec(db, SQL_UNIQUE_DELETE, CAT_VALUES(cat_id_number_text(db->pool, id), number), NULL);
        rv = rv == APR_SUCCESS && text ? take_value(db, number, text, id) : rv;
        taken = rv == APR_EEXIST ? rv : APR_SUCCESS;
        rv = taken ? APR_SUCCESS : rv;
    }
    for (int i = CAT_PRODUCT_FIELDS; i < registry->fields->count && rv == APR_SUCCESS; i++) {
        if (is_indexed(registry, i) && (i == field || cat_own_keys_is_of_pair(registry, i, field))) {
            collect_field(&is, i);
        }
    }
    return rv == APR_SUCCESS ? taken : rv;
}

apr_status_t cat_own_keys_find(cat_db_t *db, const char *number, const char *text, const char **id)
{
    return find_owner(db, SQL_UNIQUE_FIND, number, text, id);
}

apr_status_t cat_own_keys_find_other(cat_db_t *db, const char *number, const char *text, const char *id, int *is_there)
{
    const char *owner;
    apr_status_t rv = find_owner(db, SQL_UNIQUE_GET, number, text, &owner);

    *is_there = rv == APR_SUCCESS && (!id || strcmp(owner, cat_id_number_text(db->pool, id)) != 0);
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

typedef struct finding_t {
    apr_pool_t *pool;
    const char *values[CAT_OWN_KEYS_FOUND]; /* as the table has them; NULL: none */
    int count;
    const char **ids;
} finding_t;

static apr_status_t keep_owner(void *baton, const char *const *row, int)
{
    finding_t *f = baton;

    for (int i = 0; i < f->count; i++) {
        if (f->values[i] && row[1] && !strcmp(f->values[i], row[0])) {
            f->ids[i] = apr_pstrdup(f->pool, row[1]);
        }
    }
    return APR_SUCCESS;
}

/* The places that are left repeat a value. */
apr_status_t cat_own_keys_find_many(cat_db_t *db, const char *number, const char *const *texts, int count,
                                    const char **ids)
{
    finding_t f = {.pool = db->pool, .count = count, .ids = ids};
    const char *values[1 + CAT_OWN_KEYS_FOUND] = {number};
    int wanted = 0;

    for (int i = 0; i < count; i++) {
        ids[i] = NULL;
        f.values[i] = texts[i] ? cat_own_keys_unique(db->pool, texts[i]) : NULL;
        if (texts[i]) {
            values[++wanted] = f.values[i];
        }
    }
    if (wanted == 0) {
        return APR_SUCCESS;
    }
    for (int i = wanted + 1; i <= CAT_OWN_KEYS_FOUND; i++) {
        values[i] = values[1];
    }
    return cat_db_each(db, SQL_UNIQUE_FIND_100, values, 1 + CAT_OWN_KEYS_FOUND, keep_owner, &f);
}
