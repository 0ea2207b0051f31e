/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_DIRECTIVE_CHECKS_H
#define CAT_HTTPD_DIRECTIVE_CHECKS_H

#include <httpd.h>
#include <http_config.h>

#include "lib/conf.h"

/*
 * What a directive does beyond storing its value: checks that would otherwise fail at the first request, and files that are
 * read once, while the server still has the rights to. NULL: accepted. Otherwise what is wrong and what to do, on cmd->pool.
 */
typedef const char *cat_directive_checks_text_t(cmd_parms *cmd, cat_conf_t *conf, const char *value);

cat_directive_checks_text_t cat_directive_checks_mount, cat_directive_checks_key_file, cat_directive_checks_key_dir,
    cat_directive_checks_blocklist, cat_directive_checks_synonyms, cat_directive_checks_image_cache,
    cat_directive_checks_image_program, cat_directive_checks_mail, cat_directive_checks_ca_file,
    cat_directive_checks_credentials, cat_directive_checks_sender, cat_directive_checks_templates,
    cat_directive_checks_base_url, cat_directive_checks_pages_url, cat_directive_checks_currency,
    cat_directive_checks_cache_size;

/* The same for directives with several arguments, which store their value too. */
typedef const char *cat_directive_checks_texts2_t(cmd_parms *cmd, cat_conf_t *conf, const char *one, const char *two);
typedef const char *cat_directive_checks_texts3_t(cmd_parms *cmd, cat_conf_t *conf, const char *one, const char *two,
                                                  const char *three);
/* Pairs, or "Off". Limits that are not named keep conf's values, if it has any. */
typedef const char *cat_directive_checks_pairs_t(apr_pool_t *pool, cat_conf_t *conf, int count, char *const words[]);

/* What a section has of lines that are added to those of the sections above it. */
typedef const void *cat_directive_checks_merge_t(apr_pool_t *pool, const void *base, const void *over);

cat_directive_checks_text_t cat_directive_checks_field;
cat_directive_checks_merge_t cat_directive_checks_merge_fields;

cat_directive_checks_text_t cat_directive_checks_webhook;
cat_directive_checks_merge_t cat_directive_checks_merge_webhooks;

/* Where a line of CatalogField is: "line 12 of /etc/...", on the pool. */
const char *cat_directive_checks_place_field(apr_pool_t *pool, const char *line);

cat_directive_checks_texts2_t cat_directive_checks_database; /* driver, parameters */
cat_directive_checks_texts2_t cat_directive_checks_link;     /* kind of mail, URL */
cat_directive_checks_texts3_t cat_directive_checks_trust;    /* issuer, audience, file of the public key */
cat_directive_checks_pairs_t cat_directive_checks_rates;
cat_directive_checks_pairs_t cat_directive_checks_index;
cat_directive_checks_pairs_t cat_directive_checks_history;
cat_directive_checks_pairs_t cat_directive_checks_origins;
cat_directive_checks_pairs_t cat_directive_checks_names;
cat_directive_checks_pairs_t cat_directive_checks_headers;

/* Sets the built-in texts of mails that no directive has replaced, and the languages that there are texts in. */
void cat_directive_checks_fill(apr_pool_t *pool, cat_conf_t *conf);

#endif
