/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_EXPORT_FORMAT_H
#define CAT_CATALOGUE_EXPORT_FORMAT_H

#include "catalogue/query/field_list.h"
#include "lib/buffer.h"

/* How a file is written: which fields of a product; and, all 0 but the delimiter: CSV as RFC 4180 has it. */
typedef struct cat_export_style_t {
    const cat_fields_t *all;
    cat_field_set_t fields;
    char delimiter;
    int has_comma; /* flag: numbers have a decimal comma */
    int has_mark;  /* flag: a byte order mark comes first */
    int is_safe;   /* flag: texts have an apostrophe before what a spreadsheet would take for a formula */
    void (*adapt)(void *baton, apr_pool_t *pool, const char **record); /* changes what is written of a product; NULL */
    void *baton;                                                       /* of adapt */
} cat_export_style_t;

/* How a file of products is written. product: a record of all fields; those in the set are written. */
typedef struct cat_export_format_t {
    const char *name; /* as the parameter `format` has it; also the suffix of a file */
    const char *type; /* Content-Type */
    void (*begin)(cat_buffer_t *b, const cat_export_style_t *style);
    void (*add)(cat_buffer_t *b, const cat_export_style_t *style, const char *const *product, int is_first);
    void (*end)(cat_buffer_t *b);
} cat_export_format_t;

/* THE FORMAT TABLE; ends with a row whose name is NULL. The first is the default. */
extern const cat_export_format_t cat_export_formats[];

/* The format of this name; NULL: there is none. */
const cat_export_format_t *cat_export_format_find(const char *name);

#endif
