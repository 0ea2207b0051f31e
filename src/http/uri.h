/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_URI_H
#define CAT_HTTP_URI_H

#include <apr_pools.h>

/*
 * A decoded path as browsers send it, on the pool: percent-encoded are the octets of WHATWG URL's path percent-encode set, '%' and
 * '\', with upper-case digits. A cookie needs it octet by octet, because RFC 6265 (5.1.4) compares paths without decoding them.
 */
char *cat_uri_encode_path(apr_pool_t *pool, const char *path);

#endif
