/* SPDX-License-Identifier: Apache-2.0 */
/* A name of a product, "sku=KT-1": its value is one that a unique field may have under some line, and as JSON the value is the same. */
#include "catalogue/product/own_field.h"
#include "catalogue/product/product_name.h"
#include "fuzz_fields.h"

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const cat_fields_t *fields = fuzz_fields();
    cat_product_name_t name;
    cat_field_t wide;
    const char **product = apr_pcalloc(pool, sizeof(*product) * (size_t)fields->count);

    if (!cat_product_name_read(pool, fields, fuzz_text(pool, data, size), &name)) {
        return;
    }
    FUZZ_CHECK(name.field >= CAT_PRODUCT_FIELDS && name.field < fields->count && name.value);
    FUZZ_CHECK(fields->all[name.field].flags & CAT_UNIQUE && !cat_product_name_fits(&name, product));
    wide = cat_own_field_widen(&fields->all[name.field]);
    fuzz_check_value(pool, &wide, name.value);
    FUZZ_CHECK(cat_product_name_json(pool, fields, &name));
    product[name.field] = name.value;
    FUZZ_CHECK(cat_product_name_fits(&name, product));
}
