/* SPDX-License-Identifier: Apache-2.0 */
#include "db/connection/environment.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/json.h"

static int is_read_by_libraries(const char *variable)
{
    static const char *const beginnings[] = {"HOME=",     "PG",        "MYSQL_",   "MARIADB_",
                                             "LIBMYSQL_", "SSL_CERT_", "OPENSSL_", "KRB5"};

    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
        if (!strncmp(variable, beginnings[i], strlen(beginnings[i]))) {
            return strchr(variable, '=') != NULL;
        }
    }
    return 0;
}

json_t *cat_environment_read(apr_pool_t *pool)
{
    json_t *variables = cat_json_own(pool, json_object());

    for (char **variable = environ; variable && *variable; variable++) {
        if (is_read_by_libraries(*variable)) {
            const char *value = strchr(*variable, '=') + 1;
            const char *name = apr_pstrmemdup(pool, *variable, (apr_size_t)(value - *variable) - 1);
            json_object_set_new(variables, name, json_string(value));
        }
    }
    return variables;
}

void cat_environment_replace(apr_pool_t *pool, const json_t *variables)
{
    json_t *old = cat_environment_read(pool), *value;
    const char *name;

    json_object_foreach (old, name, value) {
        unsetenv(name);
    }
    json_object_foreach ((json_t *)variables, name, value) {
        setenv(name, json_string_value(value), 1);
    }
}

void cat_environment_leave_home(void)
{
    unsetenv("HOME");
}
