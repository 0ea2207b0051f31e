/* SPDX-License-Identifier: Apache-2.0 */
#include <httpd.h>
#include <http_config.h>
#include <http_protocol.h>
#include <http_request.h>

#include "httpd/authz.h"
#include "httpd/child_user.h"
#include "httpd/conf.h"
#include "httpd/dump.h"
#include "httpd/guard.h"
#include "httpd/handler.h"
#include "httpd/lifecycle.h"
#include "httpd/metrics.h"
#include "httpd/mount.h"
#include "httpd/preflight.h"
#include "httpd/reply.h"
#include "httpd/site_checks.h"
#include "httpd/status.h"

/* THE HOOK TABLE, in the order in which httpd runs the hooks. */
static void register_hooks(apr_pool_t *pool)
{
    static const char *const after_dbd[] = {"mod_dbd.c", NULL};
    static const char *const before_dbd[] = {"mod_dbd.c", NULL};
    static const char *const before_watchdog[] = {"mod_watchdog.c", NULL};
    static const char *const after_rewrite[] = {"mod_rewrite.c", NULL};
    static const char *const before_proxy[] = {"mod_proxy.c", "mod_alias.c", NULL};

    cat_reply_register_filters();
    cat_authz_register_providers(pool);

    /* Names the package of a DBDriver that cannot be loaded, before mod_dbd refuses that driver without naming it. */
    ap_hook_pre_config(cat_site_checks_driver, after_dbd, NULL, APR_HOOK_MIDDLE);
    /* "httpd -t" runs this hook too, so it reports a configuration that cannot work. */
    ap_hook_check_config(cat_lifecycle_check_config, NULL, NULL, APR_HOOK_MIDDLE);
    /* Implements "httpd -t -D CATALOG_DUMP" for catalogctl. */
    ap_hook_test_config(cat_dump_run, NULL, NULL, APR_HOOK_MIDDLE);
    /* Runs before mod_watchdog's hook, which runs last and counts the registered jobs. */
    ap_hook_post_config(cat_lifecycle_post_config, NULL, NULL, APR_HOOK_MIDDLE);
    /* Runs before mod_dbd connects, and before the child has a thread that could read the environment. */
    ap_hook_child_init(cat_child_user_leave_home, NULL, before_dbd, APR_HOOK_REALLY_FIRST);
    /* Runs in each child, because a database connection does not survive a fork. Runs after mod_dbd has created its
     * pools, which the first check of the schema needs, and before mod_watchdog starts the threads that run our
     * jobs. */
    ap_hook_child_init(cat_lifecycle_child_init, after_dbd, before_watchdog, APR_HOOK_MIDDLE);

    /* Runs before httpd decodes the path, which can fail. */
    ap_hook_pre_translate_name(cat_mount_pre_translate, NULL, NULL, APR_HOOK_FIRST);
    /* Runs after the site's rewriting. Runs before mod_proxy and mod_alias, because a mount is more specific than
     * "ProxyPass /". */
    ap_hook_translate_name(cat_mount_translate, after_rewrite, before_proxy, APR_HOOK_FIRST);
    /* Runs before access control, because browsers send preflights without credentials. */
    ap_hook_map_to_storage(cat_preflight_answer, NULL, NULL, APR_HOOK_REALLY_FIRST - 1);
    /* Keeps httpd from a directory walk, because a mount has no files. Runs before mod_proxy, which ends this phase for
     * requests that were rewritten to it. */
    ap_hook_map_to_storage(cat_mount_map, NULL, NULL, APR_HOOK_REALLY_FIRST);
    /* Runs before the site's Require lines and other modules' hooks, which need the user. */
    ap_hook_access_checker(cat_guard_check, NULL, NULL, APR_HOOK_FIRST);
    /* These hooks implement "AuthType Catalog" in any section. */
    ap_hook_check_authn(cat_authz_authenticate, NULL, NULL, APR_HOOK_MIDDLE, AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_check_authz(cat_authz_authorize, NULL, NULL, APR_HOOK_REALLY_FIRST, AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_note_auth_failure(cat_authz_note_failure, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_type_checker(cat_mount_type, NULL, NULL, APR_HOOK_FIRST);
    /* Runs after httpd's core, which applies SetHandler. */
    ap_hook_fixups(cat_handler_fix, NULL, NULL, APR_HOOK_FIRST);
    /* Runs last, because other modules choose a handler in this hook, too. */
    ap_hook_fixups(cat_handler_check, NULL, NULL, APR_HOOK_REALLY_LAST);
    ap_hook_handler(cat_handler_run, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_handler(cat_metrics_serve, NULL, NULL, APR_HOOK_MIDDLE);
    /* Runs after the response was sent, when its status is final. */
    ap_hook_log_transaction(cat_metrics_log, NULL, NULL, APR_HOOK_MIDDLE);
    /* Runs last, so that our filter is the first to receive httpd's output. */
    ap_hook_insert_error_filter(cat_reply_insert_error_filter, NULL, NULL, APR_HOOK_LAST);
    cat_status_register_hook();
}

AP_DECLARE_MODULE(catalog) = {
    STANDARD20_MODULE_STUFF,
    cat_conf_create, /* Per-directory configuration: all settings. */
    cat_conf_merge,
    NULL, /* Per-server configuration: httpd/lifecycle.c creates it when it finds the mounts. */
    NULL,
    cat_conf_directives,
    register_hooks,
#if defined(AP_MODULE_FLAG_NONE)
    AP_MODULE_FLAG_NONE,
#endif
};
