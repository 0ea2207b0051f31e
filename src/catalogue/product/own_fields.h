/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_OWN_FIELDS_H
#define CAT_CATALOGUE_OWN_FIELDS_H

#include "catalogue/product/own_field.h"

/* Fields of the shop's own, from the lines of CatalogField: "weight number index min=0". */

#define CAT_OWN_FIELDS_MAX 64 /* of a mount */

/*
 * *after: the fields of `before`, then the one of the line, but private fields are behind all others; on the pool. before: those of
 * the section so far; NULL: the built-in ones. NULL, or what is wrong with the line, in words for the administrator; then *after is
 * left alone.
 */
const char *cat_own_fields_add(apr_pool_t *pool, const cat_fields_t *before, const char *line,
                               const cat_fields_t **after);

/* The field of this name, built-in or not; fields->count: there is none. */
int cat_own_fields_find(const cat_fields_t *fields, const char *name);

/* The fields that those see who may not write products, on the pool: the table without its last fields, which are private. What the
 * fields of the one are by index, those of the other are too. */
const cat_fields_t *cat_own_fields_public(apr_pool_t *pool, const cat_fields_t *fields);

/*
 * The fields of an outer section with those of an inner one: a field of the inner section takes the place of the outer one's of the
 * same name, the others follow; private ones are the last. On the pool; what it points to is that of base and over. base, over: with
 * the built-in fields.
 */
const cat_fields_t *cat_own_fields_merge(apr_pool_t *pool, const cat_fields_t *base, const cat_fields_t *over);

/* The fields with `images` (catalogue/product/product_images.h) behind the public ones, or without it. mount_uri: of the mount, by which
 * pictures are served. fields NULL: the built-in ones. On the pool; NULL: the built-in ones. */
const cat_fields_t *cat_own_fields_with_images(apr_pool_t *pool, const cat_fields_t *fields, const char *mount_uri);
const cat_fields_t *cat_own_fields_without_images(apr_pool_t *pool, const cat_fields_t *fields);

/*
 * A pair is what a database knows of the option by=: the keys of "brand,price" are those of a brand with those of the price. Its line is
 * "brand,price pair index". Name: of the field's pair, on the pool; NULL: it has none.
 */
const cat_fields_t *cat_own_fields_add_pair(apr_pool_t *pool, const cat_fields_t *before, const char *line);
const char *cat_own_fields_name_pair(apr_pool_t *pool, const cat_fields_t *fields, int field);
const cat_fields_t *cat_own_fields_without_pairs(apr_pool_t *pool, const cat_fields_t *fields);

/*
 * Checks what can be known only when all sections are merged: how many fields there are, and that `from` names one of them. NULL: all is
 * well. Otherwise what is wrong, on the pool, and *line is the line that has it.
 */
const char *cat_own_fields_check(apr_pool_t *pool, const cat_fields_t *fields, const char **line);

#endif
