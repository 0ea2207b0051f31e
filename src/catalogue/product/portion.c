/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/product/portion.h"

#include <apr_strings.h>

#include "lib/id.h"
#include "lib/number.h"

static apr_status_t keep_row(void *baton, const char *const *values, int count)
{
    apr_array_header_t *rows = baton;

    APR_ARRAY_PUSH(rows, const char *const *) = cat_product_copy(rows->pool, values, count);
    return APR_SUCCESS;
}

apr_status_t cat_portion_read(cat_db_t *db, cat_sql_t sql, apr_int64_t from, int most, cat_portion_t *portion)
{
    const char *const *row, *n = cat_number_write(db->pool, from);
    apr_status_t rv;

    *portion = (cat_portion_t){apr_array_make(db->pool, most, sizeof(const char *const *)), from, 0};
    rv = cat_db_each(db, sql, CAT_VALUES(n, apr_itoa(db->pool, most)), keep_row, portion->rows);
    if (rv == APR_SUCCESS && portion->rows->nelts) {
        row = CAT_PORTION_ROW(portion, portion->rows->nelts - 1);
        portion->end = cat_id_number(row[CAT_PRODUCT_ID]);
    } else if (rv == APR_SUCCESS) {
        rv = cat_db_one(db, SQL_INDEX_READ, CAT_VALUES(n, "1"), &row);
        portion->is_last = rv == APR_NOTFOUND;
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}
