/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_DUMP_H
#define CAT_HTTPD_DUMP_H

#include <httpd.h>

/*
 * Hook for "httpd -t -D CATALOG_DUMP": writes each mount to stdout, a JSON object a line, as src/ctl/site.c reads it.
 * The output includes the parameters of the database, which may contain a password; a user who can run this can read the
 * configuration anyway.
 */
void cat_dump_run(apr_pool_t *pconf, server_rec *main_server);

#endif
