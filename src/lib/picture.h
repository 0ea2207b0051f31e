/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_PICTURE_H
#define CAT_LIB_PICTURE_H

#include <apr_pools.h>

/* What the first octets of a picture say of it, without decoding it. */
typedef enum {
    CAT_PICTURE_NONE, /* it is none of these, or its size cannot be found */
    CAT_PICTURE_JPEG,
    CAT_PICTURE_PNG,
    CAT_PICTURE_WEBP,
    CAT_PICTURE_AVIF,
    CAT_PICTURE_GIF
} cat_picture_kind_t;

typedef struct cat_picture_t {
    cat_picture_kind_t kind;
    apr_uint32_t width, height; /* as it is declared, before it is turned upright; of AVIF, the largest that is */
    int is_grey;                /* true if it is a JPEG or PNG file with one channel, not counting transparency */
    int has_profile;            /* true if the file seems to embed a colour profile for the channels that it has */
} cat_picture_t;

/* data: the whole file. */
cat_picture_t cat_picture_read(const char *data, apr_size_t length);

/* A WebP file without anything but its picture: no profile of colours, no metadata. On the pool; *length is that of the result. NULL: it is no
 * WebP file, is cut off, or has no picture, or several. */
const char *cat_picture_strip(apr_pool_t *pool, const char *data, apr_size_t *length);

#endif
