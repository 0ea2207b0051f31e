/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_URL_H
#define CAT_LIB_URL_H

#include <apr_pools.h>

/* The parts of an absolute URL, as libcurl reads it; "" where it has none. */
typedef struct cat_url_t {
    const char *scheme, *user, *password, *options, *host, *port, *path, *query, *fragment;
} cat_url_t;

/* NULL: the text is no absolute URL with a scheme that libcurl has. */
const cat_url_t *cat_url_parse(apr_pool_t *pool, const char *text);

/* Is the host this machine (localhost, 127.0.0.0/8, ::1)? */
int cat_url_is_loopback(const cat_url_t *url);

/* The text without what stands between its scheme and the last '@', for messages: a password may be there. It need not be a URL. */
const char *cat_url_without_user(apr_pool_t *pool, const char *text);

#endif
