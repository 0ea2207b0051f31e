/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/accept.h"

#include <apr_file_info.h>
#include <apr_strings.h>
#include <apr_uri.h>
#include <string.h>

#include "db/dialect.h"
#include "db/pool.h"
#include "lib/message.h"
#include "lib/secret.h"
#include "lib/smtp.h"

static const struct {
    const char *name;
    const char *text;
} templates[] = {
#define TEMPLATE(name, text) {name, text},
#include "templates.inc"
#undef TEMPLATE
};

static const char *const placeholders[] = {"username", "link", "hours", NULL};

void cat_accept_standard_templates(cat_conf_t *conf)
{
    for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++) {
        if (!conf->mail_confirm && !strcmp(templates[i].name, "confirm")) {
            conf->mail_confirm = templates[i].text;
        }
    }
}

/* The prefix is taken here, where the section is known. A pattern has no prefix to take. */
const char *cat_accept_mount(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    const ap_directive_t *section = cmd->directive->parent;
    apr_size_t length = strlen(cmd->path);
    (void)value;

    if (!conf->enable) {
        return NULL;
    }
    if (!section || strcasecmp(section->directive, "<Location") || *section->args == '~' || strpbrk(cmd->path, "*?[")) {
        return "CatalogEnable needs a <Location> with a plain path: a pattern has no prefix to serve";
    }
    while (length > 0 && cmd->path[length - 1] == '/') {
        length--;
    }
    conf->mount = apr_pstrmemdup(cmd->pool, cmd->path, length);
    return NULL;
}

static const char *path_of(cmd_parms *cmd, const char *value)
{
    const char *path = ap_server_root_relative(cmd->pool, value);
    return path ? path : value;
}

const char *cat_accept_key(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    return cat_token_read_key(cmd->pool, path_of(cmd, value), &conf->key);
}

const char *cat_accept_ca_file(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    apr_finfo_t info;
    const char *path = path_of(cmd, value);
    apr_status_t rv = apr_stat(&info, path, APR_FINFO_TYPE, cmd->temp_pool);

    if (rv != APR_SUCCESS || info.filetype != APR_REG) {
        return apr_psprintf(cmd->pool, "%s: %s is not a file that can be read", cmd->cmd->name, path);
    }
    conf->mail_ca_file = path;
    return NULL;
}

static const char *check_directory(cmd_parms *cmd, const char *path)
{
    apr_finfo_t info;
    apr_status_t rv = apr_stat(&info, path, APR_FINFO_TYPE, cmd->temp_pool);
    return rv != APR_SUCCESS || info.filetype != APR_DIR
               ? apr_psprintf(cmd->pool, "%s: there is no directory %s", cmd->cmd->name, path)
               : NULL;
}

const char *cat_accept_mail(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    const char *path, *error;

    if (strncmp(value, "file:", 5)) {
        error = cat_smtp_check_url(cmd->pool, value);
        return error ? apr_psprintf(cmd->pool,
                                    "CatalogMail must be smtp://host[:port], smtps://host[:port] or file:DIR; '%s' %s",
                                    value, error)
                     : NULL;
    }
    if (!value[5]) {
        return "CatalogMail file: needs a directory, such as file:/var/spool/catalog";
    }
    path = path_of(cmd, value + 5);
    conf->mail = apr_pstrcat(cmd->pool, "file:", path, NULL);
    return check_directory(cmd, path);
}

const char *cat_accept_credentials(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    const char *text, *colon;
    apr_size_t length;
    const char *error = cat_secret_read_file(cmd->pool, path_of(cmd, value), &text, &length);

    if (error) {
        return error;
    }
    colon = strchr(text, ':');
    if (!colon || colon == text || strlen(text) != length || strpbrk(text, "\r\n")) {
        return apr_psprintf(cmd->pool, "%s: must hold one line, user:password", value);
    }
    conf->mail_user = apr_pstrmemdup(cmd->pool, text, (apr_size_t)(colon - text));
    conf->mail_password = colon + 1;
    return NULL;
}

const char *cat_accept_from(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    (void)conf;
    return cat_message_address(cmd->temp_pool, value)
               ? NULL
               : apr_psprintf(cmd->pool, "CatalogMailFrom must be an address, or \"Name <address>\"; '%s' is not",
                              value);
}

static const char *read_text(cmd_parms *cmd, const char *path, const char **text)
{
    apr_finfo_t info;
    apr_file_t *file;
    char *content;
    char why[120];
    apr_status_t rv = apr_file_open(&file, path, APR_FOPEN_READ, APR_FPROT_OS_DEFAULT, cmd->temp_pool);

    if (rv == APR_SUCCESS) {
        rv = apr_file_info_get(&info, APR_FINFO_SIZE, file);
    }
    if (rv == APR_SUCCESS) {
        content = apr_pcalloc(cmd->pool, (apr_size_t)info.size + 1);
        rv = apr_file_read_full(file, content, (apr_size_t)info.size, NULL);
        *text = content;
    }
    return rv == APR_SUCCESS ? NULL : apr_psprintf(cmd->pool, "%s: %s", path, apr_strerror(rv, why, sizeof(why)));
}

const char *cat_accept_templates(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    const char *path = apr_pstrcat(cmd->pool, path_of(cmd, value), "/confirm.txt", NULL);
    const char *error = read_text(cmd, path, &conf->mail_confirm);

    if (!error) {
        error = cat_message_check_template(cmd->pool, conf->mail_confirm, placeholders);
        error = error ? apr_psprintf(cmd->pool, "%s: %s", path, error) : NULL;
    }
    return error;
}

const char *cat_accept_base_url(cmd_parms *cmd, cat_conf_t *conf, const char *value)
{
    apr_uri_t uri;
    apr_size_t length = strlen(value);

    if (apr_uri_parse(cmd->temp_pool, value, &uri) != APR_SUCCESS || !uri.scheme || !uri.hostname || !*uri.hostname ||
        (strcmp(uri.scheme, "http") && strcmp(uri.scheme, "https")) || uri.query || uri.fragment || uri.user ||
        strpbrk(value, " <>\"\r\n\t")) {
        return apr_psprintf(cmd->pool,
                            "CatalogBaseURL must be http://host or https://host, and a path where there is one; "
                            "'%s' is not",
                            value);
    }
    while (value[length - 1] == '/') {
        length--;
    }
    conf->base_url = apr_pstrmemdup(cmd->pool, value, length);
    return NULL;
}

const char *cat_accept_database(cmd_parms *cmd, cat_conf_t *conf, const char *driver, const char *params)
{
    const apr_dbd_driver_t *found;

    if (!cat_dialect_find(driver)) {
        return apr_psprintf(cmd->pool, "CatalogDatabase: the driver %s is not supported", driver);
    }
    if (apr_dbd_init(cmd->pool) != APR_SUCCESS || apr_dbd_get_driver(cmd->pool, driver, &found) != APR_SUCCESS) {
        return apr_psprintf(cmd->pool,
                            "CatalogDatabase: the driver %s cannot be loaded; on Debian it is in libaprutil1-dbd-%s",
                            driver, driver);
    }
    conf->database = cat_pool_create(cmd->pool, driver, params);
    return NULL;
}
