/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_JOBS_H
#define CAT_HTTPD_JOBS_H

#include <httpd.h>

/* Registers the jobs of every mount with mod_watchdog. Call it at the end of post_config. Returns OK, or
 * HTTP_INTERNAL_SERVER_ERROR after logging CAT035. */
int cat_jobs_register(apr_pool_t *pconf, server_rec *main_server);

/* Registers a cleanup in each child: the end of pchild stops the job that runs and waits for it. */
void cat_jobs_child_init(apr_pool_t *pchild, server_rec *main_server);

#endif
