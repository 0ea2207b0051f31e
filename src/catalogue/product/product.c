/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/product/product.h"

#include <float.h>

#define FLAGS_KEY CAT_SERVER
#define FLAGS_FIXED CAT_SERVER
#define FLAGS_FIRST 0
#define FLAGS_SET 0
#define FLAGS_CLEAR CAT_CLEARABLE

#define RULE_KEY &cat_fields_id
#define RULE_FIXED NULL
#define RULE_FIRST NULL
#define RULE_SET NULL
#define RULE_CLEAR NULL

#define FIELD(name, field, column, update, compare, kind, flags, least, most, absent, ...)                             \
    [CAT_PRODUCT_##name] = {field, kind, (flags) | FLAGS_##update, least, most, absent, RULE_##update, __VA_ARGS__},

const cat_field_t cat_product_fields[CAT_PRODUCT_FIELDS] = {CAT_PRODUCT_TABLE(FIELD)};

const cat_fields_t *cat_product_fields_of(const cat_conf_t *conf)
{
    static const cat_fields_t built_in = {cat_product_fields, CAT_PRODUCT_FIELDS, NULL};

    return conf->fields ? conf->fields : &built_in;
}
