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

extern module AP_MODULE_DECLARE_DATA catalog_module; /* mod_catalog.c */

/* A Location with CatalogEnable On, as the requests below it see it. */
typedef struct cat_mount_t {
    const cat_conf_t *conf;
    cat_source_t *source;
    server_rec *server;
    atomic_int taken;             /* flag: this child has logged that requests for its routes lead elsewhere */
    const cat_openapi_t *openapi; /* its description, once the server starts; NULL: no memory */
    const cat_openapi_t *openapi_of_readers; /* the same for those who may not write products */
} cat_mount_t;

typedef struct cat_jobs_t cat_jobs_t; /* httpd/jobs.c */

/* What a server has found at start. Settings are per directory; this lists the mounts that have them. */
typedef struct cat_server_t {
    apr_array_header_t *mounts;     /* cat_mount_t * */
    apr_array_header_t *all_mounts; /* cat_mount_t *: of all servers, which share the list */
    cat_source_t *dbd;              /* mod_dbd's pool for this server, perhaps the main server's; NULL: there is none */
    cat_semaphore_t *hashing;       /* shared by all servers */
    cat_semaphore_t *imaging;       /* shared by all servers */
    cat_write_locks_t *write_locks; /* shared by all servers, across restarts */
    cat_file_registry_t *registry;  /* shared by all servers */
    cat_revoked_t *revoked;         /* shared by all servers, across restarts */
    cat_limit_t *limits;            /* shared by all servers, across restarts */
    cat_metrics_t *metrics;         /* shared by all servers, with counts that last across restarts */
    cat_token_cache_t *seen;        /* one per child */
    cat_key_states_t *keys;         /* one per child */
    cat_response_cache_t *cache;    /* shared by all servers; NULL: switched off */
    int started_by_root;            /* flag: the children have another user */
    cat_jobs_t *jobs;               /* of the main server */
    ap_HOOK_translate_name_t *alias; /* mod_alias's hook; NULL: it is not loaded */
} cat_server_t;

static inline cat_server_t *cat_server_get(const server_rec *s)
{
    return ap_get_module_config(s->module_config, &catalog_module);
}

/* Driver and parameters of a mount's database, while the configuration is checked. */
void cat_server_database(apr_pool_t *pool, const cat_mount_t *mount, const char **driver, const char **params);

/* Returns both in one text that tells the database from others; all names of a SQLite file give the same text. It may contain a password. */
const char *cat_server_database_key(apr_pool_t *pool, const cat_mount_t *mount);

/* conf's mount. */
cat_mount_t *cat_server_mount(const server_rec *s, const cat_conf_t *conf);

/* The source with the data of conf's mount. */
cat_source_t *cat_server_source(const server_rec *s, const cat_conf_t *conf);

#endif
