/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_ACCEPT_H
#define CAT_HTTPD_ACCEPT_H

#include "httpd/conf.h"

/*
 * What a directive does beyond storing its value: checks that would otherwise fail at the first request, and files that are
 * read once, while the server still has the rights to. NULL: accepted. Otherwise what is wrong and what to do.
 */
typedef const char *cat_accept_t(cmd_parms *cmd, cat_conf_t *conf, const char *value);

cat_accept_t cat_accept_mount, cat_accept_key, cat_accept_mail, cat_accept_ca_file, cat_accept_credentials,
    cat_accept_from, cat_accept_templates, cat_accept_base_url, cat_accept_key_dir, cat_accept_blocklist,
    cat_accept_cache;
const char *cat_accept_database(cmd_parms *cmd, cat_conf_t *conf, const char *driver, const char *params);

const char *cat_accept_trust(cmd_parms *cmd, cat_conf_t *conf, const char *issuer, const char *audience,
                             const char *file);
const char *cat_accept_rates(cmd_parms *cmd, cat_conf_t *conf, int argc, char *const argv[]);

/* The built-in mail texts and rates, where no directive names others. */
void cat_accept_standards(cat_conf_t *conf);

#endif
