/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/child_user.h"

#include <httpd.h>
#include <pwd.h>
#include <unistd.h>
#include <unixd.h>

#include "httpd/server.h"

#define NO_GROUP ((gid_t) - 1) /* The group id of mod_unixd if no Group is set. */

cat_os_user_t cat_child_user_find(void)
{
    const struct passwd *entry = getpwuid(ap_unixd_config.user_id);

    if (geteuid() != 0 && !entry) {
        return (cat_os_user_t){geteuid(), getegid()};
    }
    return (cat_os_user_t){ap_unixd_config.user_id,
                           entry && ap_unixd_config.group_id == NO_GROUP ? entry->pw_gid : ap_unixd_config.group_id};
}

void cat_child_user_leave_home(apr_pool_t *, server_rec *main_server)
{
    if (cat_server_get(main_server)->started_by_root && geteuid() != 0) {
        cat_environment_leave_home();
    }
}
