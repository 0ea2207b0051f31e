/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A handler that writes a constant: the least that a module can cost. "ConstantFile NAME FILE" answers /constant/NAME, and every
 * path below it, with the content that FILE has when httpd starts. Like mod_catalog, it skips httpd's walk of the file system.
 */
#include <apr_hash.h>
#include <apr_strings.h>
#include <httpd.h>
#include <http_config.h>
#include <http_protocol.h>
#include <http_request.h>
#include <string.h>

#define PREFIX "/constant/"

extern module AP_MODULE_DECLARE_DATA constant_module;

typedef struct constant_t {
    const char *data;
    apr_size_t length;
} constant_t;

static void *create(apr_pool_t *pool, server_rec *s)
{
    (void)s;
    return apr_hash_make(pool);
}

static const char *set_file(cmd_parms *cmd, void *dummy, const char *name, const char *path)
{
    apr_hash_t *constants = ap_get_module_config(cmd->server->module_config, &constant_module);
    constant_t *c = apr_pcalloc(cmd->pool, sizeof(*c));
    apr_finfo_t info;
    apr_file_t *file;
    char *data;

    (void)dummy;
    if (apr_file_open(&file, path, APR_FOPEN_READ, APR_FPROT_OS_DEFAULT, cmd->temp_pool) != APR_SUCCESS ||
        apr_file_info_get(&info, APR_FINFO_SIZE, file) != APR_SUCCESS) {
        return apr_psprintf(cmd->pool, "%s cannot be read", path);
    }
    c->length = (apr_size_t)info.size;
    c->data = data = apr_palloc(cmd->pool, c->length);
    if (apr_file_read_full(file, data, c->length, NULL) != APR_SUCCESS) {
        return apr_psprintf(cmd->pool, "%s cannot be read", path);
    }
    apr_hash_set(constants, name, APR_HASH_KEY_STRING, c);
    return NULL;
}

static int is_ours(const request_rec *r)
{
    return !strncmp(r->uri, PREFIX, sizeof(PREFIX) - 1);
}

static int claim(request_rec *r)
{
    return is_ours(r) ? OK : DECLINED;
}

static int answer(request_rec *r)
{
    const constant_t *c;
    const char *name;

    if (!is_ours(r)) {
        return DECLINED;
    }
    name = r->uri + sizeof(PREFIX) - 1;
    c = apr_hash_get(ap_get_module_config(r->server->module_config, &constant_module), name,
                     (apr_ssize_t)strcspn(name, "/"));
    if (!c) {
        return HTTP_NOT_FOUND;
    }
    ap_set_content_type(r, "application/json");
    ap_set_content_length(r, (apr_off_t)c->length);
    ap_rwrite(c->data, (int)c->length, r);
    return OK;
}

static void register_hooks(apr_pool_t *pool)
{
    (void)pool;
    ap_hook_translate_name(claim, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_map_to_storage(claim, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_handler(answer, NULL, NULL, APR_HOOK_FIRST);
}

static const command_rec directives[] = {
    AP_INIT_TAKE2("ConstantFile", set_file, NULL, RSRC_CONF, "a name, and the file with what it answers"),
    {NULL, {NULL}, NULL, 0, 0, NULL},
};

module AP_MODULE_DECLARE_DATA constant_module = {
    STANDARD20_MODULE_STUFF, NULL, NULL, create, NULL, directives, register_hooks, AP_MODULE_FLAG_NONE,
};
