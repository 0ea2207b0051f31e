/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_SERVER_H
#define CAT_HTTPD_SERVER_H

#include <httpd.h>
#include <http_config.h>
#include <http_request.h>
#include <stdatomic.h>

#include "accounts/key_states.h"
#include "db/setup.h"
#include "http/request.h"
#include "jose/token.h"
#include "jose/token_cache.h"
#include "lib/conf.h"
#include "shm/limit.h"
#include "shm/metrics.h"
#include "shm/revoked.h"
#include "shm/semaphore.h"

extern module AP_MODULE_DECLARE_DATA catalog_module; /* Defined in mod_catalog.c. */

/* A mount: a Location with CatalogEnable On. Requests below it find it with cat_server_mount. */
typedef struct cat_mount_t {
    const cat_conf_t *conf;
    cat_source_t *source;
    server_rec *server;
    atomic_int taken; /* True if this child has logged that requests for the mount's routes are answered elsewhere. */
    /* OpenAPI description for users who may write products, created when the server starts. NULL if there was no
     * memory. */
    const cat_openapi_t *openapi;
    const cat_openapi_t *openapi_of_readers; /* OpenAPI description for all other clients. */
} cat_mount_t;

typedef struct cat_jobs_t cat_jobs_t; /* Defined in httpd/jobs.c. */

/* The module's data of one server (main server or virtual host), created when httpd starts. It lists the mounts; the
 * settings themselves are per directory. */
typedef struct cat_server_t {
    apr_array_header_t *mounts; /* Elements are cat_mount_t *. */
    /* Elements are cat_mount_t *: the mounts of all servers. All servers share the list. */
    apr_array_header_t *all_mounts;
    cat_source_t *dbd; /* mod_dbd's pool for this server, which may be the main server's. NULL if mod_dbd has none. */
    cat_semaphore_t *hashing;        /* Shared by all servers. */
    cat_semaphore_t *imaging;        /* Shared by all servers. */
    cat_write_locks_t *write_locks;  /* Shared by all servers, and kept across restarts. */
    cat_file_registry_t *registry;   /* Shared by all servers. */
    cat_revoked_t *revoked;          /* Shared by all servers, and kept across restarts. */
    cat_limit_t *limits;             /* Shared by all servers, and kept across restarts. */
    cat_metrics_t *metrics;          /* Shared by all servers; its counts are kept across restarts. */
    cat_token_cache_t *seen;         /* One per child. */
    cat_key_states_t *keys;          /* One per child. */
    cat_response_cache_t *cache;     /* Shared by all servers. NULL if CatalogCacheSize is 0. */
    int started_by_root;             /* True if root started httpd, so that the children have another user. */
    cat_jobs_t *jobs;                /* Set for the main server only. */
    ap_HOOK_translate_name_t *alias; /* mod_alias's hook. NULL if mod_alias is not loaded. */
} cat_server_t;

static inline cat_server_t *cat_server_get(const server_rec *s)
{
    return ap_get_module_config(s->module_config, &catalog_module);
}

/* Sets *driver and *params to those of a mount's database. Call it only while the configuration is checked. */
void cat_server_database(apr_pool_t *pool, const cat_mount_t *mount, const char **driver, const char **params);

/* Returns one text of driver and parameters that identifies a mount's database, on the pool. All path names of one
 * SQLite file give the same text. The text may contain a password. */
const char *cat_server_database_key(apr_pool_t *pool, const cat_mount_t *mount);

/* Returns the mount that these settings belong to. Returns NULL if they are not below a mount of the server. */
cat_mount_t *cat_server_mount(const server_rec *s, const cat_conf_t *conf);

/* Returns the source of the database for these settings: that of CatalogDatabase, or else mod_dbd's pool. */
cat_source_t *cat_server_source(const server_rec *s, const cat_conf_t *conf);

#endif
