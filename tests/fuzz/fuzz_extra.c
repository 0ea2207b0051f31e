/* SPDX-License-Identifier: Apache-2.0 */
/* The column extra, as another program may have written it: what is read and written again is JSON, and is read as the same. */
#include "catalogue/product/own_fields.h"
#include "catalogue/product/product.h"
#include "fuzz.h"
#include "lib/json.h"

static const cat_fields_t *make_fields(apr_pool_t *pool)
{
    static const char *const lines[] = {"a string", "b number", "c strings", "d boolean", "e time", "f json"};
    const cat_fields_t *fields = NULL;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        FUZZ_CHECK(!cat_own_fields_add(pool, fields, lines[i], &fields));
    }
    return fields;
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const cat_fields_t *fields = make_fields(pool);
    const char *row[CAT_PRODUCT_COLUMNS] = {[CAT_PRODUCT_EXTRA] = apr_pstrmemdup(pool, (const char *)data, size)};
    const char *const *record = cat_product_read(pool, fields, row), *const * again;
    const char *why;
    int is_json = cat_json_parse(pool, row[CAT_PRODUCT_EXTRA], strlen(row[CAT_PRODUCT_EXTRA]), &why) != NULL;

    row[CAT_PRODUCT_EXTRA] = cat_product_write_extra(pool, fields, record, row[CAT_PRODUCT_EXTRA]);
    if (!row[CAT_PRODUCT_EXTRA] || !is_json) {
        return;
    }
    FUZZ_CHECK(cat_json_parse(pool, row[CAT_PRODUCT_EXTRA], strlen(row[CAT_PRODUCT_EXTRA]), &why));
    again = cat_product_read(pool, fields, row);
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        FUZZ_CHECK(record[i] && again[i] ? !strcmp(record[i], again[i]) : record[i] == again[i]);
    }
}
