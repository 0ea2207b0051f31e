/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_TOKEN_SCOPE_H
#define CAT_HTTPD_TOKEN_SCOPE_H

#include "httpd/server.h"

/* Finds a mount that would accept the access tokens of a mount with another database, once the mounts of all servers are known. NULL:
 * there is none. Otherwise what is wrong and the line to write, on the pool, and *where, the mount to add it to. */
const char *cat_token_scope_check(apr_pool_t *pool, const server_rec *main_server, const cat_mount_t **where);

#endif
