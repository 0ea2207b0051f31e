/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_CLIENT_H
#define CAT_HTTPD_CLIENT_H

#include <apr_network_io.h>

/* Returns the text by which rate limits identify a client, on the pool: an IPv4 address, or the /64 of an IPv6
 * address, because one household has a whole /64. If a translator or tunnel has embedded an IPv4 address in the IPv6
 * address, returns the IPv4 address. `address` and `text` are r->useragent_addr and r->useragent_ip, which
 * mod_remoteip may set. */
const char *cat_client_network(apr_pool_t *pool, const apr_sockaddr_t *address, const char *text);

#endif
