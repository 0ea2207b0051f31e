/* SPDX-License-Identifier: Apache-2.0 */
#include "ctl/list.h"

#include <apr_strings.h>

#include "ctl/table.h"
#include "db/db.h"

typedef struct listing_t {
    apr_pool_t *pool; /* of one page */
    ctl_table_t table;
    const char *last; /* row's place in the order; NULL: the page is empty */
} listing_t;

static apr_status_t print_row(void *baton, const char *const *row, int count)
{
    listing_t *l = baton;

    ctl_table_row(&l->table, l->pool, row);
    l->last = apr_pstrdup(l->pool, row[count - 1]);
    return APR_SUCCESS;
}

int ctl_list_print(ctl_t *ctl, const cat_field_t *fields, int count, cat_sql_t sql, const char *const *values,
                   int value_count)
{
    listing_t l = {.table = {.fields = fields, .count = count, .json = ctl->options->json}};
    const char *arguments[1 + CTL_LIST_VALUES_MAX] = {""};
    apr_status_t rv;

    for (int i = 0; i < value_count; i++) {
        arguments[i + 1] = values[i];
    }
    ctl_table_begin(&l.table);
    apr_pool_create(&l.pool, ctl->pool);
    do {
        cat_db_t *db = cat_db_make(l.pool, &ctl->conf, ctl->source, &ctl->log);
        l.last = NULL;
        rv = cat_db_each(db, sql, arguments, value_count + 1, print_row, &l);
        arguments[0] = apr_pstrdup(ctl->pool, l.last);
        apr_pool_clear(l.pool);
    } while (rv == APR_SUCCESS && arguments[0]);
    ctl_table_end(&l.table);
    return rv == APR_SUCCESS ? CTL_DONE : CTL_FAILED;
}

int ctl_list_is_repeated(const ctl_t *ctl, int place)
{
    for (int i = 0; i < place; i++) {
        if (!strcasecmp(ctl->args[i], ctl->args[place])) {
            return 1;
        }
    }
    return 0;
}
