/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_IMAGE_SCHEMA_H
#define CAT_API_IMAGE_SCHEMA_H

#include "http/schema.h"

/* What answers have of a picture, and of those of a product. */
extern const cat_shape_t cat_image_schema_one, cat_image_schema_all;

#endif
