/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_MOUNT_CONFLICTS_H
#define CAT_HTTPD_MOUNT_CONFLICTS_H

#include "httpd/server.h"

/* Finds a mount that would accept the access tokens of a mount with another database, or has its directory for pictures, or that has another
 * type for a field than a mount with the same database, once the mounts of all servers are known. NULL: there is none. Otherwise what is
 * wrong and the line to write, on the pool, and *where, the mount to add it to. */
const char *cat_mount_conflicts_check(apr_pool_t *pool, const server_rec *main_server, const cat_mount_t **where);

/* Is the section guarded by AuthType Catalog, without an issuer or an audience of its own? */
int cat_mount_conflicts_is_guard(apr_pool_t *pool, const ap_directive_t *section);

/* Does such a section, with these settings, accept the tokens of a mount of its server, if it has a key of one? NULL: it does, or has none.
 * Otherwise what is wrong and what to write, on the pool. */
const char *cat_mount_conflicts_check_guard(apr_pool_t *pool, const server_rec *s, const cat_conf_t *conf);

#endif
