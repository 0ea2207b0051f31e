/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/mount_database.h"

#include <ap_mpm.h>
#include <apr_strings.h>
#include <http_core.h>

#include "db/setup.h"
#include "httpd/child_user.h"
#include "httpd/conf.h"
#include "httpd/dbd.h"
#include "httpd/server.h"

/* Checks the path of a database file, because "httpd -t" opens no database. Does not stop a server that runs already:
 * its children log the fault and serve everything else. */
static const char *check_path(apr_pool_t *pool, const char *directive, const char *path)
{
    cat_os_user_t user = cat_child_user_find();
    const char *fault;

    if (!cat_database_file_is_path(path) || ap_state_query(AP_SQ_MAIN_STATE) != AP_SQ_MS_CREATE_PRE_CONFIG) {
        return NULL;
    }
    if (*path != '/') {
        return apr_psprintf(pool,
                            "has a database at %s, a relative path, which depends on where httpd's children run; "
                            "set an absolute one: %s /var/lib/catalog/catalog.db",
                            path, directive);
    }
    fault = cat_database_file_check(pool, path, &user);
    return fault ? apr_psprintf(pool, "cannot use its database, %s", fault) : NULL;
}

/* Checks the parameters, because the drivers do not report which parameters are missing. Does not repeat them in the
 * message, because they may contain a password. */
static const char *check_params(apr_pool_t *pool, const cat_mount_t *mount)
{
    const char *driver, *params, *lacks, *directive;
    const cat_dialect_t *dialect;

    cat_server_database(pool, mount, &driver, &params);
    dialect = cat_dialect_find(driver);
    if (!dialect) {
        return apr_psprintf(pool, "has the DBDriver %s, which is not supported; use %s", driver,
                            cat_dialect_names(pool));
    }
    directive = mount->conf->database ? apr_pstrcat(pool, "CatalogDatabase ", driver, NULL) : "DBDParams";
    lacks = cat_dialect_lacks(dialect, pool, params ? params : "");
    if (lacks) {
        return apr_psprintf(pool, "lacks parameters for the driver %s; add to them: %s \"...%s\"", driver, directive,
                            lacks);
    }
    if (!dialect->file) {
        return NULL;
    }
    mount->source->path = params;
    return params ? check_path(pool, directive, params)
                  : "has no path for its database; write: DBDParams /var/lib/catalog/catalog.db";
}

const char *cat_mount_database_check(apr_pool_t *pool, const cat_mount_t *mount)
{
    int is_threaded = 0, most = cat_dbd_max(pool, mount->server);

    if (!mount->source) {
        return "has no database; load mod_dbd and set DBDriver and DBDParams, or set CatalogDatabase";
    }
    ap_mpm_query(AP_MPMQ_IS_THREADED, &is_threaded); /* Without threads, a child handles one request at a time. */
    if (!mount->conf->database && is_threaded != AP_MPMQ_NOT_SUPPORTED && mount->conf->max_connections > most) {
        return apr_psprintf(pool, "has a CatalogMaxConnections of %d above the DBDMax of %d; set DBDMax %d",
                            mount->conf->max_connections, most, mount->conf->max_connections);
    }
    return check_params(pool, mount);
}
