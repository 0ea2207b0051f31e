/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_CHILD_USER_H
#define CAT_HTTPD_CHILD_USER_H

#include <httpd.h>

#include "db/setup.h"

/* Returns the user and group of httpd's children, from the directives User and Group. If an ordinary user without these
 * directives runs "httpd -t", returns that user instead. */
cat_os_user_t cat_child_user_find(void);

/* child_init hook. Removes HOME from the environment of a child of an httpd that root started
 * (db/connection/environment.h). */
void cat_child_user_leave_home(apr_pool_t *pchild, server_rec *main_server);

#endif
