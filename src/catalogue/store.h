/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_STORE_H
#define CAT_CATALOGUE_STORE_H

/* What the rooms above include of products: their fields, how they are read and written, what is derived of them and counted. */

#include "catalogue/product/change_notes.h"
#include "catalogue/product/counts.h"
#include "catalogue/product/field_change.h"
#include "catalogue/product/operations.h"
#include "catalogue/product/own_fields.h"
#include "catalogue/product/own_slug.h"
#include "catalogue/product/product_images.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/product/product_name.h"
#include "catalogue/product/products.h"
#include "catalogue/product/registry.h"

#endif
