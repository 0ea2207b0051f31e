/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_PRODUCTS_H
#define CTL_PRODUCTS_H

#include "ctl/ctl.h"

/* export and import with --products: files of products, as GET /products/export and POST /products/import have them. */
ctl_command_t ctl_products_export, ctl_products_import;

/* Without a configuration and lines of its own, a command has the fields that the database knows. Returns a fault. */
const char *ctl_products_take_fields(ctl_t *ctl);

#endif
