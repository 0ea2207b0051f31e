/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_ROUTE_H
#define CAT_LIB_ROUTE_H

#include <apr_pools.h>

#include "catalog.h"

typedef struct cat_route_match_t {
    const cat_route_t *route;           /* NULL: the path is known, the method is not; or the path is unknown */
    int known;                          /* some row has this path */
    const char *params[CAT_PARAMS_MAX]; /* on the pool; no slash in them */
} cat_route_match_t;

/*
 * Finds the row for a method and a path below the mount ("/products/1"). One trailing slash makes no
 * difference; an empty segment matches nothing. HEAD finds GET's row. rows ends with a row whose method is NULL.
 */
void cat_route_find(apr_pool_t *pool, const cat_route_t *rows, const char *method, const char *path,
                    cat_route_match_t *match);

/* The value for Allow (RFC 9110 10.2.1) of a known path: "GET, HEAD, POST, OPTIONS". On the pool. */
const char *cat_route_allow(apr_pool_t *pool, const cat_route_t *rows, const char *path);

/* The value of a query parameter, percent-decoded ('+' is a space), on the pool; the first where there are several.
 * NULL when it is not there or its decoding is broken (bad percent, NUL). */
const char *cat_route_query(apr_pool_t *pool, const char *query, const char *name);

/* Is the parameter there, with whatever value or none? */
int cat_route_has_query(const char *query, const char *name);

#endif
