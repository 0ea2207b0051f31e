/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/log.h"

#include <apr_strings.h>
#include <http_core.h>
#include <http_log.h>
#include <string.h>

APLOG_USE_MODULE(catalog);

static const int levels[] = {
    [CAT_LOG_ERROR] = APLOG_ERR, [CAT_LOG_WARNING] = APLOG_WARNING, [CAT_LOG_NOTICE] = APLOG_NOTICE,
    [CAT_LOG_INFO] = APLOG_INFO, [CAT_LOG_DEBUG] = APLOG_DEBUG,
};

const char *cat_log_request_id(request_rec *r)
{
    const char *id = apr_table_get(r->subprocess_env, "UNIQUE_ID");

    if (!id && ap_run_generate_log_id(r->connection, r, &id) == OK) {
        apr_table_setn(r->subprocess_env, "UNIQUE_ID", id);
    }
    return id;
}

/* Returns the end of a log line, with the id of the request, or "" if the request has no id. */
static const char *id_suffix(request_rec *r)
{
    const char *id = cat_log_request_id(r);
    return id ? apr_pstrcat(r->pool, " (request ", id, ")", NULL) : "";
}

const char *cat_log_name_request(request_rec *r)
{
    const char *path = r->uri ? r->uri : "-";
    int length = (int)strcspn(path, "?"); /* If httpd could not parse the URI, r->uri includes the query. */

    return apr_psprintf(r->pool, "%s %.*s%s", r->method, length, path, id_suffix(r));
}

static void write_for_request(void *context, cat_log_level_t level, apr_status_t rv, const char *message)
{
    request_rec *r = context;
    ap_log_rerror(APLOG_MARK, levels[level], rv, r, "%s%s", message, id_suffix(r));
}

static void write_for_server(void *context, cat_log_level_t level, apr_status_t rv, const char *message)
{
    ap_log_error(APLOG_MARK, levels[level], rv, (server_rec *)context, "%s", message);
}

static const cat_log_t *make_log(apr_pool_t *pool, void (*write)(void *, cat_log_level_t, apr_status_t, const char *),
                                 void *context, int is_background)
{
    cat_log_t *log = apr_palloc(pool, sizeof(*log));
    *log = (cat_log_t){write, context, is_background};
    return log;
}

const cat_log_t *cat_log_for_request(request_rec *r)
{
    return make_log(r->pool, write_for_request, r, 0);
}

const cat_log_t *cat_log_for_server(server_rec *s, apr_pool_t *pool)
{
    return make_log(pool, write_for_server, s, 0);
}

const cat_log_t *cat_log_for_jobs(server_rec *s, apr_pool_t *pool)
{
    return make_log(pool, write_for_server, s, 1);
}
