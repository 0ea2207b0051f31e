/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_DUMP_H
#define CAT_HTTPD_DUMP_H

#include <httpd.h>

/*
 * test_config hook for "httpd -t -D CATALOG_DUMP". Writes one JSON object per line and mount to stdout; src/ctl/site.c
 * reads the lines. They include the parameters of the database, which may contain a password; a user who can run this
 * command can read the configuration anyway.
 */
void cat_dump_run(apr_pool_t *pconf, server_rec *main_server);

#endif
