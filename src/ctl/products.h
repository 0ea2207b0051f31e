/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_PRODUCTS_H
#define CTL_PRODUCTS_H

#include "ctl/ctl.h"

/* export and import with --products: files of products, as GET /products/export and POST /products/import have them. */
ctl_command_t ctl_products_export, ctl_products_import;

#endif
