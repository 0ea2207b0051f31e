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
    cat_accept_from, cat_accept_templates, cat_accept_base_url;
const char *cat_accept_database(cmd_parms *cmd, cat_conf_t *conf, const char *driver, const char *params);

/* The built-in mail texts, where CatalogMailTemplates names no others. */
void cat_accept_standard_templates(cat_conf_t *conf);

#endif
