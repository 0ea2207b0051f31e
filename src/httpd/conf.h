/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_CONF_H
#define CAT_HTTPD_CONF_H

#include <httpd.h>
#include <http_config.h>

#include "lib/conf.h"

/* For the module record. Settings are per directory only: server, virtual host and Location merge in httpd's usual way. */
extern const command_rec cat_conf_directives[];
void *cat_conf_create(apr_pool_t *pool, char *path);
void *cat_conf_merge(apr_pool_t *pool, void *base, void *over);

/* Merges while the configuration is read, and remembers the result for the requests that will merge the same sections. */
const cat_conf_t *cat_conf_merge_ahead(apr_pool_t *pool, const cat_conf_t *base, cat_conf_t *over);

/* The configuration in one of httpd's per-directory vectors: of a section, or of a request. */
cat_conf_t *cat_conf_get(ap_conf_vector_t *vector);

/* Sets each field that no directive has set to its default, on the pool. Call it once per server, after the configuration was read and
 * before anything is merged onto it. */
void cat_conf_fill(apr_pool_t *pool, cat_conf_t *conf);

/* Checks that the merged settings of a mount fit together. NULL: they do. Otherwise what is wrong and what to do, on the pool. */
const char *cat_conf_check(apr_pool_t *pool, const cat_conf_t *conf);

/* The name of a directive in the section, not in those around it, that is for a mount as a whole. NULL: there is none. */
const char *cat_conf_find_whole(const cat_conf_t *section);

/* Checks that the fields of the shop's own, of all sections above a path, fit together, and that CatalogVisible has conditions on them.
 * NULL: they do. */
const char *cat_conf_check_fields(apr_pool_t *pool, const cat_conf_t *conf);

/* Checks that no CatalogTrust names the CatalogIssuer, in a mount or any other section. NULL: none does. */
const char *cat_conf_check_trusts(apr_pool_t *pool, const cat_conf_t *conf);

#endif
