/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_VISIBLE_H
#define CAT_CATALOGUE_VISIBLE_H

#include "catalogue/query/query_conditions.h"

/*
 * What those see of the catalogue who may not write products: all fields but the private ones (catalogue/product/own_fields.h), and the
 * products that meet the conditions of CatalogVisible. A request of theirs has settings of its own, cat_conf_t, whose table of fields is
 * shorter and whose `visible` is set; so nothing else asks who reads.
 */
struct cat_visible_t {
    const cat_query_condition_t *conditions; /* ascending by field and operator; a field may be private */
    int count;                               /* 1 to CAT_QUERY_CONDITIONS_MAX */
    const char *text;                        /* their canonical spelling */
};

/* Reads conditions as a query string has them, "published=true&quantity[gt]=0", on the fields of conf. *visible: on the pool; NULL: all
 * products, because the text is NULL or "all". NULL, or what is wrong with the text, in words for the administrator. */
const char *cat_visible_parse(apr_pool_t *pool, const cat_conf_t *conf, const char *text,
                              const cat_visible_t **visible);

/*
 * Sets what derives from the settings: the settings of readers, and the name by which answers are cached with each. An answer is cached
 * for one of them alone, and so are those of another mount of the database that has other fields. conf->fault: what is wrong with
 * CatalogVisible.
 */
void cat_visible_derive(apr_pool_t *pool, cat_conf_t *conf);

/* The conditions followed by those of CatalogVisible, in the order of fields and operators, on the pool; *count: of all of them. */
const cat_query_condition_t *cat_visible_add(apr_pool_t *pool, const cat_visible_t *visible,
                                             const cat_query_condition_t *conditions, int *count);

#endif
