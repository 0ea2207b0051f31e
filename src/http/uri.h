/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_URI_H
#define CAT_HTTP_URI_H

#include <apr_pools.h>

/*
 * Encodes a decoded path as browsers do, on the pool: the octets of WHATWG URL's path percent-encode set, '%' and '\',
 * with upper-case digits. The path of a cookie must have this form, because clients compare it without decoding (RFC
 * 6265 5.1.4).
 */
char *cat_uri_encode_path(apr_pool_t *pool, const char *path);

#endif
