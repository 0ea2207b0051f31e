/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the catalogue that a command is for, by asking httpd: it runs "httpd -t -D CATALOG_DUMP", so that settings are
 * what the server itself makes of its configuration, and reads the mounts from the output. With several mounts, --server
 * and --mount choose; with --driver and --params there is no configuration, and --field says what CatalogField does.
 */
#include "ctl/site.h"

#include <stdlib.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_strings.h>
#include <apr_thread_proc.h>

#include "lib/buffer.h"
#include "lib/json.h"
#include "lib/secret.h"
#include "lib/text.h"
#include "places.inc"

#define READ_AT_ONCE 4096
#define HISTORY (30 * 86400) /* CatalogHistory's default */

/* ---- asking httpd ---- */

/* apachectl sets the environment that a distribution's configuration expects. It is absent if only the httpd program is
 * installed. */
static const char *find_program(apr_pool_t *pool)
{
    apr_finfo_t info;

    return apr_stat(&info, PLACE_APACHECTL, APR_FINFO_TYPE, pool) == APR_SUCCESS ? PLACE_APACHECTL : PLACE_HTTPD;
}

/* httpd resolves a relative path against ServerRoot. */
static const char *make_absolute(apr_pool_t *pool, const char *path)
{
    char *whole;

    return apr_filepath_merge(&whole, NULL, path, 0, pool) == APR_SUCCESS ? whole : path;
}

static const char *const *make_command(apr_pool_t *pool, const ctl_options_t *options)
{
    apr_array_header_t *words = apr_array_make(pool, 12, sizeof(const char *));

    APR_ARRAY_PUSH(words, const char *) = options->httpd ? options->httpd : find_program(pool);
    APR_ARRAY_PUSH(words, const char *) = "-t";
    APR_ARRAY_PUSH(words, const char *) = "-D";
    APR_ARRAY_PUSH(words, const char *) = "CATALOG_DUMP";
    for (int i = 0; i < options->defines->nelts; i++) {
        APR_ARRAY_PUSH(words, const char *) = "-D";
        APR_ARRAY_PUSH(words, const char *) = APR_ARRAY_IDX(options->defines, i, const char *);
    }
    if (options->config) {
        APR_ARRAY_PUSH(words, const char *) = "-f";
        APR_ARRAY_PUSH(words, const char *) = make_absolute(pool, options->config);
    }
    APR_ARRAY_PUSH(words, const char *) = NULL;
    return (const char *const *)words->elts;
}

/* The program must not read our standard input, which may contain a password. */
static apr_status_t start_program(apr_pool_t *pool, const char *const *command, apr_proc_t *process, apr_file_t **out)
{
    apr_procattr_t *attributes;
    apr_file_t *in, *write;
    apr_status_t rv = apr_file_open(&in, "/dev/null", APR_FOPEN_READ, 0, pool);

    if (rv == APR_SUCCESS) {
        rv = apr_file_pipe_create_ex(out, &write, APR_FULL_BLOCK, pool);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_procattr_create(&attributes, pool);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    apr_procattr_child_in_set(attributes, in, NULL);
    apr_procattr_child_out_set(attributes, write, NULL);
    apr_procattr_child_err_set(attributes, write, NULL);
    apr_procattr_cmdtype_set(attributes, APR_PROGRAM_PATH);
    apr_procattr_error_check_set(attributes, 1);
    rv = apr_proc_create(process, command[0], command, NULL, attributes, pool);
    apr_file_close(write);
    return rv;
}

static char *read_output(apr_pool_t *pool, apr_file_t *file)
{
    char piece[READ_AT_ONCE];
    apr_size_t length = sizeof(piece);
    cat_buffer_t text;

    cat_buffer_init(&text, pool, READ_AT_ONCE);
    while (apr_file_read(file, piece, &length) == APR_SUCCESS) {
        cat_buffer_add(&text, piece, length);
        length = sizeof(piece);
    }
    return cat_buffer_text(&text);
}

/* Runs a command. *text is all of its output. Returns a fault. */
static const char *run_program(apr_pool_t *pool, const char *const *command, char **text)
{
    apr_proc_t process;
    apr_file_t *out;
    apr_exit_why_e why = APR_PROC_EXIT;
    char reason[120];
    int code = 0;
    apr_status_t rv = start_program(pool, command, &process, &out);

    if (rv != APR_SUCCESS) {
        return apr_psprintf(pool, "%s cannot be run: %s; name httpd's program with --httpd", command[0],
                            apr_strerror(rv, reason, sizeof(reason)));
    }
    *text = read_output(pool, out);
    apr_proc_wait(&process, &code, &why, APR_WAIT);
    return code == 0 ? NULL : apr_psprintf(pool, "%s refuses the configuration:\n%s", command[0], *text);
}

/* ---- choosing ---- */

static const char *text_of(const json_t *mount, const char *name)
{
    return json_string_value(json_object_get(mount, name));
}

/* httpd calls the mount of a whole site "/"; the server's jobs know it by "". */
static const char *name_for_jobs(const char *mount)
{
    return mount && !strcmp(mount, "/") ? "" : mount;
}

static void read_mount(const json_t *mount, ctl_site_t *site)
{
    *site = (ctl_site_t){
        .server = text_of(mount, "server"),
        .mount = text_of(mount, "mount"),
        .driver = text_of(mount, "driver"),
        .params = text_of(mount, "params"),
        .database = text_of(mount, "database"),
        .key_file = text_of(mount, "keyFile"),
        .key_dir = text_of(mount, "keyDir"),
        .issuer = text_of(mount, "issuer"),
        .audience = text_of(mount, "audience"),
        .blocklist = text_of(mount, "blocklist"),
        .mail = text_of(mount, "mail"),
        .invite_link = text_of(mount, "inviteLink"),
        .invite_ttl = (int)json_integer_value(json_object_get(mount, "inviteTtl")),
        .index = text_of(mount, "index"),
        .fields = json_object_get(mount, "fields"),
        .visible = text_of(mount, "visible"),
        .mount_uri = text_of(mount, "mountUri"),
        .images = json_is_true(json_object_get(mount, "images")),
        .image_program = text_of(mount, "imageProgram"),
        .image_quota = (int)json_integer_value(json_object_get(mount, "imageQuota")),
        .history = (int)json_integer_value(json_object_get(mount, "history")),
        .environment = json_object_get(mount, "environment"),
        .undo_mount = name_for_jobs(text_of(mount, "mount")),
        .uid = (apr_uid_t)json_integer_value(json_object_get(mount, "uid")),
        .gid = (apr_gid_t)json_integer_value(json_object_get(mount, "gid")),
    };
}

static int is_wanted(const ctl_options_t *options, const ctl_site_t *site)
{
    return site->server && site->mount && (!options->server || !strcasecmp(options->server, site->server)) &&
           (!options->mount || !strcmp(options->mount, site->mount));
}

/* A <Location> of the main server is a mount of every virtual host, but still one catalogue. */
static int is_same(const ctl_site_t *a, const ctl_site_t *b)
{
    return cat_text_is_same(a->database, b->database) && cat_text_is_same(a->key_file, b->key_file) &&
           cat_text_is_same(a->key_dir, b->key_dir) && cat_text_is_same(a->blocklist, b->blocklist) &&
           cat_text_is_same(a->index, b->index) && json_equal(a->fields, b->fields);
}

static int has_same_tokens(const ctl_site_t *a, const ctl_site_t *b)
{
    return cat_text_is_same(a->issuer, b->issuer) && cat_text_is_same(a->audience, b->audience);
}

/* A line of httpd's log: "[time] [catalog:warn] [pid 1] CAT076: what is wrong". */
static void take_warning(const char *line, apr_array_header_t *warnings)
{
    const char *text = strstr(line, "[catalog:warn]") ? strstr(line, "] CAT") : NULL;

    if (text) {
        APR_ARRAY_PUSH(warnings, const char *) = text + 2;
    }
}

/* The mounts in httpd's output, and its warnings. */
static apr_array_header_t *read_mounts(apr_pool_t *pool, char *text, apr_array_header_t *warnings)
{
    apr_array_header_t *sites = apr_array_make(pool, 4, sizeof(ctl_site_t));
    const char *why;
    json_t *mount;
    ctl_site_t site;
    char *rest;

    for (char *line = apr_strtok(text, "\n", &rest); line; line = apr_strtok(NULL, "\n", &rest)) {
        take_warning(line, warnings);
        mount = *line == '{' ? cat_json_parse(pool, line, strlen(line), &why) : NULL;
        if (mount) {
            read_mount(mount, &site);
            APR_ARRAY_PUSH(sites, ctl_site_t) = site;
        }
    }
    return sites;
}

static apr_array_header_t *find_wanted(apr_pool_t *pool, const apr_array_header_t *mounts, const ctl_options_t *options)
{
    apr_array_header_t *sites = apr_array_make(pool, 4, sizeof(ctl_site_t));

    for (int i = 0; i < mounts->nelts; i++) {
        const ctl_site_t *site = &APR_ARRAY_IDX(mounts, i, ctl_site_t);
        if (is_wanted(options, site)) {
            APR_ARRAY_PUSH(sites, ctl_site_t) = *site;
        }
    }
    return sites;
}

static const apr_array_header_t *list_lines(apr_pool_t *pool, const apr_array_header_t *mounts, const ctl_site_t *site)
{
    apr_array_header_t *lines = apr_array_make(pool, mounts->nelts, sizeof(const json_t *));

    for (int i = 0; i < mounts->nelts; i++) {
        const ctl_site_t *mount = &APR_ARRAY_IDX(mounts, i, ctl_site_t);
        if (cat_text_is_same(mount->database, site->database)) {
            APR_ARRAY_PUSH(lines, const json_t *) = mount->fields;
        }
    }
    return lines;
}

static const char *explain_choice(apr_pool_t *pool, const apr_array_header_t *sites)
{
    const char *text = "there are several catalogues; choose one with:";

    for (int i = 0; i < sites->nelts; i++) {
        const ctl_site_t *site = &APR_ARRAY_IDX(sites, i, ctl_site_t);
        text = apr_psprintf(pool, "%s\n  --server %s --mount %s", text, site->server, site->mount);
    }
    return text;
}

/* What another mount of the catalogue adds. */
static void add_mount(ctl_site_t *site, const ctl_site_t *other)
{
    site->mail = site->mail ? site->mail : other->mail; /* each of them sends the mails of all */
    if (other->history > site->history) {
        site->history = other->history;
        site->undo_mount = other->undo_mount;
    }
    if (other->images && !site->images) {
        site->images = 1;
        site->mount_uri = other->mount_uri;
        site->image_program = other->image_program;
        site->image_quota = other->image_quota;
    }
}

static const char *find_in_configuration(apr_pool_t *pool, const ctl_options_t *options, ctl_site_t *site)
{
    apr_array_header_t *mounts, *sites, *warnings = apr_array_make(pool, 2, sizeof(const char *));
    char *text = NULL;
    const char *fault = run_program(pool, make_command(pool, options), &text);

    if (fault) {
        return fault;
    }
    mounts = read_mounts(pool, text, warnings);
    sites = find_wanted(pool, mounts, options);
    if (sites->nelts == 0) {
        return options->server || options->mount ? "the configuration has no such catalogue"
                                                 : "the configuration has no catalogue: no CatalogEnable On";
    }
    *site = APR_ARRAY_IDX(sites, 0, ctl_site_t);
    site->warnings = warnings;
    site->lines = list_lines(pool, mounts, site);
    for (int i = 1; i < sites->nelts; i++) {
        const ctl_site_t *other = &APR_ARRAY_IDX(sites, i, ctl_site_t);
        if (!is_same(site, other)) {
            return explain_choice(pool, sites);
        }
        site->strangers = has_same_tokens(site, other) ? site->strangers : explain_choice(pool, sites);
        add_mount(site, other);
    }
    return site->driver && site->params ? NULL : "the catalogue has no database: set DBDriver and DBDParams";
}

static const json_t *list_texts(apr_pool_t *pool, const apr_array_header_t *texts)
{
    json_t *list = cat_json_own(pool, json_array());

    for (int i = 0; i < texts->nelts; i++) {
        json_array_append_new(list, json_string(APR_ARRAY_IDX(texts, i, const char *)));
    }
    return list;
}

/* @FILE keeps a password in the parameters off the command line, which every user can see. */
const char *ctl_site_find(apr_pool_t *pool, const ctl_options_t *options, ctl_site_t *site)
{
    apr_size_t length;

    if (!options->driver) {
        return find_in_configuration(pool, options, site);
    }
    *site = (ctl_site_t){.driver = options->driver,
                         .params = options->params,
                         .fields = list_texts(pool, options->fields),
                         .history = HISTORY};
    return *options->params == '@' ? cat_secret_read_file(pool, options->params + 1, &site->params, &length) : NULL;
}
