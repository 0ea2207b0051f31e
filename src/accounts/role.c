/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/role.h"

#include <string.h>

const char *const cat_role_names[CAT_ROLE_COUNT + 1] = {CAT_ROLE_NAMES, NULL};

int cat_role_parse(const char *name, cat_role_t *role)
{
    for (int i = 0; i < CAT_ROLE_COUNT; i++) {
        if (!strcmp(cat_role_names[i], name)) {
            *role = (cat_role_t)i;
            return 1;
        }
    }
    return 0;
}

int cat_role_includes(const char *name, int other)
{
    cat_role_t role = CAT_ROLE_USER;

    cat_role_parse(name, &role);
    return (int)role >= other;
}
