/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/require.h"

#include <apr_strings.h>
#include <string.h>

#include "httpd/config_tree.h"

static const ap_directive_t *find_enclosing(const ap_directive_t *directive, const char *name)
{
    const ap_directive_t *d = directive->parent;

    while (d && strcasecmp(d->directive, name) != 0) {
        d = d->parent;
    }
    return d;
}

/* Returns the path of the innermost section called `name` around the directive. Returns NULL if the directive is in no
 * such section, or if the section has a pattern. */
static const char *find_path(apr_pool_t *pool, const ap_directive_t *directive, const char *name)
{
    const ap_directive_t *section = find_enclosing(directive, name);
    const char *path = section ? cat_config_tree_path(pool, section) : NULL;

    return path && *path == '/' ? path : NULL;
}

/* Returns true if the directive `there` may apply to the section of `here`. Returns true as well if only a request can
 * tell: one section is for URLs and the other for files, or one has a pattern. */
static int may_apply(apr_pool_t *pool, const ap_directive_t *there, const ap_directive_t *here)
{
    static const char *const sections[] = {"<Location", "<Directory"};
    const ap_directive_t *host = find_enclosing(there, "<VirtualHost"), *own = find_enclosing(here, "<VirtualHost");

    if (host && own && host != own) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        const char *above = find_path(pool, there, sections[i]), *path = find_path(pool, here, sections[i]);
        if (above && path) {
            return cat_config_tree_is_below(path, above);
        }
    }
    return 1;
}

static int is_authentication(const ap_directive_t *d)
{
    return (!strcasecmp(d->directive, "AuthType") && strcasecmp(d->args, "None")) ||
           (!strcasecmp(d->directive, "CatalogEnable") && !strcasecmp(d->args, "On"));
}

/* Returns true if one of the directives from `first` on, or in sections within them, authenticates users for `here`. */
static int is_authenticated(apr_pool_t *pool, const ap_directive_t *first, const ap_directive_t *here)
{
    for (const ap_directive_t *d = first; d; d = d->next) {
        if ((is_authentication(d) && may_apply(pool, d, here)) || is_authenticated(pool, d->first_child, here)) {
            return 1;
        }
    }
    return 0;
}

const char *cat_require_check(cmd_parms *cmd, const char *provider)
{
    if (ap_check_cmd_context(cmd, NOT_IN_HTACCESS) || strcasecmp(cmd->directive->directive, "Require") != 0 ||
        is_authenticated(cmd->temp_pool, ap_conftree, cmd->directive)) {
        return NULL;
    }
    return apr_psprintf(cmd->pool,
                        "Require %s: no AuthType is set here, so no token would be checked; add: "
                        "AuthType Catalog",
                        provider);
}
