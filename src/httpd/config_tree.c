/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/config_tree.h"

#include <apr_strings.h>
#include <string.h>
#include <util_cfgtree.h>

/* Returns the first argument of the last such directive, which is the one in force. */
static const char *find_argument(apr_pool_t *pool, const ap_directive_t *first, const char *name)
{
    const char *value = NULL;

    for (const ap_directive_t *d = first; d; d = d->next) {
        if (!strcasecmp(d->directive, name)) {
            const char *args = d->args;
            value = ap_getword_conf(pool, &args);
        }
    }
    return value;
}

const ap_directive_t *cat_config_tree_section(const server_rec *s)
{
    for (const ap_directive_t *d = s->is_virtual ? ap_conftree : NULL; d; d = d->next) {
        if (!strcasecmp(d->directive, "<VirtualHost") && (unsigned)d->line_num == s->defn_line_number &&
            !strcmp(d->filename, s->defn_name)) {
            return d->first_child;
        }
    }
    return NULL;
}

const char *cat_config_tree_find(apr_pool_t *pool, const server_rec *s, const char *name)
{
    const char *value = find_argument(pool, cat_config_tree_section(s), name);
    return value ? value : find_argument(pool, ap_conftree, name);
}

void cat_config_tree_walk(const ap_directive_t *first, cat_config_tree_visit_t *visit, void *baton)
{
    for (const ap_directive_t *d = first; d; d = d->next) {
        visit(baton, d);
        cat_config_tree_walk(d->first_child, visit, baton);
    }
}

const char *cat_config_tree_path(apr_pool_t *pool, const ap_directive_t *section)
{
    const char *args = apr_pstrmemdup(pool, section->args, strcspn(section->args, ">"));
    const char *path = ap_getword_conf(pool, &args);

    return *path == '~' || strpbrk(path, "*?[") ? NULL : path;
}

int cat_config_tree_is_below(const char *path, const char *above)
{
    apr_size_t length = strlen(above);

    while (length > 0 && above[length - 1] == '/') {
        length--;
    }
    return !strncmp(path, above, length) && (path[length] == '/' || path[length] == '\0');
}
