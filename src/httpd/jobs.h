/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_JOBS_H
#define CAT_HTTPD_JOBS_H

#include <httpd.h>

/* Has mod_watchdog run THE JOB TABLE for every mount, in one child of the server at a time. At the end of post_config. */
int cat_jobs_register(apr_pool_t *pconf, server_rec *main_server);

/* In each child: has the job that runs come to its end before pchild goes. */
void cat_jobs_child_init(apr_pool_t *pchild, server_rec *main_server);

#endif
