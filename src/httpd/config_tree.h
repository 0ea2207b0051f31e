/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_CONFIG_TREE_H
#define CAT_HTTPD_CONFIG_TREE_H

#include <httpd.h>
#include <http_config.h>

/* Reads directives of other modules from httpd's directive tree, because these modules do not export their settings. */

/* Returns the directives in the section of a virtual host, or NULL for the main server. */
const ap_directive_t *cat_config_tree_section(const server_rec *s);

/* Returns the first argument of the last directive with this name in the virtual host, or else in the main server, on
 * the pool. Searches no sections within them. Returns NULL if the directive is not set. */
const char *cat_config_tree_find(apr_pool_t *pool, const server_rec *s, const char *name);

/* Calls `visit` for each directive from `first` on, including directives within sections. */
typedef void cat_config_tree_visit_t(void *baton, const ap_directive_t *directive);
void cat_config_tree_walk(const ap_directive_t *first, cat_config_tree_visit_t *visit, void *baton);

/* Returns the path that a section names, or NULL if the section has a pattern. */
const char *cat_config_tree_path(apr_pool_t *pool, const ap_directive_t *section);

/* Returns true if a section with the path `above`, with or without slashes at its end, covers `path`. A path covers
 * itself. */
int cat_config_tree_is_below(const char *path, const char *above);

#endif
