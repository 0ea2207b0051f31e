/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/product.h"

#include <float.h>

/* clang-format off */
const cat_field_t cat_product_fields[CAT_PRODUCT_FIELDS] = {
    /*                           name         kind         flags                       least most     absent refuse */
    [CAT_PRODUCT_ID] =         {"id",        CAT_STRING,  CAT_SERVER,                 0,    0,       NULL,  NULL},
    [CAT_PRODUCT_NAME] =       {"name",      CAT_STRING,  CAT_REQUIRED | CAT_VISIBLE, 1,    200,     NULL,  NULL},
    [CAT_PRODUCT_PRICE] =      {"price",     CAT_NUMBER,  CAT_REQUIRED,               0,    DBL_MAX, NULL,  NULL},
    [CAT_PRODUCT_CATEGORY] =   {"category",  CAT_STRING,  0,                          0,    100,     "",    NULL},
    [CAT_PRODUCT_IN_STOCK] =   {"inStock",   CAT_BOOLEAN, 0,                          0,    0,       "1",   NULL},
    [CAT_PRODUCT_RATING] =     {"rating",    CAT_NUMBER,  CAT_CLEARABLE,              0,    5,       NULL,  NULL},
    [CAT_PRODUCT_CREATED_AT] = {"createdAt", CAT_TIME,    CAT_SERVER,                 0,    0,       NULL,  NULL},
};
/* clang-format on */
