/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_CONF_H
#define CAT_HTTPD_CONF_H

#include <httpd.h>
#include <http_config.h>

#include "lib/conf.h"

/* For the module record. All settings are per directory: server, virtual host and Location merge in httpd's usual
 * way. */
extern const command_rec cat_conf_directives[];
void *cat_conf_create(apr_pool_t *pool, char *path);
void *cat_conf_merge(apr_pool_t *pool, void *base, void *over);

/* Merges two sections while the configuration is read, returns the result, and keeps it in `over` for requests that
 * merge the same two sections. */
const cat_conf_t *cat_conf_merge_ahead(apr_pool_t *pool, const cat_conf_t *base, cat_conf_t *over);

/* Returns the module's settings from one of httpd's per-directory vectors, which belongs to a section or to a
 * request. */
cat_conf_t *cat_conf_get(ap_conf_vector_t *vector);

/* Sets each field that no directive has set to its default value, on the pool. Call it once per server, after the
 * configuration was read and before anything is merged onto `conf`. */
void cat_conf_fill(apr_pool_t *pool, cat_conf_t *conf);

/* Checks that the merged settings of a mount fit together. Returns NULL if they do. Otherwise returns the cause and the
 * remedy, on the pool, as the end of a sentence that begins with the section. */
const char *cat_conf_check(apr_pool_t *pool, const cat_conf_t *conf);

/* Returns the name of a directive that is set in this section itself, not in a section around it, and that applies to a
 * mount as a whole (WHOLE in httpd/directives.def). Returns NULL if no such directive is set. */
const char *cat_conf_find_whole(const cat_conf_t *section);

/* Checks that the CatalogField lines of all sections above a path fit together, and that CatalogVisible can be parsed
 * with these fields. Returns as cat_conf_check does. */
const char *cat_conf_check_fields(apr_pool_t *pool, const cat_conf_t *conf);

/* Checks that no CatalogTrust names the CatalogIssuer, in a mount or in any other section. Returns as cat_conf_check
 * does. */
const char *cat_conf_check_trusts(apr_pool_t *pool, const cat_conf_t *conf);

#endif
