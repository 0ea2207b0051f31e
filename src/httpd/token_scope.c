/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An access token names a user, a role and a session of one database, and each mount that has the key and expects the same issuer and
 * audience accepts it. Mounts with different databases would then give the administrators of one the rights of administrators of the
 * other, so such a pair is a mistake in the configuration. Mounts with one database may share all three. A section with AuthType Catalog
 * that has a mount's key, but the defaults of issuer and audience where the mount has its own, is one, too. See
 * docs/decisions/0070-tokens-stay-with-their-database.md. So is one directory for the pictures of two databases, and a field that one
 * database would have with two types.
 */
#include "httpd/token_scope.h"

#include <apr_file_info.h>
#include <apr_strings.h>
#include <string.h>

#include "catalogue/store.h"
#include "db/db.h"
#include "http/uri.h"
#include "httpd/authz.h"
#include "httpd/config_tree.h"
#include "jose/keyring.h"

typedef struct scope_t {
    const cat_mount_t *mount;
    const char *driver;
    const char *params;
} scope_t;

static void add_scopes(apr_pool_t *pool, const server_rec *s, apr_array_header_t *scopes)
{
    const apr_array_header_t *mounts = cat_server_get(s)->mounts;

    for (int i = 0; i < mounts->nelts; i++) {
        scope_t *scope = apr_array_push(scopes);
        scope->mount = APR_ARRAY_IDX(mounts, i, cat_mount_t *);
        cat_server_database(pool, scope->mount, &scope->driver, &scope->params);
        scope->params = scope->params ? scope->params : "";
    }
}

/* In the order of the configuration, so that the line is for the later mount. httpd lists the last virtual host first. */
static apr_array_header_t *list_scopes(apr_pool_t *pool, const server_rec *main_server)
{
    apr_array_header_t *scopes = apr_array_make(pool, 8, sizeof(scope_t));
    apr_array_header_t *hosts = apr_array_make(pool, 8, sizeof(server_rec *));
    const server_rec **host;

    for (const server_rec *s = main_server->next; s; s = s->next) {
        APR_ARRAY_PUSH(hosts, const server_rec *) = s;
    }
    add_scopes(pool, main_server, scopes);
    while ((host = apr_array_pop(hosts))) {
        add_scopes(pool, *host, scopes);
    }
    return scopes;
}

static int is_same_file(apr_pool_t *pool, const char *path, const char *other)
{
    apr_finfo_t info, others;

    return apr_stat(&info, path, APR_FINFO_IDENT, pool) == APR_SUCCESS &&
           apr_stat(&others, other, APR_FINFO_IDENT, pool) == APR_SUCCESS && info.device == others.device &&
           info.inode == others.inode;
}

/* A server's database has as many names as its parameters have spellings: only equal ones count as the same. */
static int has_same_database(apr_pool_t *pool, const scope_t *a, const scope_t *b)
{
    return a->mount->source == b->mount->source ||
           (!strcmp(a->driver, b->driver) &&
            (!strcmp(a->params, b->params) ||
             (cat_dialect_find(a->driver)->file && is_same_file(pool, a->params, b->params))));
}

static int accepts_same(const cat_conf_t *one, const cat_conf_t *other)
{
    return !strcmp(one->issuer, other->issuer) && !strcmp(one->audience, other->audience);
}

static int has_same_tokens(apr_pool_t *pool, const scope_t *a, const scope_t *b)
{
    (void)pool;
    return accepts_same(a->mount->conf, b->mount->conf) &&
           cat_keyring_shares(a->mount->conf->keys, b->mount->conf->keys);
}

static int has_same_files(apr_pool_t *pool, const scope_t *a, const scope_t *b)
{
    const cat_conf_t *one = a->mount->conf, *other = b->mount->conf;

    return one->images && other->images &&
           (!strcmp(one->image_cache, other->image_cache) || is_same_file(pool, one->image_cache, other->image_cache));
}

static const char *explain_tokens(apr_pool_t *pool, const scope_t *one, const scope_t *other)
{
    const char *host = other->mount->server->server_hostname, *mount = other->mount->conf->mount;

    return apr_psprintf(
        pool,
        "would accept the access tokens of <Location \"%s\"> of %s, which has another database: they have a "
        "key, CatalogIssuer and CatalogAudience in common. Write in <Location \"%s\"> of %s: "
        "CatalogAudience %s%s; the same in sections with AuthType Catalog that are for its users; or, if it is the "
        "same database, the same parameters for both",
        *one->mount->conf->mount ? one->mount->conf->mount : "/", one->mount->server->server_hostname,
        *mount ? mount : "/", host, host, cat_uri_encode_path(pool, mount));
}

static const char *explain_files(apr_pool_t *pool, const scope_t *one, const scope_t *other)
{
    (void)other;
    return apr_psprintf(
        pool,
        "has the CatalogImageCache of <Location \"%s\"> of %s, which has another database: each server would remove "
        "the pictures of the other one. Give it a directory of its own; or, if it is the same database, write the same "
        "parameters for both",
        *one->mount->conf->mount ? one->mount->conf->mount : "/", one->mount->server->server_hostname);
}

/* What mounts with different databases must not have in common. */
static const struct conflict_t {
    int (*exists)(apr_pool_t *pool, const scope_t *one, const scope_t *other);
    const char *(*explain)(apr_pool_t *pool, const scope_t *one, const scope_t *other);
} conflicts[] = {{has_same_tokens, explain_tokens}, {has_same_files, explain_files}};

#define CONFLICTS (sizeof(conflicts) / sizeof(conflicts[0]))

/* Mounts with one database must have one type for each field, and one spelling of its name: otherwise the first request would decide which of
 * them works. */
static const char *check_types(apr_pool_t *pool, const scope_t *one, const scope_t *other)
{
    const cat_fields_t *earlier = cat_product_fields_of(one->mount->conf);
    const cat_fields_t *fields = cat_product_fields_of(other->mount->conf);

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        int known = fields->all[i].flags & CAT_OWN ? cat_own_field_find(earlier, fields->all[i].name) : earlier->count;
        if (known < earlier->count && (strcmp(earlier->all[known].name, fields->all[i].name) != 0 ||
                                       strcmp(earlier->own[known]->type, fields->own[i]->type) != 0)) {
            return apr_psprintf(
                pool,
                "has CatalogField %s %s, but <Location \"%s\"> of %s, which has the same database, has "
                "CatalogField %s %s; write the same in both",
                fields->all[i].name, fields->own[i]->type, *one->mount->conf->mount ? one->mount->conf->mount : "/",
                one->mount->server->server_hostname, earlier->all[known].name, earlier->own[known]->type);
        }
    }
    return NULL;
}

/* NULL: the scope has nothing in common with the earlier one that it must not have. */
static const char *find_fault(apr_pool_t *pool, const scope_t *earlier, const scope_t *scope)
{
    if (has_same_database(pool, earlier, scope)) {
        return check_types(pool, earlier, scope);
    }
    for (size_t i = 0; i < CONFLICTS; i++) {
        if (conflicts[i].exists(pool, earlier, scope)) {
            return conflicts[i].explain(pool, earlier, scope);
        }
    }
    return NULL;
}

const char *cat_token_scope_check(apr_pool_t *pool, const server_rec *main_server, const cat_mount_t **where)
{
    const apr_array_header_t *scopes = list_scopes(pool, main_server);
    const scope_t *all = (const scope_t *)scopes->elts;
    const char *fault = NULL;

    for (int i = 1; i < scopes->nelts && !fault; i++) {
        *where = all[i].mount;
        for (int k = 0; k < i && !fault; k++) {
            fault = find_fault(pool, &all[k], &all[i]);
        }
    }
    return fault;
}

/* ---- guarded sections ---- */

typedef struct guard_t {
    apr_pool_t *pool;
    int is_ours;       /* flag: AuthType Catalog */
    int is_deliberate; /* flag: it says itself whose tokens it takes */
} guard_t;

static void note_directive(void *baton, const ap_directive_t *d)
{
    guard_t *guard = baton;
    const char *args = d->args;

    if (!strcasecmp(d->directive, "AuthType")) {
        guard->is_ours = cat_authz_is_ours(ap_getword_conf(guard->pool, &args));
    }
    guard->is_deliberate |= !strcasecmp(d->directive, "CatalogIssuer") || !strcasecmp(d->directive, "CatalogAudience");
}

int cat_token_scope_is_guard(apr_pool_t *pool, const ap_directive_t *section)
{
    guard_t guard = {.pool = pool};

    cat_config_tree_walk(section->first_child, note_directive, &guard);
    return guard.is_ours && !guard.is_deliberate;
}

const char *cat_token_scope_check_guard(apr_pool_t *pool, const server_rec *s, const cat_conf_t *conf)
{
    const apr_array_header_t *mounts = cat_server_get(s)->mounts;
    const cat_conf_t *missed = NULL;

    for (int i = 0; i < mounts->nelts && conf->keys; i++) {
        const cat_conf_t *mount = APR_ARRAY_IDX(mounts, i, const cat_mount_t *)->conf;
        if (cat_keyring_shares(conf->keys, mount->keys)) {
            if (accepts_same(conf, mount)) {
                return NULL;
            }
            missed = mount;
        }
    }
    return missed ? apr_psprintf(pool,
                                 "has AuthType Catalog and a key of <Location \"%s\">, but would refuse its tokens; "
                                 "write in it: CatalogIssuer \"%s\" and CatalogAudience \"%s\"",
                                 *missed->mount ? missed->mount : "/", missed->issuer, missed->audience)
                  : NULL;
}
