/* SPDX-License-Identifier: Apache-2.0 */
#include "db/dialects/dialect.h"

#include <apr_strings.h>
#include <string.h>

#include "db/dialects/sql_fragments.h"
#include "lib/text.h"

/* THE DIALECT TABLE: one file of db/dialects/ a row */
static const cat_dialect_t *const dialects[] = {&cat_dialect_sqlite3, &cat_dialect_mysql, &cat_dialect_pgsql};

#define DIALECTS (sizeof(dialects) / sizeof(dialects[0]))

/* The text of each statement, unless a dialect has its own. */
static const struct {
    const char *name;
    const char *text;
} statements[SQL_COUNT] = {
#define STATEMENT(name, text) {#name, text},
#include "db/dialects/sql.def"
};

const char *const cat_dialect_nothing[] = {NULL};

const char *cat_dialect_names(apr_pool_t *pool)
{
    const char *drivers[DIALECTS + 1] = {NULL};

    for (size_t i = 0; i < DIALECTS; i++) {
        drivers[i] = dialects[i]->driver;
    }
    return cat_text_join(pool, drivers);
}

const cat_dialect_t *cat_dialect_find(const char *driver)
{
    for (size_t i = 0; i < DIALECTS; i++) {
        if (!strcmp(dialects[i]->driver, driver)) {
            return dialects[i];
        }
    }
    return NULL;
}

const char *cat_dialect_lacks(const cat_dialect_t *dialect, apr_pool_t *pool, const char *params)
{
    const char *missing = "";

    for (const char *const *need = dialect->needs; *need; need++) {
        if (!strstr(params, *need)) {
            missing = apr_pstrcat(pool, missing, ",", *need, NULL);
        }
    }
    return *missing ? missing : NULL;
}

const char *cat_dialect_sql(const cat_dialect_t *dialect, cat_sql_t sql)
{
    const char *text = dialect->statements[sql];

    return text ? text : statements[sql].text;
}

const char *cat_dialect_sql_name(cat_sql_t sql)
{
    return statements[sql].name;
}
