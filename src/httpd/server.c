/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/server.h"

#include <apr_strings.h>

#include "db/setup.h"
#include "httpd/dbd.h"

cat_source_t *cat_server_source(const server_rec *s, const cat_conf_t *conf)
{
    return conf->database ? conf->database : cat_server_get(s)->dbd;
}

void cat_server_database(apr_pool_t *pool, const cat_mount_t *mount, const char **driver, const char **params)
{
    if (!cat_pool_settings(mount->source, driver, params)) {
        cat_dbd_settings(pool, mount->server, driver, params);
    }
}

static int is_file(const char *driver)
{
    const cat_dialect_t *dialect = cat_dialect_find(driver ? driver : "");

    return dialect && dialect->file;
}

const char *cat_server_database_key(apr_pool_t *pool, const cat_mount_t *mount)
{
    const char *driver, *params;

    cat_server_database(pool, mount, &driver, &params);
    params = params && is_file(driver) ? cat_database_file_name(pool, params) : params;
    return apr_pstrcat(pool, driver ? driver : "", " ", params, NULL);
}

/* Compares pointers, because all settings below a mount have the same pointer to its path. */
cat_mount_t *cat_server_mount(const server_rec *s, const cat_conf_t *conf)
{
    const apr_array_header_t *mounts = cat_server_get(s)->mounts;

    for (int i = 0; i < mounts->nelts; i++) {
        cat_mount_t *mount = APR_ARRAY_IDX(mounts, i, cat_mount_t *);
        if (mount->conf->mount == conf->mount) {
            return mount;
        }
    }
    return NULL;
}
