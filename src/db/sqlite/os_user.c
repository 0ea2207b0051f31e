/* SPDX-License-Identifier: Apache-2.0 */
#include "db/sqlite/os_user.h"

#include <apr_strings.h>
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/file.h"

/* Returns how many there are. */
static size_t read_groups(const cat_os_user_t *user, gid_t groups[NGROUPS_MAX])
{
    const struct passwd *entry = getpwuid(user->uid);
    int count = NGROUPS_MAX;

    return entry && getgrouplist(entry->pw_name, user->gid, groups, &count) >= 0 ? (size_t)count : 0;
}

static int become(const cat_os_user_t *user, const gid_t *groups, size_t count)
{
    return setgroups(count, groups) || setgid(user->gid) || setuid(user->uid) ? errno : 0;
}

int cat_os_user_become(const cat_os_user_t *user)
{
    gid_t groups[NGROUPS_MAX];

    return become(user, groups, read_groups(user, groups));
}

static int try_access(const char *path, int mode)
{
    return access(path, mode) ? errno : 0;
}

static int wait_for_exit(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return 0;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* The groups are read before the fork: the libraries of the name service, whose loading takes longer than the rest, then stay loaded for
 * the next process, and for httpd's children, which read the groups as well. */
int cat_os_user_access(const cat_os_user_t *user, const char *path, int mode)
{
    gid_t groups[NGROUPS_MAX];
    size_t count;
    pid_t pid;

    if (geteuid() != 0 || user->uid == 0) {
        return try_access(path, mode);
    }
    count = read_groups(user, groups);
    pid = fork();
    if (pid == 0) {
        _exit(become(user, groups, count) ? 0 : try_access(path, mode));
    }
    return pid > 0 ? wait_for_exit(pid) : 0;
}

const char *cat_os_user_name(apr_pool_t *pool, apr_uid_t uid)
{
    char *name;

    return apr_uid_name_get(&name, uid, pool) == APR_SUCCESS ? name : apr_psprintf(pool, "%lu", (unsigned long)uid);
}

const char *cat_os_user_group_name(apr_pool_t *pool, apr_gid_t gid)
{
    char *name;

    return apr_gid_name_get(&name, gid, pool) == APR_SUCCESS ? name : apr_psprintf(pool, "%lu", (unsigned long)gid);
}

const char *cat_os_user_install(apr_pool_t *pool, const cat_os_user_t *user, const char *directory)
{
    return apr_psprintf(pool, "install -d -o %s -g %s -m 750 %s", cat_os_user_name(pool, user->uid),
                        cat_os_user_group_name(pool, user->gid), cat_file_quote(pool, directory));
}
