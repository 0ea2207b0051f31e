/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_OS_USER_H
#define CAT_DB_SQLITE_OS_USER_H

#include <apr_user.h>

/* The operating system's user that httpd's children run as if root starts httpd; otherwise they run as the user who
 * started it. */
typedef struct cat_os_user_t {
    apr_uid_t uid;
    apr_gid_t gid;
} cat_os_user_t;

/* Makes this process, which must be root's, the user's for good, groups included. Returns 0 or an errno. */
int cat_os_user_become(const cat_os_user_t *user);

/*
 * access(2) with the user's rights. Returns 0 or an errno; 0 where it cannot be found out. Root forks a process that
 * becomes the user; any other process asks for itself.
 */
int cat_os_user_access(const cat_os_user_t *user, const char *path, int mode);

/* For messages: the names, or the numbers of those that have none; on the pool. */
const char *cat_os_user_name(apr_pool_t *pool, apr_uid_t uid);
const char *cat_os_user_group_name(apr_pool_t *pool, apr_gid_t gid);

/* Returns the command that creates the directory for the user, or gives it to the user; on the pool. */
const char *cat_os_user_install(apr_pool_t *pool, const cat_os_user_t *user, const char *directory);

#endif
