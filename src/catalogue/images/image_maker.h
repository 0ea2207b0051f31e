/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_IMAGE_MAKER_H
#define CAT_CATALOGUE_IMAGE_MAKER_H

#include <apr_pools.h>

#include "catalogue/product/product_images.h"
#include "lib/conf.h"
#include "lib/log.h"

typedef struct cat_metrics_t cat_metrics_t;
typedef struct cat_semaphore_t cat_semaphore_t;

/* What a picture is made with. */
typedef struct cat_image_maker_t {
    apr_pool_t *pool;
    const cat_conf_t *conf;
    const cat_log_t *log;
    cat_semaphore_t *turns;       /* held while programs run */
    const cat_metrics_t *metrics; /* NULL: nothing is counted */
    const char *party;            /* for whom: users take turns */
    apr_interval_time_t most; /* longest wall-clock time for all sizes of a picture, without the wait for its turn */
} cat_image_maker_t;

typedef struct cat_image_size_t {
    int width;
    const char *data; /* WebP */
    apr_size_t length;
} cat_image_size_t;

/* A picture in all its sizes, on the pool. */
typedef struct cat_image_made_t {
    int width, height;
    int count;
    cat_image_size_t sizes[CAT_IMAGES_SIZES_MOST]; /* ascending */
    apr_int64_t octets;                            /* of all */
} cat_image_made_t;

typedef enum {
    CAT_IMAGE_MADE,
    CAT_IMAGE_UNKNOWN,    /* it is none of the kinds of pictures that are taken */
    CAT_IMAGE_TOO_LARGE,  /* it has more than CAT_IMAGE_PIXELS_MOST */
    CAT_IMAGE_UNREADABLE, /* it cannot be decoded, or not within the limits of the process */
    CAT_IMAGE_COSTLY,     /* it takes more than CAT_IMAGE_CPU_MOST */
    CAT_IMAGE_BUSY,       /* others were first, for too long, which is logged; or this process must stop */
    CAT_IMAGE_ENDED, /* the program took longer than `most`, or was killed; logged. The same picture may be made later */
    CAT_IMAGE_FAULT  /* of the server, whatever the picture; logged */
} cat_image_result_t;

#define CAT_IMAGE_PIXELS_MOST 50000000
#define CAT_IMAGE_CPU_MOST 20 /* seconds of processor time, for all sizes together */

/* What is wrong with the file, in words for the user who sent it. NULL: nothing is. */
const char *cat_image_maker_explain(cat_image_result_t result);

/* file: of the picture as it was sent; its position is changed. */
cat_image_result_t cat_image_maker_make(const cat_image_maker_t *maker, int file, cat_image_made_t *made);

#endif
