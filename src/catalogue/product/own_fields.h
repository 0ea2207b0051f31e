/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_OWN_FIELDS_H
#define CAT_CATALOGUE_OWN_FIELDS_H

#include "lib/fields.h"

/* Fields of the shop's own, from the lines of CatalogField: "weight number index min=0". */

#define CAT_OWN_FIELDS_MAX 64 /* of a mount */

/* What a line says beyond cat_field_t. */
typedef struct cat_own_field_t {
    const char *type;          /* as in the line: "number" */
    const char *label, *help;  /* for people; NULL: none */
    const char *const *values; /* of a choice, in their order; ends with NULL. NULL: of another type */
    const char *pattern;       /* the regular expression that a whole value must match; NULL: none */
    const char *from;          /* the field that a missing value is made of; NULL: none */
} cat_own_field_t;

/* *after: the fields of `before`, then the one of the line, on the pool. NULL, or what is wrong with the line, in words for
 * the administrator. */
const char *cat_own_fields_add(apr_pool_t *pool, const cat_fields_t *before, const char *line,
                               const cat_fields_t **after);

#endif
