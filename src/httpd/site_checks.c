/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds mistakes in the configuration around the module that nothing else reports: a section that no request reaches, a
 * driver that is not installed, files that the children cannot open or can change, clients that choose their own
 * address, pages without their policy. A configuration that cannot work is refused. A configuration that works, but not
 * as its author expects, causes a warning in the output of "httpd -t" and in the log of each start; catalogctl check
 * repeats the warning.
 */
#include "httpd/site_checks.h"

#include <ap_mpm.h>
#include <apr_dbd.h>
#include <apr_file_info.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include <errno.h>
#include <http_core.h>
#include <http_log.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "httpd/authz.h"
#include "httpd/child_user.h"
#include "httpd/config_tree.h"
#include "lib/file.h"
#include "mail/transport.h"

APLOG_USE_MODULE(catalog);

/* ---- drivers ---- */

static void check_driver(void *baton, const ap_directive_t *d)
{
    apr_pool_t *pool = baton;
    const char *args = d->args, *name;
    const apr_dbd_driver_t *found;

    if (strcasecmp(d->directive, "DBDriver") != 0) {
        return;
    }
    name = ap_getword_conf(pool, &args);
    if (cat_dialect_find(name) && apr_dbd_get_driver(pool, name, &found) != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, 0, NULL,
                     "CAT075: DBDriver %s on line %d of %s: the driver cannot be loaded; on Debian run: "
                     "apt-get install libaprutil1-dbd-%s",
                     name, d->line_num, d->filename, name);
    }
}

int cat_site_checks_driver(apr_pool_t *pconf, apr_pool_t *, apr_pool_t *)
{
    if (apr_dbd_init(pconf) == APR_SUCCESS) {
        cat_config_tree_walk(ap_conftree, check_driver, pconf);
    }
    return OK;
}

/* ---- sections ---- */

/* Returns the path that httpd compares with requests. It equals `path` if requests can reach the section. A section of
 * a proxy has the URL of another server and is returned unchanged. */
static const char *make_reachable(apr_pool_t *pool, const char *path)
{
    char *reachable =
        *path == '/' || strstr(path, "://") ? apr_pstrdup(pool, path) : apr_pstrcat(pool, "/", path, NULL);

    if (*reachable == '/') {
        ap_normalize_path(reachable, AP_NORMALIZE_MERGE_SLASHES | AP_NORMALIZE_NOT_ABOVE_ROOT);
    }
    return reachable;
}

typedef struct search_t {
    apr_pool_t *pool;
    int has_ours; /* True if the section that is being checked has a directive of this module. */
    const char *path;
    const char *fault;
} search_t;

static void find_ours(void *baton, const ap_directive_t *d)
{
    search_t *search = baton;
    const char *args = d->args, *first = ap_getword_conf(search->pool, &args);

    if (!strcasecmp(d->directive, "Require") || !strcasecmp(d->directive, "SetHandler")) {
        first = strcasecmp(first, "not") ? first : ap_getword_conf(search->pool, &args);
        search->has_ours |= !strncasecmp(first, "catalog-", 8);
    } else {
        search->has_ours |= !strncasecmp(d->directive, "Catalog", 7) ||
                            (!strcasecmp(d->directive, "AuthType") && cat_authz_is_ours(first));
    }
}

static void check_section(void *baton, const ap_directive_t *d)
{
    search_t *search = baton;
    const char *path = strcasecmp(d->directive, "<Location") ? NULL : cat_config_tree_path(search->pool, d), *reachable;

    if (!path || search->fault) {
        return;
    }
    reachable = make_reachable(search->pool, path);
    search->has_ours = 0;
    cat_config_tree_walk(d->first_child, find_ours, search);
    if (search->has_ours && strcmp(reachable, path) != 0) {
        search->path = path;
        search->fault =
            apr_psprintf(search->pool, "(line %d of %s) is never reached by a request; write: <Location \"%s\">",
                         d->line_num, d->filename, reachable);
    }
}

const char *cat_site_checks_sections(apr_pool_t *pool, const char **path)
{
    search_t search = {.pool = pool};

    cat_config_tree_walk(ap_conftree, check_section, &search);
    *path = search.path;
    return search.fault;
}

/* ---- files of the children ---- */

/* Returns the fault if the user of the children cannot access the path. Returns NULL as well if httpd runs neither as
 * root nor as that user, because then it cannot find out. */
static const char *check_access(apr_pool_t *pool, const char *directive, const char *path, int mode)
{
    cat_os_user_t user = cat_child_user_find();
    int error = geteuid() == 0 || geteuid() == user.uid ? cat_os_user_access(&user, path, mode) : 0;

    return !error || error == EROFS
               ? NULL
               : apr_psprintf(pool, "has a %s that the user of httpd's children may not %s: %s: %s", directive,
                              mode & W_OK ? "write to" : "read", path, strerror(error));
}

static const char *check_program(apr_pool_t *pool, const char *path)
{
    return access(path, X_OK) == 0
               ? NULL
               : apr_psprintf(pool,
                              "has CatalogImages, but the program %s cannot be run: %s; on Debian run: apt-get install "
                              "libvips-tools",
                              path, strerror(errno));
}

const char *cat_site_checks_files(apr_pool_t *pool, const cat_mount_t *mount)
{
    const cat_conf_t *conf = mount->conf;
    const char *directory = conf->mail ? cat_transport_directory(conf->mail) : NULL, *fault = NULL;

    if (ap_state_query(AP_SQ_MAIN_STATE) != AP_SQ_MS_CREATE_PRE_CONFIG) {
        return NULL; /* A server that runs already is not stopped. */
    }
    if (directory) {
        fault = check_access(pool, "CatalogMail", apr_pstrcat(pool, directory, "/.", NULL), W_OK | X_OK);
    }
    if (!fault && conf->images) {
        fault = check_program(pool, conf->image_program);
    }
    return !fault && conf->mail_ca_file ? check_access(pool, "CatalogMailCA", conf->mail_ca_file, R_OK) : fault;
}

/* ---- warnings: secrets ---- */

typedef struct secrets_t {
    apr_pool_t *pool;
    apr_hash_t *seen; /* Paths that were checked, because many mounts may have the same. */
    cat_os_user_t user;
    server_rec *server;
} secrets_t;

static int is_new_path(secrets_t *w, const char *path)
{
    int is_known = apr_hash_get(w->seen, path, APR_HASH_KEY_STRING) != NULL;

    apr_hash_set(w->seen, path, APR_HASH_KEY_STRING, path);
    return !is_known;
}

/* Returns true also for the owner of the file, who may change its mode. */
static int may_access(secrets_t *w, const char *path, int mode)
{
    apr_finfo_t info;

    return (apr_stat(&info, path, APR_FINFO_OWNER, w->pool) == APR_SUCCESS && info.user == w->user.uid) ||
           cat_os_user_access(&w->user, path, mode) == 0;
}

static void log_secret(const secrets_t *w, const char *text)
{
    ap_log_error(APLOG_MARK, APLOG_WARNING, 0, w->server, "CAT076: %s", text);
}

/* Warns of a secret that the children can read. Root reads the file before there are children, so no child needs access
 * to it, and an attacker who takes over a child would have access, too. */
static void warn_of_file(secrets_t *w, const char *directive, const char *value)
{
    const char *path = ap_server_root_relative(w->pool, value), *quoted;

    if (path && is_new_path(w, path) && may_access(w, path, R_OK)) {
        quoted = cat_file_quote(w->pool, path);
        log_secret(w,
                   apr_psprintf(w->pool,
                                "%s %s: the user of httpd's children may read it, and root alone needs to; run: chown "
                                "root:root %s && chmod 600 %s",
                                directive, path, quoted, quoted));
    }
}

/* Returns the directory, or a file in it, if the user of the children may change it. Returns NULL if there is none. */
static const char *find_changeable(secrets_t *w, const char *directory)
{
    const char *found = may_access(w, directory, W_OK) ? directory : NULL;
    apr_dir_t *dir;
    apr_finfo_t entry;

    if (apr_dir_open(&dir, directory, w->pool) != APR_SUCCESS) {
        return found;
    }
    while (!found && apr_dir_read(&entry, APR_FINFO_NAME, dir) == APR_SUCCESS) {
        const char *path = apr_pstrcat(w->pool, directory, "/", entry.name, NULL);
        found = entry.name[0] != '.' && may_access(w, path, W_OK) ? path : NULL;
    }
    apr_dir_close(dir);
    return found;
}

static void warn_of_directory(secrets_t *w, const char *value)
{
    const char *directory = ap_server_root_relative(w->pool, value), *changeable, *quoted, *group;

    if (!directory || !is_new_path(w, directory)) {
        return;
    }
    changeable = find_changeable(w, directory);
    if (changeable) {
        quoted = cat_file_quote(w->pool, directory);
        group = cat_os_user_group_name(w->pool, w->user.gid);
        log_secret(
            w, apr_psprintf(w->pool,
                            "CatalogKeyDir %s: the user of httpd's children may change %s, and needs to read it only; "
                            "run: chown -R root:%s %s && chmod -R u=rwX,g=rX,o= %s",
                            directory, changeable, group, quoted, quoted));
    }
}

static void warn_of_webhook(secrets_t *w, const char *args)
{
    static const char option[] = "secret=";

    while (*args) {
        const char *word = ap_getword_conf(w->pool, &args);
        if (!strncmp(word, option, strlen(option))) {
            warn_of_file(w, "CatalogWebhook", word + strlen(option));
        }
    }
}

static void warn_of_secrets(void *baton, const ap_directive_t *d)
{
    secrets_t *w = baton;
    const char *args = d->args, *value = ap_getword_conf(w->pool, &args);

    if (!strcasecmp(d->directive, "CatalogKeyDir")) {
        warn_of_directory(w, value);
    } else if (!strcasecmp(d->directive, "CatalogWebhook")) {
        warn_of_webhook(w, d->args);
    } else if (!strcasecmp(d->directive, "CatalogKeyFile") || !strcasecmp(d->directive, "CatalogMailCredentials")) {
        warn_of_file(w, d->directive, value);
    }
}

/* ---- warnings: addresses ---- */

static void warn_of_addresses(apr_pool_t *pool, server_rec *s)
{
    static const char *const trusts[] = {"RemoteIPTrustedProxy", "RemoteIPInternalProxy", "RemoteIPTrustedProxyList",
                                         "RemoteIPInternalProxyList"};
    const char *header = cat_config_tree_find(pool, s, "RemoteIPHeader");

    for (size_t i = 0; i < sizeof(trusts) / sizeof(trusts[0]) && header; i++) {
        header = cat_config_tree_find(pool, s, trusts[i]) ? NULL : header;
    }
    if (header) {
        ap_log_error(
            APLOG_MARK, APLOG_WARNING, 0, s,
            "CAT077: RemoteIPHeader %s of %s without a trusted proxy: each client chooses the address by which it is "
            "limited and logged; add the proxy's address: RemoteIPInternalProxy 192.0.2.1",
            header, s->server_hostname);
    }
}

/* ---- warnings: pages ---- */

typedef struct pages_t {
    apr_pool_t *pool;
    server_rec *server;
    const ap_directive_t *served_by; /* The Alias or DocumentRoot that serves `directory`. */
    const char *directory;
    int has_policy; /* True if the pages have a policy, and also if the directory has no pages. */
} pages_t;

static const ap_directive_t *find_section(const ap_directive_t *d, const char *name)
{
    while (d && strcasecmp(d->directive, name) != 0) {
        d = d->parent;
    }
    return d;
}

/* Returns true if the directive may be in force for the directory of the pages. */
static int covers_pages(const pages_t *pages, const ap_directive_t *d)
{
    const ap_directive_t *host = find_section(d, "<VirtualHost"), *directory = find_section(d, "<Directory");
    const ap_directive_t *other = find_section(pages->served_by, "<VirtualHost");
    const char *path = directory ? cat_config_tree_path(pages->pool, directory) : NULL;

    return (!host || !other || host == other) && (!path || cat_config_tree_is_below(pages->directory, path));
}

static void find_policy(void *baton, const ap_directive_t *d)
{
    pages_t *pages = baton;
    const char *args = d->args;

    if (!strcasecmp(d->directive, "Header") && covers_pages(pages, d)) {
        while (*args && !pages->has_policy) {
            pages->has_policy = !strcasecmp(ap_getword_conf(pages->pool, &args), "Content-Security-Policy");
        }
    }
}

static int has_file(const pages_t *pages, const char *name)
{
    return access(apr_pstrcat(pages->pool, pages->directory, name, NULL), F_OK) == 0;
}

/* Warns of an Alias or DocumentRoot that serves the pages without their Content-Security-Policy. The policy stops
 * scripts that got into a page through a fault. */
static void warn_of_pages(void *baton, const ap_directive_t *d)
{
    pages_t *pages = baton;
    const char *args = d->args;

    if (strcasecmp(d->directive, "Alias") != 0 && strcasecmp(d->directive, "DocumentRoot") != 0) {
        return;
    }
    while (*args) {
        pages->directory = ap_getword_conf(pages->pool, &args);
    }
    pages->served_by = d;
    pages->has_policy = !has_file(pages, "/account.html") || !has_file(pages, "/own/config.js");
    cat_config_tree_walk(ap_conftree, find_policy, pages);
    if (!pages->has_policy) {
        ap_log_error(
            APLOG_MARK, APLOG_WARNING, 0, pages->server,
            "CAT084: %s on line %d of %s serves the catalogue's pages without a Content-Security-Policy, which "
            "keeps foreign scripts from running in them; run a2enmod headers, and copy the Header lines of "
            "<Directory /usr/share/mod_catalog/www> in mods-available/catalog.conf to <Directory \"%s\">",
            d->directive, d->line_num, d->filename, pages->directory);
    }
}

/* ---- warnings: pictures ---- */

/* Warns only, because pictures are served without the directory, too. Does nothing if httpd runs neither as root nor as
 * the user of the children, because then it cannot find out. */
static void warn_of_image_cache(secrets_t *w, const cat_mount_t *mount)
{
    const char *directory = mount->conf->image_cache;
    int error;

    if (!mount->conf->images || !is_new_path(w, directory) || (geteuid() != 0 && geteuid() != w->user.uid)) {
        return;
    }
    error = cat_os_user_access(&w->user, apr_pstrcat(w->pool, directory, "/.", NULL), W_OK | X_OK);
    if (error) {
        ap_log_error(
            APLOG_MARK, APLOG_WARNING, 0, mount->server,
            "CAT082: the user of httpd's children cannot write to CatalogImageCache %s (%s), so each picture is "
            "read from the database; run: %s",
            directory, strerror(error), cat_os_user_install(w->pool, &w->user, directory));
    }
}

/* Returns true once for each start: in the pass that "httpd -t" makes, or else in the second pass, whose lines are in
 * the log. */
static int is_pass_to_warn(void)
{
    return (ap_state_query(AP_SQ_RUN_MODE) == AP_SQ_RM_CONFIG_TEST) ==
           (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG);
}

void cat_site_checks_warn(apr_pool_t *pool, server_rec *main_server)
{
    secrets_t secrets = {pool, apr_hash_make(pool), cat_child_user_find(), main_server};
    pages_t pages = {.pool = pool, .server = main_server};

    if (!is_pass_to_warn()) {
        return;
    }
    for (server_rec *s = main_server; s; s = s->next) {
        if (cat_server_get(s)->mounts->nelts > 0) {
            warn_of_addresses(pool, s);
        }
    }
    for (int i = 0; i < cat_server_get(main_server)->all_mounts->nelts; i++) {
        warn_of_image_cache(&secrets, APR_ARRAY_IDX(cat_server_get(main_server)->all_mounts, i, cat_mount_t *));
    }
    cat_config_tree_walk(ap_conftree, warn_of_pages, &pages);
    if (geteuid() == 0) { /* Otherwise the children have the user who starts httpd. */
        cat_config_tree_walk(ap_conftree, warn_of_secrets, &secrets);
    }
}
