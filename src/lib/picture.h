/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_PICTURE_H
#define CAT_LIB_PICTURE_H

#include <apr_pools.h>

/* Kinds of pictures that cat_picture_read recognizes. */
typedef enum {
    CAT_PICTURE_NONE, /* none of these kinds, or the size cannot be found */
    CAT_PICTURE_JPEG,
    CAT_PICTURE_PNG,
    CAT_PICTURE_WEBP,
    CAT_PICTURE_AVIF,
    CAT_PICTURE_GIF
} cat_picture_kind_t;

typedef struct cat_picture_t {
    cat_picture_kind_t kind;
    apr_uint32_t width, height; /* declared size, before rotation upright; for AVIF, that of the largest image */
    int is_grey;                /* true if the file is a JPEG or PNG file with one channel, not counting transparency */
    int has_profile;            /* true if the file seems to embed a colour profile for the channels that it has */
} cat_picture_t;

/* Reads a picture's kind and declared size. `data` is the whole file. The kind is CAT_PICTURE_NONE if the file is not
 * recognized. */
cat_picture_t cat_picture_read(const char *data, apr_size_t length);

/* Returns a WebP file with the picture only, without colour profile and metadata, on the pool, and sets *length to its
 * length. Returns NULL if the data is not a WebP file, is incomplete, or does not have exactly one picture. */
const char *cat_picture_strip(apr_pool_t *pool, const char *data, apr_size_t *length);

#endif
