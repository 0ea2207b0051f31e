/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/search/index_table.h"

#include <apr_strings.h>

#include "catalogue/product/product_keys.h"

/* THE INDEX TABLE. The schema, conf/schema, creates the same indexes; what catalogctl index creates and drops, and what
 * catalogctl check looks for, derives from here. */
const cat_index_t cat_index_table[CAT_INDEX_COUNT] = {
    {"products_by_category", CAT_INDEX_CATEGORY, {"category", "n", "category_key"}, "category_key", 1},
    {"products_by_category_key", CAT_INDEX_CATEGORY, {"category_key", "n"}, "category_key", 0},
    {"products_by_category_price",
     CAT_INDEX_CATEGORY | CAT_INDEX_PRICE,
     {"category", "price_key", "n"},
     "price_key",
     1},
    {"products_by_price", CAT_INDEX_PRICE, {"price_key", "n", "category"}, "price_key", 0},
    {"products_by_name", CAT_INDEX_NAME, {"name_key", "n", "category"}, "name_key", 0},
    {"products_by_rating", CAT_INDEX_RATING, {"rating_key", "n", "category"}, "rating_key", 0},
};

int cat_index_table_parts(void)
{
    int parts = 0;

    for (int i = 0; i < CAT_INDEX_COUNT; i++) {
        parts |= cat_index_table[i].parts;
    }
    return parts;
}

int cat_index_table_is_wanted(const cat_index_t *index, int kept)
{
    return !(index->parts & ~kept);
}

const char *cat_index_table_columns(apr_pool_t *pool, const cat_dialect_t *dialect, const cat_index_t *index)
{
    const char *text = apr_pstrcat(pool, index->columns[0], index->is_own_text ? dialect->syntax->by_octets : "", NULL);

    for (int i = 1; i < CAT_INDEX_COLUMNS_MAX && index->columns[i]; i++) {
        text = apr_pstrcat(pool, text, ", ", index->columns[i], NULL);
    }
    return text;
}

const char *cat_index_table_create(apr_pool_t *pool, const cat_dialect_t *dialect, const cat_index_t *index)
{
    const cat_syntax_t *syntax = dialect->syntax;
    const char *text = apr_pstrcat(pool, syntax->create_index, index->name, syntax->create_index_on,
                                   cat_index_table_columns(pool, dialect, index), syntax->create_index_end, NULL);

    return syntax->leaves_rows_out ? apr_pstrcat(pool, text, " WHERE ", index->not_null, " IS NOT NULL", NULL) : text;
}

const char *cat_index_table_drop(apr_pool_t *pool, const cat_dialect_t *dialect, const cat_index_t *index)
{
    return apr_pstrcat(pool, dialect->syntax->drop_index, index->name, dialect->syntax->drop_index_end, NULL);
}
