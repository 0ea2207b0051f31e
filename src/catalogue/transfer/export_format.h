/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_EXPORT_FORMAT_H
#define CAT_CATALOGUE_EXPORT_FORMAT_H

#include "lib/buffer.h"

/* How a CSV file is written; all 0 but the delimiter: as RFC 4180 has it. */
typedef struct cat_export_style_t {
    char delimiter;
    int has_comma; /* flag: numbers have a decimal comma */
    int has_mark;  /* flag: a byte order mark comes first */
    int is_safe;   /* flag: texts have an apostrophe before what a spreadsheet would take for a formula */
} cat_export_style_t;

/* How a file of products is written; products are in the order of catalogue/product/product.h. fields: as in catalogue/query/field_list.h. */
typedef struct cat_export_format_t {
    const char *name; /* as the parameter `format` has it; also the suffix of a file */
    const char *type; /* Content-Type */
    void (*begin)(cat_buffer_t *b, const cat_export_style_t *style, unsigned fields);
    void (*add)(cat_buffer_t *b, const cat_export_style_t *style, unsigned fields, const char *const *product,
                int is_first);
    void (*end)(cat_buffer_t *b);
} cat_export_format_t;

/* THE FORMAT TABLE; ends with a row whose name is NULL. The first is the default. */
extern const cat_export_format_t cat_export_formats[];

/* The format of this name; NULL: there is none. */
const cat_export_format_t *cat_export_format_find(const char *name);

#endif
