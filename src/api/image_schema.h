/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_IMAGE_SCHEMA_H
#define CAT_API_IMAGE_SCHEMA_H

#include "http/schema.h"

/* Shapes of a picture in responses, and of the list of a product's pictures. */
extern const cat_shape_t cat_image_schema_one, cat_image_schema_all;

#endif
