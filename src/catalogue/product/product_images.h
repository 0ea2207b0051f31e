/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_PRODUCT_IMAGES_H
#define CAT_CATALOGUE_PRODUCT_IMAGES_H

#include "db/db.h"
#include "lib/fields.h"

/*
 * The pictures of a product, where CatalogImages is On. They are a field of the mount's table, images, whose text in a record is a JSON
 * array: [{"id": ..., "width": 1600, "height": 1200, "alt": "From above"}], in their order. Answers have the addresses of each picture
 * besides. Only cat_products_update_one and its neighbours change the field, as a change says.
 *
 * The octets of a picture are in the table image_parts, a set of rows for each size, and what they add up to in the table images.
 */

#define CAT_IMAGES_MOST 32        /* of a product */
#define CAT_IMAGES_ALT_MOST 200   /* characters */
#define CAT_IMAGES_EDGE_MOST 4096 /* pixels of what is stored */

typedef struct cat_image_t {
    const char *id; /* lib/id.h; nobody can guess it */
    int width, height;
    const char *alt; /* what it shows, for those who cannot see it; may be "" */
} cat_image_t;

/* The sizes in which a picture is served: pixels of width, ascending, the last one is its own. Returns their number. */
#define CAT_IMAGES_SIZES_MOST 4
int cat_product_images_widths(const cat_image_t *image, int widths[CAT_IMAGES_SIZES_MOST]);
int cat_product_images_height(const cat_image_t *image, int width);

/* The row of the field table; the addresses begin with that of the mount. On the pool. */
cat_field_t cat_product_images_field(apr_pool_t *pool, const char *mount_uri);
extern const struct cat_own_field_t cat_product_images_own;

/* The index of the field; fields->count: the mount has no pictures. */
int cat_product_images_find(const cat_fields_t *fields);

/* What answers have of a picture. mount_uri: as above. */
void cat_product_images_write(cat_buffer_t *b, const char *mount_uri, const cat_image_t *image);

/* ---- changes ---- */

/* The value of the field in the input of an update is a change: a text on the pool. */

/* What a client sent: an array of {id, alt}, or null. The pictures are to be those, in that order; one without alt keeps its own. NULL:
 * *fault says what is wrong. */
const char *cat_product_images_arrange(apr_pool_t *pool, const json_t *images, cat_field_fault_t *fault);

/* place: 1 is the first; 0: behind all others. */
const char *cat_product_images_add(apr_pool_t *pool, const cat_image_t *image, int place);
const char *cat_product_images_remove(apr_pool_t *pool, const char *id);

/* images: what the field is to be, whatever it was; NULL: no picture. */
const char *cat_product_images_replace(apr_pool_t *pool, const char *images);

/* The product has no picture of an id that the change names; it would have more than CAT_IMAGES_MOST. */
#define CAT_ENOIMAGE (APR_OS_START_USERERR + 25)
#define CAT_EIMAGES (APR_OS_START_USERERR + 26)

/* *after: the field's text when the change was made, NULL if no picture is left. before: NULL if there was none. */
apr_status_t cat_product_images_apply(apr_pool_t *pool, const char *before, const char *change, const char **after);

/* How many pictures the text has; and have two the same, in the same order, with the same texts? NULL: there are none. */
int cat_product_images_count(apr_pool_t *pool, const char *text);
int cat_product_images_are_equal(apr_pool_t *pool, const char *one, const char *other);

/* ---- rows ---- */

#define CAT_IMAGES_PORTION 48000 /* octets of a row of image_parts: 64,000 characters */

/* All in the transaction of the write that names the pictures. digest: SHA-256 of the file that was sent, in hexadecimal. size: an own name
 * for each size, ID-WIDTH. */
apr_status_t cat_product_images_insert(cat_db_t *db, const char *product, const cat_image_t *image, apr_int64_t octets,
                                       const char *digest);
apr_status_t cat_product_images_insert_part(cat_db_t *db, const char *size, int part, const char *data,
                                            apr_size_t length);

/* Deletes the rows of the pictures that `before` has and `after` has not; either may be NULL. */
apr_status_t cat_product_images_drop(cat_db_t *db, const char *before, const char *after);

/* The same of all pictures of a product; NULL: of up to 100 pictures whose product is gone. */
apr_status_t cat_product_images_drop_all(cat_db_t *db, const char *product);

#endif
