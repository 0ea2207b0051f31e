/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_MOUNT_CONFLICTS_H
#define CAT_HTTPD_MOUNT_CONFLICTS_H

#include "httpd/server.h"

/* Finds mistakes in pairs of mounts: two mounts with different databases that accept the same access tokens or share
 * one CatalogImageCache, or two mounts with one database that give a field different types. Call it when the mounts of
 * all servers are known. Returns NULL if there is no mistake. Otherwise returns the cause and the line to write, on the
 * pool, and sets *where to the mount to which the line must be added. */
const char *cat_mount_conflicts_check(apr_pool_t *pool, const server_rec *main_server, const cat_mount_t **where);

/* Returns true if AuthType Catalog guards the section and the section sets neither CatalogIssuer nor
 * CatalogAudience. */
int cat_mount_conflicts_is_guard(apr_pool_t *pool, const ap_directive_t *section);

/* Checks that a guarded section with these settings accepts the tokens of a mount of its server if it shares a signing
 * key with one. Returns NULL if it does, or shares no key. Otherwise returns the cause and the lines to write, on the
 * pool. */
const char *cat_mount_conflicts_check_guard(apr_pool_t *pool, const server_rec *s, const cat_conf_t *conf);

#endif
