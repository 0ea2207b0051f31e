/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_CHILD_USER_H
#define CAT_HTTPD_CHILD_USER_H

#include <httpd.h>

#include "db/setup.h"

/* The user of the children, by User and Group. An ordinary user who runs "httpd -t" without them tests for their own account. */
cat_os_user_t cat_child_user_find(void);

/* A child_init hook: removes HOME from a child that root's httpd started (db/connection/environment.h). */
void cat_child_user_leave_home(apr_pool_t *pchild, server_rec *main_server);

#endif
