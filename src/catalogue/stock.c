/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/stock.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

#include "catalogue/select_text.h"
#include "db/checkout.h"
#include "db/sql_parts.h"

#define PAUSE apr_time_from_sec(60) /* of the job, between two counts of all products */

apr_status_t cat_stock_get(cat_db_t *db, const char *category, cat_stock_t *stock)
{
    const char *const *row;
    apr_status_t rv = category ? cat_db_one(db, SQL_STOCK_OF_CATEGORY, CAT_VALUES(category, category), &row)
                               : cat_db_one(db, SQL_STOCK_COUNT, CAT_NO_VALUES, &row);

    if (rv == APR_SUCCESS) {
        *stock = (cat_stock_t){apr_atoi64(row[0]), apr_atoi64(row[1])};
    }
    return rv;
}

/* ---- of several categories ---- */

typedef struct each_t {
    const cat_query_value_t *categories;
    int count;
    cat_stock_t *each;
    int is_counted; /* flag: products in stock are */
} each_t;

/* A category that has no products may have no row. */
static apr_status_t take_one(void *baton, const char *const *values, int count)
{
    each_t *e = baton;

    (void)count;
    for (int i = 0; i < e->count; i++) {
        if (!strcmp(e->categories[i].text, values[0])) {
            e->each[i] = (cat_stock_t){apr_atoi64(values[1]), apr_atoi64(values[2])};
        }
    }
    e->is_counted = *values[3] == '1';
    return APR_SUCCESS;
}

static void add_rows_of(cat_select_text_t *s, const each_t *e, const char *select)
{
    cat_select_text_add(s, select, " WHERE category IN (", NULL);
    for (int i = 0; i < e->count; i++) {
        cat_select_text_add(s, i ? ", " : "", NULL);
        cat_select_text_add_value(s, e->categories[i].text);
    }
    cat_select_text_add(s, ")", NULL);
}

apr_status_t cat_stock_get_each(cat_db_t *db, const cat_query_value_t *categories, int count, cat_stock_t *each)
{
    each_t e = {categories, count, each, 1};
    cat_select_text_t s;
    apr_status_t rv;

    memset(each, 0, (size_t)count * sizeof(*each));
    cat_select_text_init(&s, db->pool, cat_source_dialect(db->source));
    cat_select_text_add(&s,
                        "SELECT c.category, SUM(c.n), COALESCE(SUM(c.in_stock), 0), CASE WHEN " STOCK_IS_COUNTED
                        " THEN 1 ELSE 0 END FROM (",
                        NULL);
    add_rows_of(&s, &e, "SELECT category, n, in_stock FROM category_counts");
    add_rows_of(&s, &e, " UNION ALL SELECT category, category_delta, in_stock FROM product_deltas");
    cat_select_text_add(&s, ") c GROUP BY c.category", NULL);
    rv = cat_select_text_run(&s, db, take_one, &e);
    return rv == APR_SUCCESS && !e.is_counted ? APR_NOTFOUND : rv;
}

/* ---- comparing the counts with the products ---- */

/* What the products have and the counts lack. */
typedef struct lack_t {
    apr_pool_t *pool; /* of one reading */
    cat_db_t *db;
    const cat_job_t *job;
    const char *changes; /* of SQL_STOCK_STATE */
    apr_int64_t all;
    apr_hash_t *categories; /* apr_int64_t by category */
    /* The portion that is being read: */
    const char *last; /* its last id */
    apr_int64_t rows;
} lack_t;

static void add_to_category(const lack_t *l, const char *category, apr_int64_t n)
{
    apr_int64_t *sum = apr_hash_get(l->categories, category, APR_HASH_KEY_STRING);

    if (!sum) {
        sum = apr_pcalloc(l->pool, sizeof(*sum));
        apr_hash_set(l->categories, apr_pstrdup(l->pool, category), APR_HASH_KEY_STRING, sum);
    }
    *sum += n;
}

static apr_status_t take_count(void *baton, const char *const *values, int count)
{
    (void)count;
    add_to_category(baton, values[0], -apr_atoi64(values[1]));
    return APR_SUCCESS;
}

static apr_status_t take_portion(void *baton, const char *const *values, int count)
{
    lack_t *l = baton;
    apr_int64_t in_stock = apr_atoi64(values[1]);

    (void)count;
    l->all += in_stock;
    l->rows += apr_atoi64(values[3]);
    if (values[0]) {
        add_to_category(l, values[0], in_stock);
    }
    if (strcmp(values[2], l->last) > 0) {
        l->last = apr_pstrdup(l->pool, values[2]);
    }
    return APR_SUCCESS;
}

static int must_stop(const lack_t *l)
{
    return l->job && cat_job_must_stop(l->job);
}

static apr_status_t read_products(lack_t *l)
{
    apr_status_t rv = APR_SUCCESS;

    l->last = "";
    do {
        const char *after = l->last;
        l->rows = 0;
        rv = cat_db_each(l->db, SQL_STOCK_PORTION, CAT_VALUES(after), take_portion, l);
    } while (rv == APR_SUCCESS && l->rows && !must_stop(l));
    return rv;
}

static apr_status_t read_lack(void *baton)
{
    lack_t *l = baton;
    const char *const *row;
    apr_status_t rv = cat_db_one(l->db, SQL_STOCK_STATE, CAT_NO_VALUES, &row);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    apr_pool_clear(l->pool);
    l->categories = apr_hash_make(l->pool);
    l->changes = apr_pstrdup(l->pool, row[0]);
    l->all = -apr_atoi64(row[1]);
    rv = cat_db_each(l->db, SQL_STOCK_OF_CATEGORIES, CAT_NO_VALUES, take_count, l);
    return rv == APR_SUCCESS ? read_products(l) : rv;
}

apr_status_t cat_stock_check(apr_pool_t *pool, cat_db_t *db, int *wrong)
{
    lack_t l = {.db = db};
    apr_status_t rv;

    apr_pool_create(&l.pool, pool);
    rv = read_lack(&l);
    *wrong = rv == APR_SUCCESS && l.all != 0;
    for (apr_hash_index_t *i = rv == APR_SUCCESS ? apr_hash_first(l.pool, l.categories) : NULL; i;
         i = apr_hash_next(i)) {
        *wrong += *(apr_int64_t *)apr_hash_this_val(i) != 0;
    }
    if (rv == APR_SUCCESS && apr_atoi64(l.changes) != 0) {
        *wrong = 0;
    }
    apr_pool_destroy(l.pool);
    return rv;
}

/* ---- counting what was there before ---- */

/* APR_NOTFOUND: the statement changed no row. */
static apr_status_t change(const lack_t *l, cat_sql_t sql, const char *const *values, int count)
{
    int changed;
    apr_status_t rv = cat_db_exec(l->db, sql, values, count, &changed);

    return rv == APR_SUCCESS && !changed ? APR_NOTFOUND : rv;
}

static const char *number(const lack_t *l, apr_int64_t n)
{
    return apr_psprintf(l->db->pool, "%" APR_INT64_T_FMT, n);
}

/* The first statement is also the lock. APR_NOTFOUND rolls back: another server was first, or what is lacking has changed
 * since it was read. */
static apr_status_t add_lack(void *baton)
{
    const lack_t *l = baton;
    apr_status_t rv = change(l, SQL_STOCK_COMPLETE, CAT_VALUES(l->changes));

    rv = rv == APR_SUCCESS ? change(l, SQL_STOCK_ADD, CAT_VALUES(number(l, l->all))) : rv;
    for (apr_hash_index_t *i = apr_hash_first(l->pool, l->categories); i && rv == APR_SUCCESS; i = apr_hash_next(i)) {
        apr_int64_t n = *(apr_int64_t *)apr_hash_this_val(i);
        if (n) {
            rv = change(l, SQL_CATEGORY_ADD, CAT_VALUES("0", number(l, n), apr_hash_this_key(i)));
        }
    }
    return rv;
}

static apr_status_t count_all(lack_t *l)
{
    apr_status_t rv = cat_db_view(l->db, read_lack, l);

    if (rv != APR_SUCCESS || must_stop(l)) {
        return rv;
    }
    rv = cat_db_transact(l->db, add_lack, l);
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

static apr_status_t ask_counted(cat_db_t *db, int *is_counted)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_STOCK_STATE, CAT_NO_VALUES, &row);

    *is_counted = rv == APR_SUCCESS && apr_atoi64(row[0]) == 0;
    return rv;
}

apr_status_t cat_stock_count_all(apr_pool_t *pool, cat_db_t *db, const cat_job_t *job)
{
    lack_t l = {.db = db, .job = job};
    int is_counted;
    apr_status_t rv = ask_counted(db, &is_counted);

    if (rv != APR_SUCCESS || is_counted) {
        return rv;
    }
    apr_pool_create(&l.pool, pool);
    rv = count_all(&l);
    apr_pool_destroy(l.pool);
    return rv;
}

apr_status_t cat_stock_run(apr_pool_t *pool, const cat_job_t *job)
{
    cat_db_t *db = cat_db_make(pool, job->conf, job->source, job->log);
    apr_time_t now = apr_time_now();
    int is_counted = 1;
    apr_status_t rv = *job->last && now - *job->last < PAUSE ? APR_SUCCESS : ask_counted(db, &is_counted);

    if (rv == APR_SUCCESS && !is_counted) {
        *job->last = now;
        rv = cat_stock_count_all(pool, db, job);
    }
    return rv;
}
