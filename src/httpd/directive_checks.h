/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_DIRECTIVE_CHECKS_H
#define CAT_HTTPD_DIRECTIVE_CHECKS_H

#include <httpd.h>
#include <http_config.h>

#include "lib/conf.h"

/*
 * Checks the value of one directive while httpd reads the configuration, so that a mistake is reported at start and not
 * by the first request. Reads the files that the value names while httpd still has root's rights. May also store values
 * in `conf` that derive from `value`. Returns NULL if the value is accepted. Otherwise returns the cause and the
 * remedy, on cmd->pool.
 */
typedef const char *cat_directive_checks_text_t(cmd_parms *cmd, cat_conf_t *conf, const char *value);

cat_directive_checks_text_t cat_directive_checks_mount, cat_directive_checks_key_file, cat_directive_checks_key_dir,
    cat_directive_checks_blocklist, cat_directive_checks_synonyms, cat_directive_checks_image_cache,
    cat_directive_checks_image_program, cat_directive_checks_mail, cat_directive_checks_ca_file,
    cat_directive_checks_credentials, cat_directive_checks_sender, cat_directive_checks_templates,
    cat_directive_checks_base_url, cat_directive_checks_pages_url, cat_directive_checks_currency,
    cat_directive_checks_cache_size;

/* Check directives with two or three arguments, and store the arguments in `conf`. `two` is NULL if it is missing.
 * Return as cat_directive_checks_text_t does. */
typedef const char *cat_directive_checks_texts2_t(cmd_parms *cmd, cat_conf_t *conf, const char *one, const char *two);
typedef const char *cat_directive_checks_texts3_t(cmd_parms *cmd, cat_conf_t *conf, const char *one, const char *two,
                                                  const char *three);
/* Checks a directive with any number of words, such as pairs of a limit and its value, or "Off", and stores them in
 * `conf`. Limits that are not named keep their value in `conf`, if it has one. Returns as cat_directive_checks_text_t
 * does. */
typedef const char *cat_directive_checks_pairs_t(apr_pool_t *pool, cat_conf_t *conf, int count, char *const words[]);

/* Merges a repeatable directive. Returns the lines of the inner section `over` together with those lines of the outer
 * section `base` that `over` does not replace, on the pool. */
typedef const void *cat_directive_checks_merge_t(apr_pool_t *pool, const void *base, const void *over);

cat_directive_checks_text_t cat_directive_checks_field;
cat_directive_checks_merge_t cat_directive_checks_merge_fields;

cat_directive_checks_text_t cat_directive_checks_webhook;
cat_directive_checks_merge_t cat_directive_checks_merge_webhooks;

/* Returns where a CatalogField line is in the configuration, such as "line 12 of /etc/apache2/...", on the pool. */
const char *cat_directive_checks_place_field(apr_pool_t *pool, const char *line);

cat_directive_checks_texts2_t cat_directive_checks_database; /* Arguments: driver, parameters. */
cat_directive_checks_texts2_t cat_directive_checks_link;     /* Arguments: kind of mail, URL. */
cat_directive_checks_texts3_t cat_directive_checks_trust;    /* Arguments: issuer, audience, file of the public key. */
cat_directive_checks_pairs_t cat_directive_checks_rates;
cat_directive_checks_pairs_t cat_directive_checks_index;
cat_directive_checks_pairs_t cat_directive_checks_history;
cat_directive_checks_pairs_t cat_directive_checks_origins;
cat_directive_checks_pairs_t cat_directive_checks_names;
cat_directive_checks_pairs_t cat_directive_checks_headers;

/* Sets the built-in texts of mails if no directive has set texts, and the list of the languages of these texts. */
void cat_directive_checks_fill(apr_pool_t *pool, cat_conf_t *conf);

#endif
