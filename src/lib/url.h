/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_URL_H
#define CAT_LIB_URL_H

#include <apr_pools.h>

/* Components of an absolute URL, parsed by libcurl. A component that the URL does not have is "". */
typedef struct cat_url_t {
    const char *scheme, *user, *password, *options, *host, *port, *path, *query, *fragment;
} cat_url_t;

/* Parses a URL onto the pool. Returns NULL if the text is not an absolute URL with a scheme that libcurl supports. */
const cat_url_t *cat_url_parse(apr_pool_t *pool, const char *text);

/* Returns true if the host is this machine: localhost, 127.0.0.0/8 or ::1. */
int cat_url_is_loopback(const cat_url_t *url);

/* Returns the text without the part between its scheme and the last '@', which may contain a password, for messages.
 * Accepts any text. */
const char *cat_url_without_user(apr_pool_t *pool, const char *text);

#endif
