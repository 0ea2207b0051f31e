/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/mount.h"

#include <http_core.h>
#include <http_request.h>
#include <apr_strings.h>
#include <string.h>

#include "httpd/conf.h"
#include "httpd/reply.h"
#include "httpd/routes.h"

extern module AP_MODULE_DECLARE_DATA catalog_module;

cat_state_t *cat_mount_state(request_rec *r)
{
    return ap_get_module_config(r->request_config, &catalog_module);
}

static int is_below(const char *path, const char *mount)
{
    apr_size_t length = strlen(mount);
    return !strncmp(path, mount, length) && (path[length] == '/' || path[length] == '\0');
}

/* The settings in force, when the path really lies below the prefix they belong to. */
static const cat_conf_t *conf_for(request_rec *r, const char *path)
{
    const cat_conf_t *conf = cat_conf_get(r->per_dir_config);
    return conf && conf->enable == 1 && conf->mount && path && is_below(path, conf->mount) ? conf : NULL;
}

static cat_state_t *make_state(request_rec *r, const cat_conf_t *conf)
{
    cat_state_t *state = apr_pcalloc(r->pool, sizeof(*state));
    state->conf = conf;
    ap_set_module_config(r->request_config, &catalog_module, state);
    return state;
}

/* Access logs have it, and the server's status. */
static void cut_request_line(request_rec *r)
{
    const char *query = r->the_request ? strchr(r->the_request, '?') : NULL;

    if (query) {
        const char *behind = strrchr(query, ' ');
        r->the_request = apr_pstrcat(r->pool, apr_pstrmemdup(r->pool, r->the_request, query - r->the_request),
                                     behind && !strncmp(behind, " HTTP/", 6) ? behind : "", NULL);
    }
}

/* A query may hold the token of a mail's link, or a password where it does not belong, and nobody knows yet who will refuse
 * the request: so only a query that the route table asks for stays where logs find it. */
static int may_log_query(const cat_state_t *state)
{
    return state->match.route && state->match.route->body == CAT_QUERY;
}

static void find_route(request_rec *r, cat_state_t *state, const char *path)
{
    state->path = path + strlen(state->conf->mount);
    cat_route_find(r->pool, cat_routes, r->method, state->path, &state->match);
    if (!may_log_query(state)) {
        cut_request_line(r);
    }
}

/* The path out of a request line that httpd did not get to parse. */
static char *path_of_request_line(request_rec *r)
{
    const char *path = r->the_request ? strchr(r->the_request, ' ') : NULL;
    if (path && path[1] != '/') {
        return r->parsed_uri.path; /* of a whole URI */
    }
    return path ? apr_pstrmemdup(r->pool, path + 1, strcspn(path + 1, " ?#")) : NULL;
}

static const cat_conf_t *find_conf(request_rec *r)
{
    char *uri = r->uri;
    ap_conf_vector_t *vector = r->per_dir_config;
    const cat_conf_t *conf;

    r->uri = path_of_request_line(r);
    if (!r->uri || *r->uri != '/') {
        r->uri = uri;
        return NULL;
    }
    r->per_dir_config = r->server->lookup_defaults;
    conf = ap_location_walk(r) == OK ? conf_for(r, r->uri) : NULL;
    r->uri = uri;
    r->per_dir_config = vector;
    return conf;
}

const cat_conf_t *cat_mount_conf_of_failed(request_rec *r)
{
    const cat_state_t *state = cat_mount_state(r);
    const cat_conf_t *conf = state ? state->conf : find_conf(r);

    if (conf) {
        cut_request_line(r);
        r->args = NULL;
    }
    return conf;
}

/* The request that an ErrorDocument answers for, when that failed below a mount before it could be claimed. */
static const cat_conf_t *conf_of_first(request_rec *r)
{
    request_rec *prev = r->prev;
    return prev && ap_is_HTTP_ERROR(prev->status) && !cat_mount_state(prev) ? cat_mount_conf_of_failed(prev) : NULL;
}

/* Runs on the path as it was sent: even a path that httpd refuses to decode is answered in JSON. */
int cat_mount_claim(request_rec *r)
{
    const cat_conf_t *conf = conf_for(r, r->parsed_uri.path);

    if (conf) {
        find_route(r, make_state(r, conf), r->parsed_uri.path);
        cat_reply_prevent_error_documents(r);
    } else if ((conf = conf_of_first(r))) {
        make_state(r, conf)->failed = r->prev->status;
    }
    return DECLINED;
}

/* A rewrite may have led here from a path outside; what is in force was found for that path. */
static cat_state_t *claim_rewritten(request_rec *r)
{
    const cat_conf_t *conf;
    cat_state_t *state;

    if (r->uri == r->parsed_uri.path || ap_location_walk(r) != OK || !(conf = conf_for(r, r->uri))) {
        return NULL;
    }
    state = make_state(r, conf);
    cat_reply_prevent_error_documents(r);
    return state;
}

int cat_mount_translate(request_rec *r)
{
    cat_state_t *state = cat_mount_state(r);

    if (!state) {
        state = claim_rewritten(r);
    }
    if (!state) {
        return DECLINED;
    }
    if (!state->failed) {
        if (!is_below(r->uri, state->conf->mount)) {
            ap_set_module_config(r->request_config, &catalog_module, NULL); /* a rewrite led away */
            return DECLINED;
        }
        if (!state->path ||
            strcmp(r->uri, r->parsed_uri.path) != 0) { /* not yet, or it was decoded or rewritten since */
            find_route(r, state, r->uri);
        }
        state->query = r->args;
        r->args = may_log_query(state) ? r->args : NULL;
    }
    r->filename = r->uri; /* there is no file, but other modules look at the name */
    return OK;
}

int cat_mount_map(request_rec *r)
{
    return cat_mount_state(r) ? OK : DECLINED;
}

/* Keeps mod_mime from reading a type, a coding or a handler out of an id's last letters. */
int cat_mount_type(request_rec *r)
{
    if (!cat_mount_state(r)) {
        return DECLINED;
    }
    r->handler = CAT_HANDLER_NAME;
    return OK;
}
