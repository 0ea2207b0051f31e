/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/search/stock.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/search/select_text.h"
#include "db/db.h"

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
} each_t;

/* A category that has no products may have no row. */
static apr_status_t take_one(void *baton, const char *const *values, int)
{
    each_t *e = baton;

    for (int i = 0; i < e->count; i++) {
        if (!strcmp(e->categories[i].text, values[0])) {
            e->each[i] = (cat_stock_t){apr_atoi64(values[1]), apr_atoi64(values[2])};
        }
    }
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
    each_t e = {categories, count, each};
    cat_select_text_t s;

    memset(each, 0, (size_t)count * sizeof(*each));
    cat_select_text_begin(&s, db);
    cat_select_text_add(&s, "SELECT c.category, SUM(c.n), SUM(c.in_stock) FROM (", NULL);
    add_rows_of(&s, &e, "SELECT category, n, in_stock FROM category_counts");
    add_rows_of(&s, &e, " UNION ALL SELECT category, category_delta, in_stock FROM product_deltas");
    cat_select_text_add(&s, ") c GROUP BY c.category", NULL);
    return cat_select_text_run(&s, db, take_one, &e);
}
