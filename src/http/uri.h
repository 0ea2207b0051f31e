/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_URI_H
#define CAT_HTTP_URI_H

#include <apr_pools.h>

/*
 * Returns a decoded path encoded as browsers encode it, on the pool: the bytes of the path percent-encode set of WHATWG
 * URL, '%' and '\', with upper-case digits. The path of a cookie must have this form, because clients compare it
 * without decoding (RFC 6265 5.1.4).
 */
char *cat_uri_encode_path(apr_pool_t *pool, const char *path);

#endif
