/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/client.h"

#include <apr_strings.h>
#include <netinet/in.h>
#include <string.h>

#if APR_HAVE_IPV6
/* Prefixes of IPv6 addresses that embed the IPv4 address of one client. A /64 of such addresses would contain many
 * clients, or only some addresses of one. */
static const struct embedding_t {
    unsigned char prefix[12];
    unsigned char length; /* Bytes of `prefix` to compare. */
    unsigned char at;
    unsigned char mask; /* XORed with each byte of the embedded address, which begins at byte `at`. */
} embeddings[] = {
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 12, 12, 0},    /* ::ffff:0:0/96, IPv4-mapped */
    {{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0}, 12, 12, 0},    /* ::ffff:0:0:0/96, IPv4-translated (RFC 2765) */
    {{0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0}, 12, 12, 0}, /* 64:ff9b::/96, NAT64 (RFC 6052) */
    {{0x20, 0x02}, 2, 2, 0},                                    /* 2002::/16, 6to4 (RFC 3056) */
    {{0x20, 0x01, 0, 0}, 4, 12, 0xff},                          /* 2001::/32, Teredo (RFC 4380) */
};

/* 64:ff9b:1::/48 is NAT64 in a format of the network's own choice (RFC 8215), so each address counts as one client. */
static const unsigned char local_nat64[] = {0, 0x64, 0xff, 0x9b, 0, 1};

/* Returns the embedded IPv4 address as text, or NULL if the address embeds none. */
static const char *find_ipv4(apr_pool_t *pool, const unsigned char *address)
{
    for (size_t i = 0; i < sizeof(embeddings) / sizeof(embeddings[0]); i++) {
        const struct embedding_t *e = &embeddings[i];
        const unsigned char *a = address + e->at;

        if (!memcmp(address, e->prefix, e->length)) {
            return apr_psprintf(pool, "%d.%d.%d.%d", a[0] ^ e->mask, a[1] ^ e->mask, a[2] ^ e->mask, a[3] ^ e->mask);
        }
    }
    return NULL;
}

static const char *find_network(apr_pool_t *pool, const unsigned char *a, const char *text)
{
    const char *ipv4 = find_ipv4(pool, a);

    if (ipv4 || !memcmp(a, local_nat64, sizeof(local_nat64))) {
        return ipv4 ? ipv4 : text;
    }
    return apr_psprintf(pool, "%x:%x:%x:%x::/64", a[0] << 8 | a[1], a[2] << 8 | a[3], a[4] << 8 | a[5],
                        a[6] << 8 | a[7]);
}
#endif

const char *cat_client_network(apr_pool_t *pool, const apr_sockaddr_t *address, const char *text)
{
#if APR_HAVE_IPV6
    if (address->family == APR_INET6) {
        return find_network(pool, address->sa.sin6.sin6_addr.s6_addr, text);
    }
#endif
    return text;
}
