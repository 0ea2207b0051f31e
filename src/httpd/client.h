/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_CLIENT_H
#define CAT_HTTPD_CLIENT_H

#include <apr_network_io.h>

/* What a limit counts as one client: an IPv4 address, also one that an IPv6 address has in it because a translator or a tunnel is in
 * between, or the /64 of another IPv6 address, which belongs to one household. On the pool.
 * address and text are r->useragent_addr and r->useragent_ip, which mod_remoteip may set. */
const char *cat_client_network(apr_pool_t *pool, const apr_sockaddr_t *address, const char *text);

#endif
