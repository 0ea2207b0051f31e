/* SPDX-License-Identifier: Apache-2.0 */
/* First line: a path below the mount; second: a query string; third: the name of a parameter. */
#include "fuzz.h"
#include "http/route.h"

static cat_answer_t *run_nothing(cat_request_t *)
{
    return NULL;
}

static const cat_route_t rows[] = {
    {.method = "GET", .path = "/products", .run = run_nothing},
    {.method = "GET", .path = "/products/:id", .run = run_nothing},
    {.method = "PUT", .path = "/products/:id", .run = run_nothing},
    {.method = "POST", .path = "/auth/login", .run = run_nothing},
    {.method = "DELETE", .path = "/auth/sessions/:id", .run = run_nothing},
    {.method = NULL},
};

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *path = fuzz_line(pool, &data, &size);
    const char *query = fuzz_line(pool, &data, &size);
    const char *name = fuzz_line(pool, &data, &size);
    cat_route_match_t match;

    cat_route_find(pool, rows, "GET", path, &match);
    FUZZ_CHECK(!match.route || match.resource);
    FUZZ_CHECK(!match.params[0] || (*match.params[0] && !strchr(match.params[0], '/')));
    FUZZ_CHECK(!match.resource || cat_route_allow(pool, rows, path));
    cat_route_query(pool, query, name);
}
