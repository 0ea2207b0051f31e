/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_OS_USER_H
#define CAT_DB_OS_USER_H

#include <apr_user.h>

/* The user of the operating system that httpd's children run as, where root starts them; otherwise they run as who started them. */
typedef struct cat_os_user_t {
    apr_uid_t uid;
    apr_gid_t gid;
} cat_os_user_t;

/* Gives this process, which is root's, the user's rights, groups included, for good. 0, or an errno. */
int cat_os_user_become(const cat_os_user_t *user);

/*
 * access(2) with the user's rights: 0, or an errno. As root another process tries it. An ordinary process cannot try for another
 * user, and tries for itself. Where this cannot be found out, 0.
 */
int cat_os_user_access(const cat_os_user_t *user, const char *path, int mode);

#endif
