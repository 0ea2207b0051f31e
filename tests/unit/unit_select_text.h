/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_SELECT_TEXT_H
#define UNIT_SELECT_TEXT_H

#include <apr_strings.h>

#include "catalogue/search/select_text.h"

/* Returns an empty statement text in the dialect of the driver. */
static inline cat_select_text_t unit_begin_text(apr_pool_t *pool, const char *driver)
{
    cat_select_text_t s;

    cat_select_text_init(&s, pool, cat_dialect_find(driver));
    return s;
}

/* Returns the values of the placeholders, separated by "|". */
static inline const char *unit_values_of(const cat_select_text_t *s)
{
    const char *joined = "";

    for (int i = 0; i < s->values->nelts; i++) {
        joined = apr_pstrcat(s->text.pool, joined, i ? "|" : "", APR_ARRAY_IDX(s->values, i, const char *), NULL);
    }
    return joined;
}

#endif
