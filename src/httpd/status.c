/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/status.h"

#include <httpd.h>
#include <http_protocol.h>
#include <mod_status.h>

#include "httpd/server.h"

static void print(request_rec *r, const cat_response_cache_count_t *c, int is_short)
{
    const char *format = is_short ? "CatalogCacheSize: %" APR_SIZE_T_FMT "\nCatalogCacheHits: %" APR_UINT64_T_FMT
                                    "\nCatalogCacheMisses: %" APR_UINT64_T_FMT
                                    "\nCatalogCacheStored: %" APR_UINT64_T_FMT "\n"
                                  : "<hr />\n<h2>mod_catalog</h2>\n<p>Response cache of %" APR_SIZE_T_FMT
                                    " bytes of memory: %" APR_UINT64_T_FMT " found, %" APR_UINT64_T_FMT
                                    " not found, %" APR_UINT64_T_FMT " stored</p>\n";

    ap_rprintf(r, format, c->size, c->hits, c->misses, c->stored);
}

static int tell(request_rec *r, int flags)
{
    const cat_response_cache_t *cache = cat_server_get(r->server)->cache;

    if (cache) {
        cat_response_cache_count_t count = cat_response_cache_count(cache);
        print(r, &count, flags & AP_STATUS_SHORT);
    }
    return OK;
}

void cat_status_register_hook(void)
{
    APR_OPTIONAL_HOOK(ap, status_hook, tell, NULL, NULL, APR_HOOK_MIDDLE);
}
