/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_IMAGE_ADDER_H
#define CTL_IMAGE_ADDER_H

#include "catalogue/images.h"
#include "catalogue/store.h"
#include "ctl/ctl.h"

/*
 * Adds picture files to products, one after the other, each in a transaction of its own; or replaces all pictures of a product. A file that the
 * product already has, whatever its name, is not added again: the database keeps the digest of each file that was sent. So a command that was
 * interrupted can be repeated.
 */
typedef struct ctl_image_adder_t {
    ctl_t *ctl;
    cat_conf_t conf; /* of the database, with the field images */
    cat_semaphore_t *turns;
    apr_pool_t *pool; /* of a file: the caller clears it */
    cat_db_t *db;     /* of this pool: ctl_image_adder_renew */
    apr_int64_t added, there, refused;
} ctl_image_adder_t;

typedef enum {
    CTL_IMAGE_ADDED,   /* or, with --dry-run, it would be */
    CTL_IMAGE_THERE,   /* the product has it already */
    CTL_IMAGE_REFUSED, /* reported */
    CTL_IMAGE_STOPPED  /* nothing more can be added; reported */
} ctl_image_result_t;

/* Takes the fields of products, and what the configuration says of pictures. Returns a fault. */
const char *ctl_image_adder_begin(ctl_t *ctl, ctl_image_adder_t *adder);

/* Clears the pool; another use of the database. */
void ctl_image_adder_renew(ctl_image_adder_t *adder);

/* *id: of the product "id" or "sku=KT-1", on the adder's pool. APR_NOTFOUND, CAT_EFILLING. */
apr_status_t ctl_image_adder_find(const ctl_image_adder_t *adder, const char *name, const char **id);

/* Is the file, by its first octets, a picture? NULL: it is, otherwise what is wrong. */
const char *ctl_image_adder_check(apr_pool_t *pool, const char *path);

/* place: 1 is the first, 0 behind all others. */
ctl_image_result_t ctl_image_adder_add(ctl_image_adder_t *adder, const char *product, const char *path, int place);

/* Makes these files, const char *, the pictures of the product, in this order: all of them, or, if one is refused, none. Several that are equal are
 * one picture, but files that an export has written are as many as they were. CTL_IMAGE_THERE: done. */
ctl_image_result_t ctl_image_adder_replace(ctl_image_adder_t *adder, const char *product,
                                           const apr_array_header_t *paths);

#endif
