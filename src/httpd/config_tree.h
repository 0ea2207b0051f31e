/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_CONFIG_TREE_H
#define CAT_HTTPD_CONFIG_TREE_H

#include <httpd.h>
#include <http_config.h>

/* The directives of other modules, read from httpd's directive tree, because the modules do not export their settings. */

/* The directives in the section of a virtual host; NULL for the main server. */
const ap_directive_t *cat_config_tree_section(const server_rec *s);

/* The first argument of the last directive of that name, on the pool: of the virtual host, or else of the main server. NULL: none. */
const char *cat_config_tree_find(apr_pool_t *pool, const server_rec *s, const char *name);

/* Calls visit for each directive, those in sections included. */
typedef void cat_config_tree_visit_t(void *baton, const ap_directive_t *directive);
void cat_config_tree_walk(const ap_directive_t *first, cat_config_tree_visit_t *visit, void *baton);

/* The path that a section names; NULL: it has a pattern. */
const char *cat_config_tree_path(apr_pool_t *pool, const ap_directive_t *section);

/* Does a section of the path `above`, whatever slashes it ends with, cover the other path? A path is below itself. */
int cat_config_tree_is_below(const char *path, const char *above);

#endif
