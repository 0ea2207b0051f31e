/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/product.h"

#include <float.h>

#define FLAGS_KEY CAT_SERVER
#define FLAGS_FIXED CAT_SERVER
#define FLAGS_FIRST 0
#define FLAGS_SET 0
#define FLAGS_CLEAR CAT_CLEARABLE

#define FIELD(name, field, column, update, compare, kind, flags, least, most, absent, ...)                             \
    [CAT_PRODUCT_##name] = {field, kind, (flags) | FLAGS_##update, least, most, absent, NULL, __VA_ARGS__},

const cat_field_t cat_product_fields[CAT_PRODUCT_FIELDS] = {CAT_PRODUCT_TABLE(FIELD)};
