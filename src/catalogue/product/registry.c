/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and fills the table catalog_fields.
 *
 *     number  name    definition                       complete  counted
 *     1       sku     string index unique              1         1
 *     2       color   choice values="red|blue" facet   0         0     its keys are being filled in
 *
 * A definition is what decides the keys of a field, in the words of CatalogField, so the same reader makes a field table of the rows. It
 * only ever gets more options: servers with different lines would otherwise change it in turn, and fill in the keys again and again.
 * A server reads the table once a second at most. A field that it does not know yet is added before the first write or list that needs
 * the table; if there are products, the job (catalogue/product/key_filler.h) gives them its keys.
 *
 * What was read is kept for the life of the process, as threads may use it for as long as they like. It changes with the configuration
 * and when a field is complete, so there are few of them.
 */
#include "catalogue/product/registry.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/list_key.h"
#include "catalogue/product/product.h"
#include "lib/buffer.h"
#include "lib/list_text.h"

#define AGE apr_time_from_sec(1)
#define ADDITIONS 5 /* tries to add fields, while others do */
#define NOTICE_INTERVAL apr_time_from_sec(60)
#define KEPT (CAT_INDEXED | CAT_UNIQUE | CAT_SEARCHED | CAT_FACET)

/* ---- reading ---- */

typedef struct reading_t {
    apr_pool_t *pool;
    apr_array_header_t *rows; /* const char *: number, name, definition, complete, counted of each */
    cat_buffer_t text;
} reading_t;

enum { NUMBER, NAME, DEFINITION, COMPLETE, COUNTED, COLUMNS };

static apr_status_t keep_row(void *baton, const char *const *values, int count)
{
    reading_t *r = baton;

    for (int i = 0; i < count; i++) {
        APR_ARRAY_PUSH(r->rows, const char *) = apr_pstrdup(r->pool, values[i]);
        cat_buffer_add_text(&r->text, values[i]);
        cat_buffer_add_text(&r->text, "\n");
    }
    return APR_SUCCESS;
}

static apr_status_t read_table(cat_db_t *db, reading_t *r)
{
    *r = (reading_t){.pool = db->pool, .rows = apr_array_make(db->pool, 4 * COLUMNS, sizeof(const char *))};
    cat_buffer_init(&r->text, db->pool, 256);
    return cat_db_each(db, SQL_FIELDS_LIST, CAT_NO_VALUES, keep_row, r);
}

static const char *const *row_of(const reading_t *r, int i)
{
    return (const char *const *)r->rows->elts + i * COLUMNS;
}

static void note_flags(cat_registry_t *registry, int flags)
{
    registry->has_keys |= (flags & CAT_INDEXED) != 0;
    registry->has_unique |= (flags & CAT_UNIQUE) != 0;
    registry->has_words |= (flags & CAT_SEARCHED) != 0;
    registry->has_facets |= (flags & CAT_FACET) != 0;
}

/* Without fields; the caller fills in what belongs to so many of them. */
static cat_registry_t *make_empty(const char *text, int count)
{
    apr_size_t places = CAT_PRODUCT_FIELDS + (apr_size_t)count;
    cat_registry_t *registry;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    registry = apr_pcalloc(pool, sizeof(*registry));
    registry->pool = pool;
    registry->made = apr_time_now();
    registry->refused = apr_pcalloc(pool, sizeof(*registry->refused));
    registry->fields = &cat_product_built_in;
    registry->numbers = apr_pcalloc(pool, places * sizeof(*registry->numbers));
    registry->is_complete = apr_pcalloc(pool, places);
    registry->is_counted = apr_pcalloc(pool, places);
    registry->text = apr_pstrdup(pool, text);
    return registry;
}

/* NULL, or what this version does not understand of the row. */
static const char *add_row(cat_registry_t *registry, const char *const *row)
{
    int field = registry->fields->count;
    const char *line = apr_pstrcat(registry->pool, row[NAME], " ", row[DEFINITION], NULL);
    const char *fault = cat_own_fields_add(registry->pool, field > CAT_PRODUCT_FIELDS ? registry->fields : NULL, line,
                                           &registry->fields);

    if (fault) {
        return apr_pstrcat(registry->pool, line, ": ", fault, NULL);
    }
    registry->numbers[field] = apr_pstrdup(registry->pool, row[NUMBER]);
    registry->is_complete[field] = *row[COMPLETE] == '1';
    registry->is_counted[field] = *row[COUNTED] == '1' && registry->fields->all[field].flags & CAT_FACET;
    note_flags(registry, registry->fields->all[field].flags);
    return NULL;
}

/* CAT_ENOTREADY: a later version has written a definition that this one does not understand. */
static apr_status_t make_registry(const cat_db_t *db, reading_t *r, const cat_registry_t **made)
{
    int count = r->rows->nelts / COLUMNS;
    cat_registry_t *registry = make_empty(cat_buffer_text(&r->text), count);
    const char *fault = NULL;

    for (int i = 0; i < count && !fault; i++) {
        fault = add_row(registry, row_of(r, i));
    }
    if (fault) {
        cat_log(db->log, CAT_LOG_ERROR, 0,
                "CAT087: %s: the table catalog_fields has a field that this version does not understand: %s",
                cat_db_name(db), fault);
        apr_pool_destroy(registry->pool);
        return CAT_ENOTREADY;
    }
    *made = registry;
    return APR_SUCCESS;
}

int cat_registry_find(const cat_registry_t *registry, const char *name)
{
    int i = CAT_PRODUCT_FIELDS;

    while (i < registry->fields->count && strcmp(registry->fields->all[i].name, name) != 0) {
        i++;
    }
    return i;
}

int cat_registry_find_field(const cat_registry_t *registry, const cat_fields_t *fields, int field)
{
    return cat_registry_find(registry, fields->all[field].name);
}

int cat_registry_find_number(const cat_registry_t *registry, const char *number)
{
    int i = CAT_PRODUCT_FIELDS;

    while (i < registry->fields->count && strcmp(registry->numbers[i], number) != 0) {
        i++;
    }
    return i;
}

int cat_registry_has_counts(const cat_registry_t *registry, int field)
{
    return field < registry->fields->count && registry->is_complete[field] && registry->is_counted[field];
}

/* ---- adding the fields of the mount ---- */

static void add_values(cat_buffer_t *b, const char *const *values)
{
    cat_buffer_t list;

    cat_buffer_init(&list, b->pool, 64);
    for (int i = 0; values[i]; i++) {
        cat_buffer_add_text(&list, i ? "|" : "");
        cat_list_text_add(&list, values[i], '|');
    }
    CAT_BUFFER_LITERAL(b, " values=\"");
    for (const char *at = cat_buffer_text(&list); *at; at++) {
        cat_buffer_add_text(b, *at == '"' || *at == '\\' ? "\\" : "");
        cat_buffer_add(b, at, 1);
    }
    CAT_BUFFER_LITERAL(b, "\"");
}

static const char *write_definition(apr_pool_t *pool, const cat_own_field_t *own, int flags)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    cat_buffer_add_text(&b, own->type);
    if (own->values) {
        add_values(&b, own->values);
    }
    cat_buffer_add_text(&b, flags & CAT_INDEXED && !(flags & (CAT_UNIQUE | CAT_FACET)) ? " index" : "");
    cat_buffer_add_text(&b, flags & CAT_UNIQUE ? " unique" : "");
    cat_buffer_add_text(&b, flags & CAT_SEARCHED ? " search" : "");
    cat_buffer_add_text(&b, flags & CAT_FACET ? " facet" : "");
    return cat_buffer_text(&b);
}

static int has_values(const char *const *all, const char *const *some)
{
    for (; some && *some; some++) {
        const char *const *one = all;
        while (*one && strcmp(*one, *some) != 0) {
            one++;
        }
        if (!*one) {
            return 0;
        }
    }
    return 1;
}

/* Has the database what the line says of the keys, perhaps with more options and values? */
static int covers_line(const cat_registry_t *registry, int known, const cat_fields_t *fields, int i)
{
    const char *const *values = fields->own[i]->values;
    int wanted = fields->all[i].flags & KEPT, there = registry->fields->all[known].flags & KEPT;

    return !(wanted & ~there) && (!values || has_values(registry->fields->own[known]->values, values));
}

/* Once a minute. */
static apr_status_t refuse_field(const cat_db_t *db, const cat_registry_t *registry, int known)
{
    const char *name = registry->fields->all[known].name, *type = registry->fields->own[known]->type;
    apr_time_t now = apr_time_now(), last = atomic_load(registry->refused);

    if (last && now - last < NOTICE_INTERVAL && now >= last) {
        return CAT_ENOTREADY;
    }
    atomic_store(registry->refused, now);
    cat_log(db->log, CAT_LOG_ERROR, 0,
            "CAT088: %s: the database has the field %s with the type %s; write: CatalogField %s %s", cat_db_name(db),
            name, type, name, type);
    return CAT_ENOTREADY;
}

typedef struct addition_t {
    cat_db_t *db;
    const cat_registry_t *registry;
    int added; /* how many were added or changed */
} addition_t;

/* An empty catalogue has all keys that there can be. */
static apr_status_t read_is_complete(cat_db_t *db, const char **complete)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_PRODUCT_LIST_AFTER, CAT_VALUES(CAT_LIST_KEY_MAX.created_at, "", "1"), &row);

    *complete = rv == APR_NOTFOUND ? "1" : "0";
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

/* Those of the line, then those that only the database has; ends with NULL. */
static const char *const *join_values(apr_pool_t *pool, const char *const *values, const char *const *known)
{
    apr_array_header_t *all = apr_array_make(pool, 8, sizeof(const char *));

    for (; *values; values++) {
        APR_ARRAY_PUSH(all, const char *) = *values;
    }
    APR_ARRAY_PUSH(all, const char *) = NULL;
    for (; *known; known++) {
        if (!has_values((const char *const *)all->elts, (const char *const[]){*known, NULL})) {
            APR_ARRAY_IDX(all, all->nelts - 1, const char *) = *known;
            APR_ARRAY_PUSH(all, const char *) = NULL;
        }
    }
    return (const char *const *)all->elts;
}

static apr_status_t change_field(const addition_t *a, int known, const cat_fields_t *fields, int i,
                                 const char *complete)
{
    int flags = (fields->all[i].flags | a->registry->fields->all[known].flags) & KEPT;
    cat_own_field_t both = *fields->own[i];

    both.values = both.values ? join_values(a->db->pool, both.values, a->registry->fields->own[known]->values) : NULL;
    return cat_db_exec(a->db, SQL_FIELDS_CHANGE,
                       CAT_VALUES(write_definition(a->db->pool, &both, flags), complete,
                                  a->registry->is_counted[known] ? "1" : complete, CAT_LIST_KEY_MAX.created_at,
                                  CAT_LIST_KEY_MAX.id, a->registry->numbers[known]),
                       NULL);
}

apr_status_t cat_registry_retire(cat_db_t *db, const cat_registry_t *registry, int field)
{
    return cat_db_exec(db, SQL_FIELDS_CHANGE,
                       CAT_VALUES(write_definition(db->pool, registry->fields->own[field], 0), "1", "0",
                                  CAT_LIST_KEY_MAX.created_at, CAT_LIST_KEY_MAX.id, registry->numbers[field]),
                       NULL);
}

/* Another server that adds a field at the same time takes the number or the name: then the next look at the table finds that. */
static apr_status_t add_field(const addition_t *a, const cat_fields_t *fields, int i, const char *complete)
{
    int last = a->registry->fields->count - 1;
    int number = a->added + 1 + (last >= CAT_PRODUCT_FIELDS ? atoi(a->registry->numbers[last]) : 0);

    return cat_db_insert(a->db, SQL_FIELDS_ADD,
                         CAT_VALUES(apr_itoa(a->db->pool, number), fields->all[i].name,
                                    write_definition(a->db->pool, fields->own[i], fields->all[i].flags), complete,
                                    complete, CAT_LIST_KEY_MAX.created_at, CAT_LIST_KEY_MAX.id));
}

static apr_status_t add_missing(void *baton)
{
    addition_t *a = baton;
    const cat_fields_t *fields = cat_product_fields_of(a->db->conf);
    const char *complete;
    apr_status_t rv = read_is_complete(a->db, &complete);

    a->added = 0;
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count && rv == APR_SUCCESS; i++) {
        int known = cat_registry_find(a->registry, fields->all[i].name);
        if (known == a->registry->fields->count) {
            rv = add_field(a, fields, i, complete);
            a->added++;
        } else if (!covers_line(a->registry, known, fields, i)) {
            rv = change_field(a, known, fields, i, complete);
        }
    }
    return rv;
}

/* *missing: whether the database lacks a field of the mount, or what its line says. Names differ by more than case, as everywhere. */
static apr_status_t compare_fields(const cat_db_t *db, const cat_registry_t *registry, int *missing)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);

    *missing = 0;
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        int known = cat_own_field_find(registry->fields, fields->all[i].name);
        int is_known = known < registry->fields->count;
        if (is_known && (strcmp(registry->fields->all[known].name, fields->all[i].name) != 0 ||
                         strcmp(registry->fields->own[known]->type, fields->own[i]->type) != 0)) {
            return refuse_field(db, registry, known);
        }
        *missing |= !is_known || !covers_line(registry, known, fields, i);
    }
    return APR_SUCCESS;
}

/* ---- all of it ---- */

static apr_status_t read_registry(cat_db_t *db, const cat_registry_t *before, const cat_registry_t **registry)
{
    reading_t r;
    apr_status_t rv = read_table(db, &r);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (before && !strcmp(before->text, cat_buffer_text(&r.text))) {
        *registry = before;
        return APR_SUCCESS;
    }
    return make_registry(db, &r, registry);
}

static apr_status_t add_fields(cat_db_t *db, const cat_registry_t **registry)
{
    addition_t a = {.db = db, .registry = *registry};
    apr_status_t rv = cat_db_in_transaction(db) ? add_missing(&a) : cat_db_transact(db, add_missing, &a);

    return rv == APR_SUCCESS || rv == APR_EEXIST ? read_registry(db, *registry, registry) : rv;
}

/* Within a transaction, what it has added may be rolled back, so that is not noted for others. */
apr_status_t cat_registry_get(cat_db_t *db, const cat_registry_t **registry)
{
    int is_within = cat_db_in_transaction(db), missing = 0;
    apr_status_t rv = APR_SUCCESS;
    apr_time_t since;
    const cat_registry_t *noted = *registry = cat_db_registry(db, &since);
    int is_old = !noted || apr_time_now() - since > AGE || apr_time_now() < since;

    if (is_old) {
        rv = read_registry(db, *registry, registry);
    }
    rv = rv == APR_SUCCESS ? compare_fields(db, *registry, &missing) : rv;
    for (int tries = 0; rv == APR_SUCCESS && missing; tries++) { /* others may add fields at the same time */
        rv = tries < ADDITIONS ? add_fields(db, registry) : CAT_EBUSY;
        rv = rv == APR_SUCCESS ? compare_fields(db, *registry, &missing) : rv;
    }
    if (!is_within && rv == APR_SUCCESS) {
        if (is_old || *registry != noted) { /* else it would never be old */
            cat_db_note_registry(db, *registry);
        }
    }
    if (!is_within) {
        cat_db_release(db);
    }
    return rv;
}
