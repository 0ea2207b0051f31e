/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_LIFECYCLE_H
#define CAT_HTTPD_LIFECYCLE_H

#include <httpd.h>

/* Hooks; see mod_catalog.c. */
int cat_lifecycle_check_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *main_server);
int cat_lifecycle_post_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *main_server);
void cat_lifecycle_child_init(apr_pool_t *pchild, server_rec *main_server);

#endif
