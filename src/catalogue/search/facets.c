/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the facets of a list: from the counters of categories and values, where they know the facet. For the others CatalogCountLimit
 * products of the list are read, all if the client wants it exact, and counted by value. If the list has no more, their number is the total;
 * else it is the newest that are counted, whatever the order of the list.
 */
#include "catalogue/search/facets.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/product/counts.h"
#include "catalogue/search/value_list.h"
#include "lib/json.h"

/* ---- counters ---- */

cat_counters_t cat_counters_choose(const cat_list_query_t *query)
{
    cat_counters_t c = {.decide = query->word_count == 0, .in_stock = -1};

    for (int i = 0; i < query->condition_count && c.decide; i++) {
        const cat_query_condition_t *condition = &query->conditions[i];
        if (condition->field == CAT_PRODUCT_CATEGORY && !c.category) {
            c.decide = condition->op == CAT_EQ || condition->op == CAT_IN;
            c.category = condition->values;
            c.category_count = condition->count;
        } else {
            c.decide = condition->field == CAT_PRODUCT_IN_STOCK && condition->op == CAT_EQ && c.in_stock < 0;
            c.in_stock = condition->values->key != 0;
        }
    }
    return c;
}

static int is_facet(const cat_list_query_t *query, int field)
{
    return cat_field_set_has(&query->facets, field);
}

static int is_stock_wanted(const cat_counters_t *c, const cat_list_query_t *query)
{
    return c->decide &&
           (c->in_stock >= 0 || is_facet(query, CAT_PRODUCT_CATEGORY) || is_facet(query, CAT_PRODUCT_IN_STOCK));
}

static apr_status_t read_each(cat_db_t *db, cat_counters_t *c)
{
    apr_status_t rv;

    c->each = apr_palloc(db->pool, (apr_size_t)c->category_count * sizeof(*c->each));
    rv = cat_stock_get_each(db, c->category, c->category_count, c->each);
    c->stock = (cat_stock_t){0, 0};
    for (int i = 0; i < c->category_count; i++) {
        c->stock.products += c->each[i].products;
        c->stock.in_stock += c->each[i].in_stock;
    }
    return rv;
}

apr_status_t cat_counters_read(cat_db_t *db, const cat_list_query_t *query, cat_counters_t *c)
{
    c->has_stock = is_stock_wanted(c, query);
    if (!c->has_stock) {
        return APR_SUCCESS;
    }
    if (c->category_count > 1) {
        return read_each(db, c);
    }
    c->each = &c->stock;
    return cat_stock_get(db, c->category ? c->category->text : NULL, &c->stock);
}

/* Products of the list among those that the stock is of. */
static apr_int64_t count_matching(const cat_counters_t *c, const cat_stock_t *stock)
{
    return c->in_stock < 0 ? stock->products : c->in_stock ? stock->in_stock : stock->products - stock->in_stock;
}

/* Where nothing is to be found, a walk would look for it everywhere. */
int cat_counters_are_empty(const cat_counters_t *c)
{
    return c->has_stock && count_matching(c, &c->stock) <= 0;
}

apr_status_t cat_counters_count(cat_db_t *db, cat_counters_t *c, apr_int64_t *total)
{
    apr_status_t rv = APR_SUCCESS;

    *total = -1;
    if (c->has_stock) {
        *total = count_matching(c, &c->stock);
    } else if (c->decide && c->in_stock < 0 && c->category_count == 1) {
        rv = cat_counts_category(db, c->category->text, total);
    } else if (c->decide && c->in_stock < 0 && c->category) {
        rv = read_each(db, c);
        *total = c->stock.products;
    }
    return rv;
}

/* ---- facets ---- */

/* The most frequent values of a field, in their order. */
typedef struct facet_t {
    apr_pool_t *pool;
    int most, count;
    int is_cut; /* flag: there are others */
    cat_value_count_t *values;
} facet_t;

static int is_before(const char *value, apr_int64_t count, const cat_value_count_t *other)
{
    return count != other->count ? count > other->count : strcmp(value, other->value) < 0;
}

/* Copies the value, if it belongs to them. */
static void add_value(facet_t *f, const char *value, apr_int64_t count)
{
    int at = f->count;

    if (count <= 0) {
        return;
    }
    while (at > 0 && is_before(value, count, &f->values[at - 1])) {
        at--;
    }
    f->is_cut |= f->count == f->most;
    if (at == f->most) {
        return;
    }
    f->count += f->count < f->most;
    memmove(f->values + at + 1, f->values + at, (size_t)(f->count - at - 1) * sizeof(f->values[0]));
    f->values[at] = (cat_value_count_t){apr_pstrdup(f->pool, value), count};
}

static int count_wanted(const cat_facets_t *s, int field)
{
    return s->query->facet_most[field] ? s->query->facet_most[field] : CAT_QUERY_FACET;
}

static facet_t *make_facet(const cat_facets_t *s, int field)
{
    facet_t *f = apr_pcalloc(s->db->pool, sizeof(*f));

    f->pool = s->db->pool;
    f->most = count_wanted(s, field);
    f->values = apr_palloc(f->pool, (apr_size_t)f->most * sizeof(f->values[0]));
    return f;
}

static void put_facet(cat_facets_t *s, int field, const facet_t *f)
{
    s->end->facets[s->end->facet_count++] = (cat_search_facet_t){field, f->count, f->is_cut, f->values};
}

/* ---- facets that the counters know ---- */

typedef struct listing_t {
    facet_t *facet;
    int in_stock; /* of counters_t */
} listing_t;

/* None of the categories from here on belongs to the facet. */
static int is_facet_full(const facet_t *f, apr_int64_t ceiling)
{
    return f->is_cut && ceiling < f->values[f->count - 1].count;
}

static apr_status_t take_category(void *baton, const char *const *values, int count)
{
    const listing_t *l = baton;
    apr_int64_t products = apr_atoi64(values[1]);

    if (count > 3 && is_facet_full(l->facet, apr_atoi64(values[3]))) {
        return CAT_ENOUGH;
    }
    if (l->in_stock >= 0) {
        apr_int64_t in_stock = apr_atoi64(values[2]);
        products = l->in_stock ? in_stock : products - in_stock;
    }
    add_value(l->facet, values[0], products);
    return APR_SUCCESS;
}

static apr_status_t list_categories(cat_facets_t *s)
{
    listing_t l = {make_facet(s, CAT_PRODUCT_CATEGORY), s->counters->in_stock};
    int are_few = l.in_stock < 0 && l.facet->most <= CAT_QUERY_FACET;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < s->counters->category_count; i++) {
        add_value(l.facet, s->counters->category[i].text, count_matching(s->counters, &s->counters->each[i]));
    }
    if (!s->counters->category && !cat_counters_are_empty(s->counters)) {
        rv = cat_db_each(s->db, are_few ? SQL_CATEGORY_LARGEST : SQL_CATEGORY_STOCK, CAT_NO_VALUES, take_category, &l);
    }
    put_facet(s, CAT_PRODUCT_CATEGORY, l.facet);
    return rv;
}

static apr_status_t list_stock(cat_facets_t *s)
{
    facet_t *f = make_facet(s, CAT_PRODUCT_IN_STOCK);

    if (s->counters->in_stock != 0) {
        add_value(f, "1", s->counters->stock.in_stock);
    }
    if (s->counters->in_stock != 1) {
        add_value(f, "0", s->counters->stock.products - s->counters->stock.in_stock);
    }
    put_facet(s, CAT_PRODUCT_IN_STOCK, f);
    return APR_SUCCESS;
}

/* The values of an own field that the condition names; NULL: the list has no condition. */
static const cat_query_condition_t *condition_of(const cat_facets_t *s)
{
    return s->query->condition_count ? s->query->conditions : NULL;
}

static apr_status_t count_values(cat_facets_t *s, int field, int known, facet_t *f)
{
    const cat_query_condition_t *condition = condition_of(s);
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < condition->count && rv == APR_SUCCESS; i++) {
        const char *value = condition->values[i].text;
        apr_int64_t count;
        rv = cat_value_counts_get(s->db, s->registry->numbers[known],
                                  cat_value_counts_key(s->db->pool, s->query->all, field, value), value, &count);
        add_value(f, value, count);
    }
    return rv;
}

/* Facets whose values are read together. */
typedef struct tops_t {
    int count;
    int fields[CAT_FIELDS_MAX];
    cat_value_query_t queries[CAT_FIELDS_MAX];
} tops_t;

/* Of a list without conditions. The same statement tells the total, if nothing else has. */
static apr_status_t list_tops(cat_facets_t *s, const tops_t *tops)
{
    cat_value_list_t *lists = apr_palloc(s->db->pool, (apr_size_t)tops->count * sizeof(*lists));
    apr_int64_t *total = s->counters->has_stock || s->query->count == CAT_COUNT_NONE ? NULL : &s->end->total;
    apr_status_t rv = tops->count
                          ? cat_value_list_read_first(s->db, s->registry, tops->queries, tops->count, lists, total)
                          : APR_SUCCESS;

    for (int i = 0; i < tops->count && rv == APR_SUCCESS; i++) {
        const apr_array_header_t *values = lists[i].values;
        put_facet(s, tops->fields[i],
                  &(facet_t){.values = (cat_value_count_t *)values->elts,
                             .count = values->nelts,
                             .is_cut = lists[i].has_more});
    }
    return rv;
}

static apr_status_t list_own(cat_facets_t *s, int field, tops_t *tops)
{
    int known = cat_registry_find_field(s->registry, s->query->all, field);
    facet_t *f;
    apr_status_t rv = APR_SUCCESS;

    if (!cat_counters_are_empty(s->counters) && !condition_of(s)) {
        tops->fields[tops->count] = field;
        tops->queries[tops->count++] =
            (cat_value_query_t){known, CAT_VALUES_BY_COUNT, 1, "", 0, count_wanted(s, field)};
        return APR_SUCCESS;
    }
    f = make_facet(s, field);
    rv = cat_counters_are_empty(s->counters) ? APR_SUCCESS : count_values(s, field, known, f);
    put_facet(s, field, f);
    return rv;
}

/* Of a list, a product with one of the values has others, too. */
static int decides_own(const cat_facets_t *s, int field)
{
    const cat_query_condition_t *condition = condition_of(s);

    return s->query->word_count == 0 && (!condition || (s->query->condition_count == 1 && condition->field == field &&
                                                        (condition->op == CAT_EQ || condition->op == CAT_IN) &&
                                                        s->query->all->all[field].kind != CAT_LIST));
}

static int is_own_counted(const cat_facets_t *s, int field)
{
    int known = cat_registry_find_field(s->registry, s->query->all, field);
    int is_ready = cat_registry_has_counts(s->registry, known);

    if (!decides_own(s, field)) {
        return 0;
    }
    s->end->is_for_now |= !is_ready;
    return is_ready;
}

/* Do the counters know the facet? */
static int is_counted(const cat_facets_t *s, int field)
{
    if (cat_counters_are_empty(s->counters)) {
        return 1;
    }
    s->end->is_for_now |= field == CAT_PRODUCT_CATEGORY && s->are_categories_filled_in;
    return field >= CAT_PRODUCT_FIELDS
               ? is_own_counted(s, field)
               : s->counters->decide && (field != CAT_PRODUCT_CATEGORY || s->has_category_counts);
}

static apr_status_t list_facet(cat_facets_t *s, int field, tops_t *tops)
{
    return field >= CAT_PRODUCT_FIELDS     ? list_own(s, field, tops)
           : field == CAT_PRODUCT_IN_STOCK ? list_stock(s)
                                           : list_categories(s);
}

/* ---- facets of products that are read ---- */

typedef struct sample_t {
    cat_facets_t *search;
    cat_field_set_t fields;             /* facets that the counters do not know */
    apr_hash_t *values[CAT_FIELDS_MAX]; /* apr_int64_t by value, of these */
    apr_int64_t rows, most;             /* how many were read, and are counted; most 0: all */
    const cat_plan_t *plan;
    int is_newest;    /* flag: those that the plan has first are counted */
    apr_pool_t *pool; /* of one row */
} sample_t;

static void count_value(sample_t *sample, int field, const char *value)
{
    apr_pool_t *pool = sample->search->db->pool;
    apr_int64_t *n = apr_hash_get(sample->values[field], value, APR_HASH_KEY_STRING);

    if (!n) {
        n = apr_pcalloc(pool, sizeof(*n));
        apr_hash_set(sample->values[field], apr_pstrdup(pool, value), APR_HASH_KEY_STRING, n);
    }
    ++*n;
}

/* As value_counts has them. */
static void count_own_value(sample_t *sample, int field, const char *value)
{
    if (value && strlen(value) <= CAT_VALUE_SIZE) {
        count_value(sample, field, value);
    }
}

static void count_list(sample_t *sample, int field, const char *text)
{
    const char *why;
    const json_t *list = cat_json_parse(sample->pool, text, strlen(text), &why);
    size_t i;
    json_t *element;

    json_array_foreach (list, i, element) {
        count_own_value(sample, field, json_string_value(element));
    }
}

static void count_own(sample_t *sample, const char *extra)
{
    const cat_fields_t *all = sample->search->query->all;
    const char *row[CAT_PRODUCT_COLUMNS] = {[CAT_PRODUCT_EXTRA] = extra};
    const char *const *record = cat_product_read(sample->pool, all, row);

    for (int i = CAT_PRODUCT_FIELDS; i < all->count; i++) {
        if (!cat_field_set_has(&sample->fields, i) || !record[i]) {
            continue;
        }
        if (all->all[i].kind == CAT_LIST) {
            count_list(sample, i, record[i]);
        } else {
            count_own_value(sample, i, record[i]);
        }
    }
}

static apr_status_t take_facet_row(void *baton, const char *const *values, int count)
{
    sample_t *sample = baton;

    if (sample->rows++ >= sample->most && sample->most) {
        return APR_SUCCESS;
    }
    if (sample->values[CAT_PRODUCT_CATEGORY]) {
        count_value(sample, CAT_PRODUCT_CATEGORY, values[0]);
    }
    if (sample->values[CAT_PRODUCT_IN_STOCK]) {
        count_value(sample, CAT_PRODUCT_IN_STOCK, values[1]);
    }
    if (count > 2 && values[2]) {
        count_own(sample, values[2]);
        apr_pool_clear(sample->pool);
    }
    return APR_SUCCESS;
}

static void put_sample(sample_t *sample, int field)
{
    cat_facets_t *s = sample->search;
    facet_t *f = make_facet(s, field);

    for (apr_hash_index_t *i = apr_hash_first(s->db->pool, sample->values[field]); i; i = apr_hash_next(i)) {
        add_value(f, apr_hash_this_key(i), *(apr_int64_t *)apr_hash_this_val(i));
    }
    put_facet(s, field, f);
}

/* Were there more than are counted? */
static int is_cut(const sample_t *sample)
{
    return sample->most && sample->rows > sample->most;
}

static void put_samples(sample_t *sample)
{
    cat_facets_t *s = sample->search;

    for (int i = 0; i < s->query->all->count; i++) {
        if (sample->values[i]) {
            put_sample(sample, i);
        }
    }
    s->end->is_sample = is_cut(sample);
    if (!s->end->is_sample && s->query->count != CAT_COUNT_NONE) {
        s->end->total = sample->rows;
    } else if (s->query->count == CAT_COUNT_CAPPED && s->end->total < 0) {
        s->end->total = sample->most;
        s->end->is_more = 1;
    }
}

static apr_status_t read_sample(sample_t *sample)
{
    cat_facets_t *s = sample->search;
    cat_select_text_t text;
    apr_status_t rv;

    sample->rows = 0;
    for (int i = 0; i < s->query->all->count; i++) {
        sample->values[i] = cat_field_set_has(&sample->fields, i) ? apr_hash_make(s->db->pool) : NULL;
    }
    if (cat_plan_is_empty(sample->plan)) {
        return APR_SUCCESS;
    }
    apr_pool_create(&sample->pool, s->db->pool);
    cat_select_text_begin(&text, s->db);
    cat_plan_add_facets(&text, sample->plan, sample->most ? sample->most + 1 : 0, sample->is_newest);
    rv = cat_select_text_run(&text, s->db, take_facet_row, sample);
    apr_pool_destroy(sample->pool);
    return rv;
}

static int is_newest_first(const cat_list_query_t *query)
{
    return query->sort_count == 1 && query->sort[0].field == CAT_PRODUCT_CREATED_AT && query->sort[0].descending;
}

/* Counts the newest products, as the first of another order would depend on it, and the first of none on the database. */
static apr_status_t read_newest(sample_t *sample)
{
    cat_facets_t *s = sample->search;
    cat_list_query_t *query = apr_pmemdup(s->db->pool, s->query, sizeof(*query));
    cat_plan_t *plan = apr_palloc(s->db->pool, sizeof(*plan));
    apr_status_t rv = APR_SUCCESS;

    if (!is_newest_first(query)) {
        query->page = 1;
        query->sort[0] = (cat_query_sort_t){CAT_PRODUCT_CREATED_AT, 1};
        query->sort_count = 1;
        rv = cat_plan_choose(s->db, query, plan);
        sample->plan = plan;
    }
    sample->is_newest = 1;
    return rv == APR_SUCCESS ? read_sample(sample) : rv;
}

/* Nearly all lists have few products, so these are read in no order first, unless the plan has them in that order anyway. The same rows tell the
 * total, if there are no more of them. */
static apr_status_t read_facets(cat_facets_t *s, const cat_field_set_t *fields)
{
    sample_t sample = {.search = s, .fields = *fields, .plan = s->plan};
    apr_status_t rv;

    sample.most = s->query->count == CAT_COUNT_EXACT ? 0 : s->db->conf->count_limit;
    sample.is_newest = sample.most && is_newest_first(s->query) && !s->plan->counts;
    rv = read_sample(&sample);
    if (rv == APR_SUCCESS && is_cut(&sample) && !sample.is_newest) {
        rv = read_newest(&sample);
    }
    if (rv == APR_SUCCESS) {
        put_samples(&sample);
    }
    return rv;
}

/* The work of a search. */
static apr_status_t sample_all(void *baton)
{
    sample_t *sample = baton;
    cat_facets_t *s = sample->search;
    cat_plan_t *plan = apr_palloc(s->db->pool, sizeof(*plan));
    apr_status_t rv = cat_plan_choose(s->db, s->query, plan);

    sample->plan = plan;
    return rv == APR_SUCCESS ? read_sample(sample) : rv;
}

apr_status_t cat_search_values(cat_db_t *db, const cat_list_query_t *query, int field, cat_row_t *row, void *baton)
{
    cat_list_query_t asked = *query;
    cat_facets_t s = {.db = db, .query = &asked};
    sample_t sample = {.search = &s};
    apr_status_t rv;

    asked.facets = (cat_field_set_t){{0}};
    cat_field_set_add(&asked.facets, field);
    sample.fields = asked.facets;
    rv = cat_db_search(db, sample_all, &sample);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (apr_hash_index_t *i = apr_hash_first(db->pool, sample.values[field]); i && rv == APR_SUCCESS;
         i = apr_hash_next(i)) {
        const char *values[] = {apr_hash_this_key(i), apr_off_t_toa(db->pool, *(apr_int64_t *)apr_hash_this_val(i))};
        rv = row(baton, values, 2);
    }
    return rv;
}

static int by_field(const void *one, const void *other)
{
    return ((const cat_search_facet_t *)one)->field - ((const cat_search_facet_t *)other)->field;
}

apr_status_t cat_facets_count(cat_facets_t *s)
{
    cat_field_set_t others = {{0}};
    tops_t *tops;
    apr_status_t rv = APR_SUCCESS;

    if (!s->query->has_facets) {
        return APR_SUCCESS;
    }
    tops = apr_pcalloc(s->db->pool, sizeof(*tops));
    s->end->facets = apr_palloc(s->db->pool, CAT_FIELDS_MAX * sizeof(*s->end->facets));
    for (int i = 0; i < s->query->all->count && rv == APR_SUCCESS; i++) {
        if (is_facet(s->query, i) && is_counted(s, i)) {
            rv = list_facet(s, i, tops);
        } else if (is_facet(s->query, i)) {
            cat_field_set_add(&others, i);
        }
    }
    rv = rv == APR_SUCCESS ? list_tops(s, tops) : rv;
    if (rv == APR_SUCCESS && !cat_field_set_is_empty(&others)) {
        rv = read_facets(s, &others);
    }
    qsort(s->end->facets, (size_t)s->end->facet_count, sizeof(*s->end->facets), by_field);
    return rv;
}
