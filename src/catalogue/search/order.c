/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a list as columns, for ORDER BY, and for the condition that a row comes after a cursor's position.
 *
 *     sort=-price            price_key DESC, n DESC
 *     sort=weight            (the key of weight in product_keys), n
 *     sort=createdAt         n
 *     sort=createdAt,name    n >> 20, name_key, n        the whole millisecond is sorted
 *
 * Where all columns have one direction, one comparison of row values finds the rows after a position, and an index can be
 * entered there: (price_key, n) < (?, ?). Otherwise the columns are compared one by one,
 *
 *     price_key <= ? AND (price_key < ? OR (price_key = ? AND name_key > ?) OR ...)
 *
 * and only the first comparison is looked up in an index. MySQL does not use an index for row values at all, so its dialect
 * asks for the second form always.
 */
#include "catalogue/search/order.h"

#include <apr_strings.h>

#include "catalogue/search/conditions.h"
#include "lib/number.h"

static void add_column(cat_order_t *order, int field, int descending, const char *after)
{
    static const char *const own[] = {"own_1", "own_2", "own_3"};
    int at = order->count++;

    order->columns[at].field = field;
    order->columns[at].column = field == CAT_PRODUCT_CREATED_AT ? "created_at"
                                : field < CAT_PRODUCT_FIELDS    ? cat_conditions_column(field)
                                                                : own[at];
    order->columns[at].descending = descending;
    order->columns[at].is_number = field == CAT_PRODUCT_ID || cat_conditions_is_number(field);
    order->columns[at].after = after;
}

/* Are products of one millisecond ordered by their ids alone, in the direction of their times? */
static int is_by_number(const cat_list_query_t *query, int i)
{
    const cat_query_sort_t *sort = query->sort;
    int is_last = i + 1 == query->sort_count;

    return sort[i].field == CAT_PRODUCT_ID ||
           (sort[i].field == CAT_PRODUCT_CREATED_AT && (is_last || sort[i + 1].field == CAT_PRODUCT_ID) &&
            sort[i].descending == sort[is_last ? 0 : i + 1].descending);
}

cat_order_t cat_order_make(apr_pool_t *pool, const cat_list_query_t *query)
{
    cat_order_t order = {0};
    const cat_list_position_t *after = query->page || query->after.n == CAT_LIST_KEY_MAX ? NULL : &query->after;
    int i = 0;

    for (; i < query->sort_count && !is_by_number(query, i); i++) {
        add_column(&order, query->sort[i].field, query->sort[i].descending, after ? after->values[i] : NULL);
    }
    add_column(&order, CAT_PRODUCT_ID, query->sort[i < query->sort_count ? i : 0].descending,
               after ? cat_number_write(pool, after->n) : NULL);
    return order;
}

int cat_order_has_one_direction(const cat_order_t *order, int skip)
{
    for (int i = skip + 1; i < order->count; i++) {
        if (order->columns[i].descending != order->columns[skip].descending) {
            return 0;
        }
    }
    return 1;
}

void cat_order_add_columns(cat_select_text_t *s, const cat_order_t *order)
{
    for (int i = 0; i < order->count; i++) {
        int field = order->columns[i].field;
        cat_select_text_add(s, i ? ", " : "", NULL);
        cat_conditions_add_key(s, field);
        if (field >= CAT_PRODUCT_FIELDS || field == CAT_PRODUCT_CREATED_AT || (s->own && field == s->own)) {
            cat_select_text_add(s, " AS ", order->columns[i].column, NULL);
        }
    }
}

void cat_order_add(cat_select_text_t *s, const cat_order_t *order, int skip, const char *select)
{
    for (int i = skip; i < order->count; i++) {
        cat_select_text_add(s, i == skip ? " ORDER BY " : ", ", NULL);
        if (select) {
            cat_select_text_add(s, select, ".", order->columns[i].column, NULL);
        } else {
            cat_conditions_add_key(s, order->columns[i].field);
        }
        cat_select_text_add(s, order->columns[i].descending ? " DESC" : "", NULL);
    }
}

typedef void add_integer_t(cat_select_text_t *s, const char *value);

static void add_after_value(cat_select_text_t *s, const cat_order_t *order, int i, add_integer_t *add_integer)
{
    if (order->columns[i].is_number) {
        add_integer(s, order->columns[i].after);
    } else {
        cat_select_text_add_value(s, order->columns[i].after);
    }
}

static void compare_column(cat_select_text_t *s, const cat_order_t *order, int i, cat_operator_t op)
{
    if (order->columns[i].field == CAT_PRODUCT_CREATED_AT) {
        cat_conditions_add_time(s, op, apr_atoi64(order->columns[i].after));
        return;
    }
    cat_conditions_add_key(s, order->columns[i].field);
    cat_select_text_add(s, cat_conditions_operator(op), NULL);
    add_after_value(s, order, i, cat_select_text_add_integer);
}

/* (a, b, c) < (%s, %s, %s) */
static void compare_rows(cat_select_text_t *s, const cat_order_t *order, int skip)
{
    for (int i = skip; i < order->count; i++) {
        cat_select_text_add(s, i == skip ? "(" : ", ", NULL);
        cat_conditions_add_key(s, order->columns[i].field);
    }
    cat_select_text_add(s, order->columns[skip].descending ? ") < " : ") > ", NULL);
    for (int i = skip; i < order->count; i++) {
        cat_select_text_add(s, i == skip ? "(" : ", ", NULL);
        add_after_value(s, order, i, cat_select_text_add_row_integer);
    }
    cat_select_text_add(s, ")", NULL);
}

/* (a < %s OR (a = %s AND b > %s) OR (a = %s AND b = %s AND c < %s)) */
static void compare_columns(cat_select_text_t *s, const cat_order_t *order, int skip)
{
    for (int i = skip; i < order->count; i++) {
        cat_select_text_add(s, i == skip ? "((" : " OR (", NULL);
        for (int j = skip; j < i; j++) {
            compare_column(s, order, j, CAT_EQ);
            cat_select_text_add(s, " AND ", NULL);
        }
        compare_column(s, order, i, order->columns[i].descending ? CAT_LT : CAT_GT);
        cat_select_text_add(s, ")", NULL);
    }
    cat_select_text_add(s, ")", NULL);
}

/* Where the directions differ, the first column alone is looked up in an index. */
void cat_order_add_after(cat_select_text_t *s, const cat_order_t *order, int skip)
{
    if (!order->columns[skip].after) {
        return;
    }
    cat_select_text_add_condition(s);
    if (skip == order->count - 1) {
        compare_column(s, order, skip, order->columns[skip].descending ? CAT_LT : CAT_GT);
    } else if (!s->dialect->syntax->compares_rows) {
        compare_columns(s, order, skip);
    } else if (cat_order_has_one_direction(order, skip) && order->columns[skip].field != CAT_PRODUCT_CREATED_AT) {
        compare_rows(s, order, skip);
    } else {
        compare_column(s, order, skip, order->columns[skip].descending ? CAT_LTE : CAT_GTE);
        cat_select_text_add(s, " AND ", NULL);
        compare_columns(s, order, skip);
    }
}
