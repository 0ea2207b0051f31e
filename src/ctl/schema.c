/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "ctl/database.h"
#include "db/setup.h"

int ctl_schema_migrate(ctl_t *ctl)
{
    int version, needed;
    const char *fault = ctl_database_open(ctl, 1);

    if (fault) {
        return ctl_fail(NULL, fault);
    }
    if (cat_migration_run(ctl->db) != APR_SUCCESS ||
        cat_migration_read_version(ctl->db, &version, &needed) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    printf("%d\n", version);
    return CTL_DONE;
}
