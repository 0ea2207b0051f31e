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

/* The same while the configuration is read, for each request that will do it again. */
const cat_conf_t *cat_conf_merge_ahead(apr_pool_t *pool, const cat_conf_t *base, cat_conf_t *over);

/* The configuration of a section or request; a per-directory vector of httpd. */
cat_conf_t *cat_conf_get(ap_conf_vector_t *vector);

/* Gives each field that no directive set its default, on the pool: once for each server, after its configuration is read and before
 * anything is merged onto it. */
void cat_conf_fill(apr_pool_t *pool, cat_conf_t *conf);

/* Do the settings of a mount, merged and filled, fit together? NULL: yes. Otherwise what to do, on the pool. */
const char *cat_conf_check(apr_pool_t *pool, const cat_conf_t *conf);

/* Do its issuers go together, in a mount or in any other section? NULL: yes. */
const char *cat_conf_check_trusts(apr_pool_t *pool, const cat_conf_t *conf);

#endif
