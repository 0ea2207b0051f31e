/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims the requests below a mount before httpd maps them to files. Other modules complicate this: mod_rewrite may
 * change the path before the claim or map it elsewhere, an ErrorDocument may lead into a mount, and a malformed request
 * fails before any hook sees its path. So the path is checked twice:
 *
 *     pre_translate   If the path is below a mount as the client sent it, failures are answered in JSON from now on,
 *                     and the query is kept out of logs.
 *     translate       After mod_rewrite. If the path is below a mount now, the mount claims the request and finds its
 *                     route, without touching the file system. If the path is no longer below a mount, the request is
 *                     the site's and gets its ErrorDocuments back.
 */
#include "httpd/mount.h"

#include <http_core.h>
#include <http_log.h>
#include <http_request.h>
#include <apr_strings.h>
#include <string.h>

#include "httpd/conf.h"
#include "httpd/error_documents.h"
#include "httpd/precedence.h"
#include "httpd/routes.h"
#include "httpd/server.h"
#include "httpd/signals.h"

APLOG_USE_MODULE(catalog);

/* The state of a request that was examined and does not belong to a mount. */
static const cat_state_t elsewhere;

/* Returns NULL if httpd refused the request before any hook saw its path. */
static cat_state_t *get_state(request_rec *r)
{
    return ap_get_module_config(r->request_config, &catalog_module);
}

static void set_state(request_rec *r, const cat_state_t *state)
{
    ap_set_module_config(r->request_config, &catalog_module, (void *)state);
}

cat_state_t *cat_mount_state(request_rec *r)
{
    cat_state_t *state = get_state(r);
    return state && state->served ? state : NULL;
}

/* Returns the settings in force if they belong to a mount, otherwise NULL. */
static const cat_conf_t *mount_conf(request_rec *r)
{
    const cat_conf_t *conf = cat_conf_get(r->per_dir_config);
    return conf && conf->enable == 1 && conf->mount ? conf : NULL;
}

/* Returns the mount's settings for a path other than the one for which httpd has merged the sections, and leaves them
 * in force. Returns NULL, and leaves the previous settings in force, if the path is not below a mount. */
static const cat_conf_t *walk_path(request_rec *r, char *path)
{
    char *uri = r->uri;
    ap_conf_vector_t *vector = r->per_dir_config;
    const cat_conf_t *conf;

    r->uri = path;
    r->per_dir_config = r->server->lookup_defaults;
    conf = ap_location_walk(r) == OK ? mount_conf(r) : NULL;
    r->uri = uri;
    if (!conf) {
        r->per_dir_config = vector;
    }
    return conf;
}

/* Does what walk_path does, for a path as the client sent it. httpd itself refuses a malformed path. */
static const cat_conf_t *walk_encoded_path(request_rec *r, const char *path)
{
    char *decoded = apr_pstrdup(r->pool, path);

    ap_normalize_path(decoded, AP_NORMALIZE_MERGE_SLASHES | AP_NORMALIZE_NOT_ABOVE_ROOT);
    ap_unescape_url_keep2f(decoded, 0);
    return walk_path(r, decoded);
}

static cat_state_t *make_state(request_rec *r, const cat_conf_t *conf)
{
    cat_state_t *state = apr_pcalloc(r->pool, sizeof(*state));

    cat_signals_block_cleanups(r->pool);
    state->conf = conf;
    set_state(r, state);
    return state;
}

/* Removes the query from the_request, which access logs and mod_status print. */
static void cut_request_line(request_rec *r)
{
    const char *query = r->the_request ? strchr(r->the_request, '?') : NULL;

    if (query) {
        const char *end = strrchr(query, ' ');
        r->the_request = apr_pstrcat(r->pool, apr_pstrmemdup(r->pool, r->the_request, query - r->the_request),
                                     end && !strncmp(end, " HTTP/", 6) ? end : "", NULL);
    }
}

static void hide_query(request_rec *r)
{
    cut_request_line(r);
    r->args = NULL;
}

/* Returns the path in a request line that httpd has not parsed, or NULL if there is no request line. */
static char *path_of_request_line(request_rec *r)
{
    const char *path = r->the_request ? strchr(r->the_request, ' ') : NULL;
    if (path && path[1] != '/') {
        return r->parsed_uri.path; /* The request line has an absolute URI. */
    }
    return path ? apr_pstrmemdup(r->pool, path + 1, strcspn(path + 1, " ?#")) : NULL;
}

static const cat_conf_t *walk_request_line(request_rec *r)
{
    ap_conf_vector_t *vector = r->per_dir_config;
    const char *path = path_of_request_line(r);
    const cat_conf_t *conf = path && *path == '/' ? walk_encoded_path(r, path) : NULL;

    r->per_dir_config = vector;
    return conf;
}

const cat_conf_t *cat_mount_conf_of_failed(request_rec *r)
{
    const cat_state_t *state = get_state(r);
    const cat_conf_t *conf = state ? state->conf : walk_request_line(r);

    if (conf && !cat_mount_state(r)) {
        hide_query(r);
    }
    return conf;
}

int cat_mount_is_target(request_rec *r, const cat_route_t **resource)
{
    const cat_state_t *state = get_state(r);

    *resource = state && state->served ? state->match.resource : NULL;
    return (state ? state->conf : walk_request_line(r)) != NULL;
}

/* If this request is an ErrorDocument for a request that failed below a mount before it was claimed, returns the
 * settings of that mount. Otherwise returns NULL. */
static const cat_conf_t *conf_of_first(request_rec *r)
{
    request_rec *prev = r->prev;
    return prev && ap_is_HTTP_ERROR(prev->status) && !cat_mount_state(prev) ? cat_mount_conf_of_failed(prev) : NULL;
}

/* Has failures of the request answered in JSON until the request is claimed, or turns out to lead elsewhere:
 * mod_rewrite may refuse it, or httpd may fail to decode its path. */
int cat_mount_pre_translate(request_rec *r)
{
    const cat_conf_t *conf = strchr(r->uri, '%') ? walk_encoded_path(r, r->uri) : mount_conf(r);

    if (conf) {
        make_state(r, conf);
        cat_error_documents_prevent(r);
    } else if ((conf = conf_of_first(r))) {
        cat_state_t *state = make_state(r, conf);
        state->failed = r->prev->status;
        state->served = 1;
        cut_request_line(r);
    } else {
        set_state(r, &elsewhere);
    }
    return DECLINED;
}

void cat_mount_warn_of_other(request_rec *r, const cat_conf_t *conf, const cat_route_t *resource, const char *why)
{
    cat_mount_t *mount = cat_server_mount(r->server, conf);

    if (mount && resource && !atomic_exchange(&mount->taken, 1)) {
        ap_log_rerror(APLOG_MARK, APLOG_WARNING, 0, r, "CAT074: requests such as %s %s%s do not reach the mount: %s",
                      r->method, conf->mount, resource->path, why);
    }
}

/* Logs a rule that maps the whole site, such as "RewriteRule ^/(.*)$ /index.php [L]", and with it the API; nothing else
 * would report that. Ignores requests whose path is no route. */
static void warn_of_mapped(request_rec *r, const cat_conf_t *conf)
{
    cat_mount_t *mount = cat_server_mount(r->server, conf);
    const char *path = r->parsed_uri.path ? r->parsed_uri.path : "";
    apr_size_t length = strlen(conf->mount);
    cat_route_match_t match;

    if (!mount || atomic_load(&mount->taken) || strncmp(path, conf->mount, length) != 0) {
        return;
    }
    cat_route_find(r->pool, cat_routes, r->method, path + length, &match);
    cat_mount_warn_of_other(
        r, conf, match.resource,
        apr_psprintf(r->pool,
                     "another module, usually mod_rewrite, has mapped them elsewhere; add before its rules: "
                     "RewriteRule ^%s(/|$) - [END]",
                     conf->mount));
}

/* The request belongs to the site, and gets the site's ErrorDocuments back. */
static void leave_request(request_rec *r)
{
    const cat_state_t *state = get_state(r);

    if (state && state->conf) {
        warn_of_mapped(r, state->conf);
        cat_error_documents_allow(r);
    }
    set_state(r, &elsewhere);
}

/* Returns the rest of the path after the mount. httpd merges slashes when it compares sections, even with MergeSlashes
 * Off. */
static const char *skip_mount(const char *path, const char *mount)
{
    for (; *mount && *path; mount++, path++) {
        while (*path == '/' && path[1] == '/') {
            path++;
        }
    }
    return path;
}

/* Claims the request for the mount. Hides the query unless the route table says that logs may contain it: a query may
 * contain the token of a link, or a misplaced password. */
static void claim_request(request_rec *r, const cat_conf_t *conf)
{
    cat_state_t *state = get_state(r);

    if (!state || !state->conf) {
        state = make_state(r, conf);
        cat_error_documents_prevent(r);
    }
    state->conf = conf;
    state->served = 1;
    state->path = skip_mount(r->uri, conf->mount);
    cat_route_find(r->pool, cat_routes, r->method, state->path, &state->match);
    state->query = r->args;
    if (!state->match.route || state->match.route->body != CAT_QUERY) {
        hide_query(r);
    }
}

/* Runs after mod_rewrite, but not if mod_rewrite has mapped the request to a file or to another server ([L], [P]).
 * After [PT] the request has a new path, but the settings of the old path are in force. */
int cat_mount_translate(request_rec *r)
{
    const cat_conf_t *conf;
    int status;

    if (cat_mount_state(r)) { /* The request is an ErrorDocument that was claimed already. */
        return OK;
    }
    conf = r->uri == r->parsed_uri.path ? mount_conf(r) : walk_path(r, r->uri);
    if (!conf) {
        leave_request(r);
        return DECLINED;
    }
    status = cat_precedence_redirect(r); /* The redirect needs the query, which claim_request() hides. */
    claim_request(r, conf);
    return status;
}

/* Makes a filename that no file has, as mod_proxy does with "proxy:". mod_speling, mod_dav and others take
 * r->filename for the path of a file. */
static char *make_filename(request_rec *r)
{
    static const char scheme[] = "catalog:";
    apr_size_t length = strlen(r->uri);
    char *filename = apr_palloc(r->pool, sizeof(scheme) + length);

    memcpy(filename, scheme, sizeof(scheme) - 1);
    memcpy(filename + sizeof(scheme) - 1, r->uri, length + 1);
    return filename;
}

int cat_mount_map(request_rec *r)
{
    if (!cat_mount_state(r)) {
        leave_request(r);
        return DECLINED;
    }
    r->filename = make_filename(r);
    return OK;
}

/* Keeps mod_mime from reading the end of an id as a file extension that has a type, an encoding or a handler. */
int cat_mount_type(request_rec *r)
{
    if (!cat_mount_state(r)) {
        return DECLINED;
    }
    r->handler = CAT_HANDLER_NAME;
    return OK;
}
