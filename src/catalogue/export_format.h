/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_EXPORT_FORMAT_H
#define CAT_CATALOGUE_EXPORT_FORMAT_H

#include "lib/buffer.h"

/* How a file of products is written; products are in the order of catalogue/product.h. */
typedef struct cat_export_format_t {
    const char *name;                                /* as the parameter `format` has it; also the suffix of a file */
    const char *type;                                /* Content-Type */
    void (*begin)(cat_buffer_t *b, unsigned fields); /* fields: as in catalogue/field_list.h */
    void (*add)(cat_buffer_t *b, unsigned fields, const char *const *product, int is_first);
    void (*end)(cat_buffer_t *b);
} cat_export_format_t;

/* THE FORMAT TABLE; ends with a row whose name is NULL. The first is the default. */
extern const cat_export_format_t cat_export_formats[];

/* The format of this name; is_safe: the one that writes texts which a spreadsheet would take for formulas with an
 * apostrophe before them, where there is one. NULL: there is no such format. */
const cat_export_format_t *cat_export_format_find(const char *name, int is_safe);

#endif
