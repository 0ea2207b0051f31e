/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the counts of the values of a field, by one of the two indexes of value_counts.
 *
 * Where there are delta rows, counts and order are not quite those of the table. The values that have some are few, as the maintenance
 * takes delta rows out each second. So these are read first, and added up. The list is then read without them, and what was added up is
 * put in its places:
 *
 *     table, by count      delta rows          list
 *     Acme   12            Bolt  +1            Acme   12
 *     Bolt    9      and   Cone  +1     are    Bolt   10
 *     Dart    4                                Dart    4
 *                                              Cone    1
 *
 * A page far behind is not read from the beginning. Of n values with delta rows, at most n others are above the page that the table has
 * below its place, or the other way: so the page is among the rows from n above its offset to n below its end. How many of the n are
 * above the first of these rows, in the table and in the list, says where in the list it is.
 *
 * The first values of several fields, as facets are, are read by one statement together with the delta rows: so many more than are wanted as
 * EXPECTED values with delta rows take. Only if there are more of those, the values are read again.
 */
#include "catalogue/search/value_list.h"

#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "catalogue/search/conditions.h"
#include "catalogue/search/select_text.h"

#define EXPECTED 8
#define NO_FIELD "0" /* fields are numbered from 1 on */

/* A value with its key, which an order by count does not need. */
typedef struct row_t {
    cat_value_count_t value; /* first */
    const char *key;
} row_t;

/* A value that has delta rows. */
typedef struct changed_t {
    row_t row;
    apr_int64_t before; /* its count in the table */
} changed_t;

typedef struct reading_t {
    cat_db_t *db;
    const cat_value_query_t *query;
    const char *number;
    apr_array_header_t *changed; /* changed_t */
    apr_hash_t *is_changed;      /* by value */
    apr_array_header_t *rows;    /* row_t */
    row_t top;                   /* the first row of the table that was read; key NULL: there was none */
    apr_int64_t first;           /* the place in the list of the first of rows */
    apr_int64_t total;
} reading_t;

static reading_t make_reading(cat_db_t *db, const cat_registry_t *registry, const cat_value_query_t *query)
{
    return (reading_t){.db = db,
                       .query = query,
                       .number = registry->numbers[query->field],
                       .changed = apr_array_make(db->pool, 0, sizeof(changed_t)),
                       .is_changed = apr_hash_make(db->pool),
                       .rows = apr_array_make(db->pool, 64, sizeof(row_t))};
}

/* ---- rows ---- */

/* The columns of rows, of the table and of delta rows: which field they are of, and what is to be added to the count. */
enum { OF_FIELD, OF_IS_DELTA, OF_VALUE, OF_COUNT, OF_KEY, OF_DELTA };

typedef struct readings_t {
    reading_t *all; /* each of another field */
    int count;
    apr_int64_t *products; /* how many there are, in a row of no field; NULL: that is not asked */
} readings_t;

/* A value may have several delta rows. */
static void keep_changed(const reading_t *r, const row_t *row, apr_int64_t delta)
{
    const char *place = apr_hash_get(r->is_changed, row->value.value, APR_HASH_KEY_STRING);
    changed_t *changed;

    if (strncmp(row->key, r->query->prefix, strlen(r->query->prefix)) != 0) {
        return;
    }
    if (!place) {
        place = apr_itoa(r->db->pool, r->changed->nelts);
        apr_hash_set(r->is_changed, row->value.value, APR_HASH_KEY_STRING, place);
        APR_ARRAY_PUSH(r->changed, changed_t) = (changed_t){*row, row->value.count};
    }
    changed = &APR_ARRAY_IDX(r->changed, atoi(place), changed_t);
    changed->row.value.count += delta;
}

static apr_status_t keep(void *baton, const char *const *values, int)
{
    const readings_t *readings = baton;
    reading_t *r = readings->all;
    apr_pool_t *pool = r->db->pool;
    row_t row;

    if (!strcmp(values[OF_FIELD], NO_FIELD)) {
        *readings->products = apr_atoi64(values[OF_COUNT]);
        return APR_SUCCESS;
    }
    while (strcmp(r->number, values[OF_FIELD]) != 0) {
        r++;
    }
    row =
        (row_t){{apr_pstrdup(pool, values[OF_VALUE]), apr_atoi64(values[OF_COUNT])}, apr_pstrdup(pool, values[OF_KEY])};
    if (*values[OF_IS_DELTA] == '1') {
        keep_changed(r, &row, apr_atoi64(values[OF_DELTA]));
        return APR_SUCCESS;
    }
    r->top = r->top.key ? r->top : row;
    APR_ARRAY_PUSH(r->rows, row_t) = row;
    return APR_SUCCESS;
}

/* ---- delta rows ---- */

static void add_deltas(cat_select_text_t *s, const readings_t *readings)
{
    cat_select_text_add(s,
                        "SELECT d.field, 1, d.value, COALESCE(c.n, 0), d.value_key, d.delta FROM value_deltas d"
                        " LEFT JOIN value_counts c ON c.field = d.field AND c.value_key = d.value_key"
                        " AND c.value = d.value WHERE d.field IN (",
                        NULL);
    for (int i = 0; i < readings->count; i++) {
        cat_select_text_add(s, i ? ", " : "", readings->all[i].number, NULL);
    }
    cat_select_text_add(s, ")", NULL);
}

static apr_status_t begin_reading(reading_t *r, cat_db_t *db, const cat_registry_t *registry,
                                  const cat_value_query_t *query)
{
    cat_select_text_t s;

    *r = make_reading(db, registry, query);
    if (cat_db_has_one_writer(db)) {
        return APR_SUCCESS;
    }
    cat_select_text_begin(&s, db);
    add_deltas(&s, &(readings_t){.all = r, .count = 1});
    return cat_select_text_run(&s, db, keep, &(readings_t){.all = r, .count = 1});
}

/* ---- the table ---- */

/* Without a prefix, the index is the order's: a database that does not know how many values there are might sort all of them. */
static void add_source(cat_select_text_t *s, const reading_t *r, int is_by_count)
{
    const char *prefix = r->query->prefix, *end = cat_conditions_end_of_prefix(s->text.pool, prefix);
    const cat_syntax_t *syntax = s->dialect->syntax;

    cat_select_text_add(s, " FROM value_counts", NULL);
    if (is_by_count && !*prefix && syntax->use_index) {
        cat_select_text_add(s, syntax->use_index, "value_counts_by_count", syntax->use_index_end, NULL);
    }
    cat_select_text_add(s, " WHERE field = ", NULL);
    cat_select_text_add_integer(s, r->number);
    if (*prefix) {
        cat_select_text_add(s, " AND value_key >= ", NULL);
        cat_select_text_add_value(s, prefix);
    }
    if (*prefix && end) {
        cat_select_text_add(s, " AND value_key < ", NULL);
        cat_select_text_add_value(s, end);
    }
}

static void add_order(cat_select_text_t *s, const cat_value_query_t *query)
{
    static const char *const orders[][2] = {
        [CAT_VALUES_BY_VALUE] = {"value_key, value", "value_key DESC, value DESC"},
        [CAT_VALUES_BY_COUNT] = {"n, value DESC", "n DESC, value"},
    };

    cat_select_text_add(s, " ORDER BY ", orders[query->order][query->descending != 0], NULL);
}

static apr_int64_t count_skipped(const reading_t *r)
{
    return r->query->offset > r->changed->nelts ? r->query->offset - r->changed->nelts : 0;
}

/* Enough rows that `changed` values with delta rows may be among them. One row more than the limit tells whether others follow. Where the order is
 * by count, nobody needs the keys, which that index lacks on PostgreSQL. */
static void add_rows(cat_select_text_t *s, const reading_t *r, int changed)
{
    int is_by_count = r->query->order == CAT_VALUES_BY_COUNT;

    cat_select_text_add(s, "SELECT field, 0 AS is_delta, value, n, ", is_by_count ? "''" : "value_key",
                        " AS value_key, 0 AS delta", NULL);
    add_source(s, r, is_by_count);
    add_order(s, r->query);
    cat_select_text_add(s, " LIMIT ", NULL);
    cat_select_text_add_value(s, apr_off_t_toa(r->db->pool, r->query->limit + 1 + 2 * changed));
}

static apr_status_t read_rows(reading_t *r)
{
    cat_select_text_t s;

    cat_select_text_begin(&s, r->db);
    add_rows(&s, r, r->changed->nelts);
    if (count_skipped(r)) {
        cat_select_text_add(&s, " OFFSET ", NULL);
        cat_select_text_add_value(&s, apr_off_t_toa(r->db->pool, count_skipped(r)));
    }
    return cat_select_text_run(&s, r->db, keep, &(readings_t){.all = r, .count = 1});
}

/* ---- both ---- */

static int by_value(const void *one, const void *other)
{
    const row_t *a = one, *b = other;
    int order = strcmp(a->key, b->key);

    return order ? order : strcmp(a->value.value, b->value.value);
}

static int by_value_descending(const void *one, const void *other)
{
    return by_value(other, one);
}

static int by_count_descending(const void *one, const void *other)
{
    const row_t *a = one, *b = other;

    return a->value.count != b->value.count ? (a->value.count < b->value.count ? 1 : -1)
                                            : strcmp(a->value.value, b->value.value);
}

static int by_count(const void *one, const void *other)
{
    return by_count_descending(other, one);
}

typedef int order_t(const void *one, const void *other);

static order_t *find_order(const cat_value_query_t *query)
{
    static order_t *const orders[][2] = {
        [CAT_VALUES_BY_VALUE] = {by_value, by_value_descending},
        [CAT_VALUES_BY_COUNT] = {by_count, by_count_descending},
    };

    return orders[query->order][query->descending != 0];
}

static void sort_rows(const cat_value_query_t *query, const apr_array_header_t *rows)
{
    qsort(rows->elts, (size_t)rows->nelts, sizeof(row_t), find_order(query));
}

/* How many of the values with delta rows the table has above the first row that was read. */
static apr_int64_t count_passed(const reading_t *r)
{
    apr_int64_t passed = 0;

    for (int i = 0; i < r->changed->nelts; i++) {
        const changed_t *changed = &APR_ARRAY_IDX(r->changed, i, changed_t);
        row_t before = changed->row;
        before.value.count = changed->before;
        passed += changed->before > 0 && find_order(r->query)(&before, &r->top) < 0;
    }
    return passed;
}

/* What the table has of the values with delta rows is not what the list has. */
static void drop_changed(const reading_t *r)
{
    int kept = 0;

    for (int i = 0; i < r->rows->nelts; i++) {
        row_t row = APR_ARRAY_IDX(r->rows, i, row_t);
        if (!apr_hash_get(r->is_changed, row.value.value, APR_HASH_KEY_STRING)) {
            APR_ARRAY_IDX(r->rows, kept++, row_t) = row;
        }
    }
    r->rows->nelts = kept;
}

/* Puts the values with delta rows among the others; those above the first of these, unless it is that of the list, are above the page. */
static void add_changed(reading_t *r)
{
    apr_int64_t skipped = count_skipped(r);
    row_t first = {{NULL, 0}, NULL};

    drop_changed(r);
    if (skipped && r->rows->nelts) {
        first = APR_ARRAY_IDX(r->rows, 0, row_t);
    }
    r->first = skipped ? skipped - count_passed(r) : 0;
    for (int i = 0; i < r->changed->nelts; i++) {
        const row_t *row = &APR_ARRAY_IDX(r->changed, i, changed_t).row;
        if (row->value.count <= 0) {
            continue;
        }
        if (first.key && find_order(r->query)(row, &first) < 0) {
            r->first++;
        } else {
            APR_ARRAY_PUSH(r->rows, row_t) = *row;
        }
    }
    sort_rows(r->query, r->rows);
}

static cat_value_list_t take_page(const cat_value_query_t *query, const apr_array_header_t *rows, apr_int64_t first)
{
    cat_value_list_t list = {apr_array_make(rows->pool, 16, sizeof(cat_value_count_t)), 0};

    for (apr_int64_t i = first; i < rows->nelts && i < first + query->limit; i++) {
        APR_ARRAY_PUSH(list.values, cat_value_count_t) = APR_ARRAY_IDX(rows, i, row_t).value;
    }
    list.has_more = rows->nelts > first + query->limit;
    return list;
}

void cat_value_list_take(const cat_fields_t *fields, const cat_value_query_t *query, const apr_array_header_t *counted,
                         cat_value_list_t *list, apr_int64_t *total)
{
    apr_array_header_t *rows = apr_array_make(counted->pool, counted->nelts, sizeof(row_t));

    for (int i = 0; i < counted->nelts; i++) {
        const cat_value_count_t *value = &APR_ARRAY_IDX(counted, i, cat_value_count_t);
        const char *key = cat_value_counts_key(rows->pool, fields, query->field, value->value);
        if (!strncmp(key, query->prefix, strlen(query->prefix))) {
            APR_ARRAY_PUSH(rows, row_t) = (row_t){*value, key};
        }
    }
    sort_rows(query, rows);
    *total = rows->nelts;
    *list = take_page(query, rows, query->offset);
}

apr_status_t cat_value_list_read(cat_db_t *db, const cat_registry_t *registry, const cat_value_query_t *query,
                                 cat_value_list_t *list)
{
    reading_t r;
    apr_status_t rv = begin_reading(&r, db, registry, query);

    rv = rv == APR_SUCCESS ? read_rows(&r) : rv;
    if (rv == APR_SUCCESS && (r.top.key || !count_skipped(&r))) {
        add_changed(&r);
    }
    if (rv == APR_SUCCESS) {
        *list = take_page(query, r.rows, query->offset - r.first);
    }
    return rv;
}

/* ---- the first values of several fields ---- */

static void add_first(cat_select_text_t *s, const readings_t *readings)
{
    const cat_syntax_t *syntax = s->dialect->syntax;
    int has_deltas = !cat_db_has_one_writer(readings->all->db);

    for (int i = 0; i < readings->count; i++) {
        cat_select_text_add(s, i ? " UNION ALL " : "", syntax->limited, NULL);
        add_rows(s, &readings->all[i], has_deltas ? EXPECTED : 0);
        cat_select_text_add(s, ")", NULL);
    }
    if (has_deltas) {
        cat_select_text_add(s, " UNION ALL ", NULL);
        add_deltas(s, readings);
    }
    if (readings->products) {
        cat_select_text_add(s, " UNION ALL SELECT " NO_FIELD ", 0, '', " PRODUCT_TOTAL ", '', 0", NULL);
    }
}

static apr_status_t take_first(reading_t *r, const cat_registry_t *registry, cat_value_list_t *list)
{
    if (r->changed->nelts > EXPECTED) {
        return cat_value_list_read(r->db, registry, r->query, list);
    }
    add_changed(r);
    *list = take_page(r->query, r->rows, 0);
    return APR_SUCCESS;
}

apr_status_t cat_value_list_read_first(cat_db_t *db, const cat_registry_t *registry, const cat_value_query_t *queries,
                                       int count, cat_value_list_t *lists, apr_int64_t *products)
{
    readings_t readings = {apr_palloc(db->pool, (apr_size_t)count * sizeof(*readings.all)), count, products};
    cat_select_text_t s;
    apr_status_t rv;

    for (int i = 0; i < count; i++) {
        readings.all[i] = make_reading(db, registry, &queries[i]);
    }
    cat_select_text_begin(&s, db);
    add_first(&s, &readings);
    rv = cat_select_text_run(&s, db, keep, &readings);
    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        rv = take_first(&readings.all[i], registry, &lists[i]);
    }
    return rv;
}

/* ---- how many there are ---- */

static apr_status_t take_total(void *baton, const char *const *values, int)
{
    reading_t *r = baton;

    r->total = apr_atoi64(values[0]);
    return CAT_ENOUGH;
}

apr_status_t cat_value_list_count(cat_db_t *db, const cat_registry_t *registry, const cat_value_query_t *query,
                                  apr_int64_t most, apr_int64_t *total)
{
    cat_select_text_t s;
    reading_t r;
    apr_status_t rv = begin_reading(&r, db, registry, query);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    cat_select_text_begin(&s, db);
    cat_select_text_add(&s, "SELECT COUNT(*) FROM (SELECT value", NULL);
    add_source(&s, &r, 0);
    cat_select_text_add(&s, " LIMIT ", NULL);
    cat_select_text_add_value(&s, apr_off_t_toa(db->pool, most + r.changed->nelts));
    cat_select_text_add(&s, ") v", NULL);
    rv = cat_select_text_run(&s, db, take_total, &r);
    for (int i = 0; i < r.changed->nelts; i++) {
        const changed_t *changed = &APR_ARRAY_IDX(r.changed, i, changed_t);
        r.total += (changed->row.value.count > 0) - (changed->before > 0);
    }
    *total = r.total;
    return rv;
}
