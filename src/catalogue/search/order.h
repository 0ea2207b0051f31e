/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_ORDER_H
#define CAT_CATALOGUE_ORDER_H

#include "catalogue/query/query.h"
#include "catalogue/search/select_text.h"

/*
 * The order of a list as columns: those of its sort (of a field of the shop's own, its key, which selects around another call own_1 ...), then the number (lib/id.h), in the direction of the first unless id is among
 * them; and
 * where in it the answer begins. `skip`: how many of the columns to leave out, because a select has one value of each.
 */
#define CAT_ORDER_MAX (CAT_LIST_SORT_MAX + 1)

typedef struct cat_order_t {
    int count;
    struct {
        int field;          /* of the mount's; CAT_PRODUCT_ID: the number; CAT_PRODUCT_CREATED_AT: its milliseconds */
        const char *column; /* its name in a select around another */
        int descending;
        int is_number;
        const char *after; /* the answer begins after a row with these values; NULL: at the beginning of the list */
    } columns[CAT_ORDER_MAX];
} cat_order_t;

/* What the order goes on after is on the pool. */
cat_order_t cat_order_make(apr_pool_t *pool, const cat_list_query_t *query);

/* 1: an index on the columns after skip gives the order, forwards or backwards. */
int cat_order_has_one_direction(const cat_order_t *order, int skip);

/* Adds the columns, each with its name, of the product that the text reads (cat_select_text_read_from). */
void cat_order_add_columns(cat_select_text_t *s, const cat_order_t *order);

/* Adds " ORDER BY ..." on the columns of that product; or those of a select, which has them under their names. */
void cat_order_add(cat_select_text_t *s, const cat_order_t *order, int skip, const char *select);

/* Adds the condition that the product comes after order's position, if that has one. */
void cat_order_add_after(cat_select_text_t *s, const cat_order_t *order, int skip);

#endif
