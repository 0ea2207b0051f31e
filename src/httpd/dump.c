/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the settings of each mount for catalogctl. Only httpd knows the meaning of its configuration, with all
 * includes, defaults and inheritance. The table below has the fields of a line; src/ctl/site.c reads them by name.
 */
#include "httpd/dump.h"

#include <apr_strings.h>
#include <http_core.h>
#include <stdio.h>
#include <unixd.h>

#include "accounts/mailer.h"
#include "accounts/outbox.h"
#include "catalogue/store.h"
#include "httpd/server.h"
#include "jose/keyring.h"
#include "lib/conf.h"
#include "lib/fields.h"
#include "lib/json.h"

enum {
    SERVER,
    MOUNT,
    DRIVER,
    PARAMS,
    DATABASE,
    KEY_FILE,
    KEY_DIR,
    ISSUER,
    AUDIENCE,
    BLOCKLIST,
    MAIL,
    INVITE_LINK,
    INVITE_TTL,
    INDEX,
    OWN,
    VISIBLE,
    MOUNT_URI,
    IMAGES,
    PROGRAM,
    QUOTA,
    HISTORY,
    UID,
    GID,
    ENVIRONMENT,
    FIELDS
};
static const cat_field_t fields[FIELDS] = {
    [SERVER] = {.name = "server", .kind = CAT_STRING},
    [MOUNT] = {.name = "mount", .kind = CAT_STRING},
    [DRIVER] = {.name = "driver", .kind = CAT_STRING},
    [PARAMS] = {.name = "params", .kind = CAT_STRING},
    [DATABASE] = {.name = "database", .kind = CAT_STRING},
    [KEY_FILE] = {.name = "keyFile", .kind = CAT_STRING},
    [KEY_DIR] = {.name = "keyDir", .kind = CAT_STRING},
    [ISSUER] = {.name = "issuer", .kind = CAT_STRING},
    [AUDIENCE] = {.name = "audience", .kind = CAT_STRING},
    [BLOCKLIST] = {.name = "blocklist", .kind = CAT_STRING},
    [MAIL] = {.name = "mail", .kind = CAT_STRING},
    [INVITE_LINK] = {.name = "inviteLink", .kind = CAT_STRING},
    [INVITE_TTL] = {.name = "inviteTtl", .kind = CAT_NUMBER},
    [INDEX] = {.name = "index", .kind = CAT_STRING},
    [OWN] = {.name = "fields", .kind = CAT_VALUE},
    [VISIBLE] = {.name = "visible", .kind = CAT_STRING},
    [MOUNT_URI] = {.name = "mountUri", .kind = CAT_STRING},
    [IMAGES] = {.name = "images", .kind = CAT_BOOLEAN},
    [PROGRAM] = {.name = "imageProgram", .kind = CAT_STRING},
    [QUOTA] = {.name = "imageQuota", .kind = CAT_NUMBER},
    [HISTORY] = {.name = "history", .kind = CAT_NUMBER},
    [UID] = {.name = "uid", .kind = CAT_NUMBER},
    [GID] = {.name = "gid", .kind = CAT_NUMBER},
    [ENVIRONMENT] = {.name = "environment", .kind = CAT_VALUE},
};

static const char *path_of(apr_pool_t *pool, const char *value)
{
    const char *path = value ? ap_server_root_relative(pool, value) : NULL;
    return path ? path : value;
}

/* Returns the CatalogField lines of the mount as a JSON list, in the order of its fields. */
static const char *write_lines(apr_pool_t *pool, const cat_fields_t *all)
{
    json_t *lines = cat_json_own(pool, json_array());

    for (int i = 0; i < all->count; i++) {
        if (all->all[i].flags & CAT_OWN) {
            json_array_append_new(lines, json_string(all->own[i]->line));
        }
    }
    return cat_json_text(pool, lines);
}

static void write_mount(apr_pool_t *pool, const cat_mount_t *mount)
{
    const cat_conf_t *conf = mount->conf;
    const char *values[FIELDS] = {
        [SERVER] = mount->server->server_hostname,
        [MOUNT] = cat_conf_location(conf),
        [DATABASE] = cat_server_database_key(pool, mount),
        [KEY_DIR] = cat_keyring_directory(conf->keys),
        [KEY_FILE] = cat_keyring_directory(conf->keys) ? NULL : path_of(pool, conf->key_file),
        [ISSUER] = conf->issuer,
        [AUDIENCE] = conf->audience,
        [BLOCKLIST] = path_of(pool, conf->blocklist_file),
        [MAIL] = conf->mail,
        [INVITE_LINK] = cat_mailer_link(pool, conf, CAT_MAIL_INVITE, CAT_MAILER_TOKEN),
        [INVITE_TTL] = apr_itoa(pool, conf->confirm_ttl),
        [INDEX] = cat_product_keys_write_set(pool, *conf->index),
        [OWN] = write_lines(pool, cat_product_fields_of(conf)),
        [VISIBLE] = conf->visible_text,
        [MOUNT_URI] = conf->mount_uri,
        [IMAGES] = conf->images ? "1" : "0",
        [PROGRAM] = conf->image_program,
        [QUOTA] = apr_itoa(pool, conf->image_quota),
        [HISTORY] = apr_itoa(pool, cat_conf_history(conf)),
        [UID] = apr_psprintf(pool, "%lu", (unsigned long)ap_unixd_config.user_id),
        [GID] = apr_psprintf(pool, "%lu", (unsigned long)ap_unixd_config.group_id),
        [ENVIRONMENT] = cat_json_text(pool, cat_environment_read(pool)),
    };
    cat_buffer_t b;

    cat_server_database(pool, mount, &values[DRIVER], &values[PARAMS]);
    cat_buffer_init(&b, pool, 512);
    cat_fields_write(&b, fields, FIELDS, values);
    puts(cat_buffer_text(&b));
}

void cat_dump_run(apr_pool_t *pconf, server_rec *main_server)
{
    const apr_array_header_t *mounts = cat_server_get(main_server)->all_mounts;

    for (int i = 0; ap_exists_config_define("CATALOG_DUMP") && i < mounts->nelts; i++) {
        write_mount(pconf, APR_ARRAY_IDX(mounts, i, cat_mount_t *));
    }
    /* catalogctl reads stdout and stderr from one pipe, so "Syntax OK" on stderr must not appear within a line. */
    fflush(stdout);
}
