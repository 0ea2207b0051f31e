/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/client.h"

#include <apr_strings.h>
#include <netinet/in.h>

const char *cat_client_network(apr_pool_t *pool, const apr_sockaddr_t *address, const char *text)
{
#if APR_HAVE_IPV6
    if (address->family == APR_INET6 && !IN6_IS_ADDR_V4MAPPED(&address->sa.sin6.sin6_addr)) {
        const unsigned char *a = address->sa.sin6.sin6_addr.s6_addr;
        return apr_psprintf(pool, "%x:%x:%x:%x::/64", a[0] << 8 | a[1], a[2] << 8 | a[3], a[4] << 8 | a[5],
                            a[6] << 8 | a[7]);
    }
#endif
    return text;
}
