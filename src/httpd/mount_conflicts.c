/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds mistakes in the configuration that no section shows alone: settings that two mounts must not share, or must
 * share.
 *
 * An access token names a user, a role and a session of one database. Each mount that has the signing key and expects
 * the same issuer and audience accepts the token. If these mounts had different databases, the administrators of one
 * would have the rights of administrators of the other; see docs/decisions/0070-tokens-stay-with-their-database.md.
 * Such mounts would also remove each other's pictures from a common CatalogImageCache.
 *
 * Two mounts with one database must give a field the same type.
 *
 * A section with AuthType Catalog may have a mount's signing key but the default issuer and audience, where the mount
 * has its own. It would refuse the mount's tokens.
 */
#include "httpd/mount_conflicts.h"

#include <apr_file_info.h>
#include <apr_strings.h>
#include <string.h>

#include "catalogue/store.h"
#include "db/db.h"
#include "http/uri.h"
#include "httpd/authz.h"
#include "httpd/config_tree.h"
#include "jose/keyring.h"

/* A mount, its settings and its database. */
typedef struct side_t {
    const cat_mount_t *mount;
    const cat_conf_t *conf;
    const char *database; /* Result of cat_server_database_key. */
} side_t;

static void add_sides(apr_pool_t *pool, const server_rec *s, apr_array_header_t *sides)
{
    const apr_array_header_t *mounts = cat_server_get(s)->mounts;

    for (int i = 0; i < mounts->nelts; i++) {
        side_t *side = apr_array_push(sides);
        side->mount = APR_ARRAY_IDX(mounts, i, cat_mount_t *);
        side->conf = side->mount->conf;
        side->database = cat_server_database_key(pool, side->mount);
    }
}

/* Lists the mounts in the order of the configuration, so that an error names the later mount. httpd lists the last
 * virtual host first. */
static apr_array_header_t *list_sides(apr_pool_t *pool, const server_rec *main_server)
{
    apr_array_header_t *sides = apr_array_make(pool, 8, sizeof(side_t));
    apr_array_header_t *hosts = apr_array_make(pool, 8, sizeof(server_rec *));
    const server_rec **host;

    for (const server_rec *s = main_server->next; s; s = s->next) {
        APR_ARRAY_PUSH(hosts, const server_rec *) = s;
    }
    add_sides(pool, main_server, sides);
    while ((host = apr_array_pop(hosts))) {
        add_sides(pool, *host, sides);
    }
    return sides;
}

static int is_same_file(apr_pool_t *pool, const char *path, const char *other)
{
    apr_finfo_t info, others;

    return apr_stat(&info, path, APR_FINFO_IDENT, pool) == APR_SUCCESS &&
           apr_stat(&others, other, APR_FINFO_IDENT, pool) == APR_SUCCESS && info.device == others.device &&
           info.inode == others.inode;
}

/* Returns true if the mounts have the same source or the same parameters. Parameters with different spellings count as
 * different databases, although they may name one. */
static int has_same_database(const side_t *a, const side_t *b)
{
    return a->mount->source == b->mount->source || !strcmp(a->database, b->database);
}

static int accepts_same(const cat_conf_t *one, const cat_conf_t *other)
{
    return !strcmp(one->issuer, other->issuer) && !strcmp(one->audience, other->audience);
}

static int has_same_tokens(apr_pool_t *, const side_t *one, const side_t *other)
{
    return accepts_same(one->conf, other->conf) && cat_keyring_shares(one->conf->keys, other->conf->keys);
}

static int has_same_files(apr_pool_t *pool, const side_t *one, const side_t *other)
{
    const char *files = one->conf->image_cache, *others = other->conf->image_cache;

    return one->conf->images && other->conf->images && (!strcmp(files, others) || is_same_file(pool, files, others));
}

static const char *name_section(apr_pool_t *pool, const side_t *side)
{
    return apr_psprintf(pool, "<Location \"%s\"> of %s", cat_conf_location(side->conf),
                        side->mount->server->server_hostname);
}

static const char *explain_tokens(apr_pool_t *pool, const side_t *one, const side_t *other)
{
    return apr_psprintf(
        pool,
        "would accept the access tokens of %s, which has another database: they have a "
        "key, CatalogIssuer and CatalogAudience in common. Write in %s: "
        "CatalogAudience %s%s; the same in sections with AuthType Catalog that are for its users; or, if it is the "
        "same database, the same parameters for both",
        name_section(pool, one), name_section(pool, other), other->mount->server->server_hostname,
        cat_uri_encode_path(pool, other->conf->mount));
}

static const char *explain_files(apr_pool_t *pool, const side_t *one, const side_t *)
{
    return apr_psprintf(
        pool,
        "has the CatalogImageCache of %s, which has another database: each server would remove "
        "the pictures of the other one. Give it a directory of its own; or, if it is the same database, write the same "
        "parameters for both",
        name_section(pool, one));
}

/* Settings that mounts with different databases must not share. */
static const struct conflict_t {
    int (*exists)(apr_pool_t *pool, const side_t *one, const side_t *other);
    const char *(*explain)(apr_pool_t *pool, const side_t *one, const side_t *other);
} conflicts[] = {{has_same_tokens, explain_tokens}, {has_same_files, explain_files}};

#define CONFLICTS (sizeof(conflicts) / sizeof(conflicts[0]))

/* Refuses different types, or spellings, of a field in two mounts with one database. Otherwise the first request would
 * decide which type the field has, and how its name is spelled. */
static const char *check_types(apr_pool_t *pool, const side_t *one, const side_t *other)
{
    const cat_fields_t *earlier = cat_product_fields_of(one->conf), *fields = cat_product_fields_of(other->conf);

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        const char *name = fields->all[i].name, *type = fields->own[i]->type->name;
        int known = fields->all[i].flags & CAT_OWN ? cat_own_field_find(earlier, name) : earlier->count;
        if (known < earlier->count &&
            (strcmp(earlier->all[known].name, name) != 0 || strcmp(earlier->own[known]->type->name, type) != 0)) {
            return apr_psprintf(pool,
                                "has CatalogField %s %s, but %s, which has the same database, has CatalogField %s %s; "
                                "write the same in both",
                                name, type, name_section(pool, one), earlier->all[known].name,
                                earlier->own[known]->type->name);
        }
    }
    return NULL;
}

/* Returns NULL if the two mounts do not conflict, otherwise the cause and the remedy. */
static const char *compare_mounts(apr_pool_t *pool, const side_t *one, const side_t *other)
{
    if (has_same_database(one, other)) {
        return check_types(pool, one, other);
    }
    for (size_t i = 0; i < CONFLICTS; i++) {
        if (conflicts[i].exists(pool, one, other)) {
            return conflicts[i].explain(pool, one, other);
        }
    }
    return NULL;
}

const char *cat_mount_conflicts_check(apr_pool_t *pool, const server_rec *main_server, const cat_mount_t **where)
{
    const apr_array_header_t *sides = list_sides(pool, main_server);
    const side_t *all = (const side_t *)sides->elts;
    const char *fault = NULL;

    for (int i = 1; i < sides->nelts && !fault; i++) {
        *where = all[i].mount;
        for (int k = 0; k < i && !fault; k++) {
            fault = compare_mounts(pool, &all[k], &all[i]);
        }
    }
    return fault;
}

/* ---- guarded sections ---- */

typedef struct guard_t {
    apr_pool_t *pool;
    int is_ours;       /* True if the section has AuthType Catalog. */
    int is_deliberate; /* True if the section itself says whose tokens it accepts. */
} guard_t;

static void read_directive(void *baton, const ap_directive_t *d)
{
    guard_t *guard = baton;
    const char *args = d->args;

    if (!strcasecmp(d->directive, "AuthType")) {
        guard->is_ours = cat_authz_is_ours(ap_getword_conf(guard->pool, &args));
    }
    guard->is_deliberate |= !strcasecmp(d->directive, "CatalogIssuer") || !strcasecmp(d->directive, "CatalogAudience");
}

int cat_mount_conflicts_is_guard(apr_pool_t *pool, const ap_directive_t *section)
{
    guard_t guard = {.pool = pool};

    cat_config_tree_walk(section->first_child, read_directive, &guard);
    return guard.is_ours && !guard.is_deliberate;
}

const char *cat_mount_conflicts_check_guard(apr_pool_t *pool, const server_rec *s, const cat_conf_t *conf)
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
                                 cat_conf_location(missed), missed->issuer, missed->audience)
                  : NULL;
}
