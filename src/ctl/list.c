/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the commands on users, mails, webhooks and the audit trail share.
 *
 * A list is read by one statement a page, which begins after the last row of the page before, so it needs neither a cursor of the database nor an
 * offset. The pool of a page is cleared before the next one.
 *
 * An action, such as another attempt to send some mails, is one transaction: if it cannot be done to one of the ids, it is done to none.
 */
#include "ctl/list.h"

#include <stdio.h>

#include <apr_strings.h>

#include "ctl/database.h"
#include "ctl/table.h"
#include "db/db.h"
#include "lib/id.h"

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

/* ---- what is done to some of a list ---- */

typedef struct acting_t {
    ctl_t *ctl;
    ctl_list_act_t *act;
    int count;
    const char *refused; /* the first id that is */
} acting_t;

static int is_repeated(const ctl_t *ctl, int place)
{
    for (int i = 0; i < place; i++) {
        if (!strcasecmp(ctl->args[i], ctl->args[place])) {
            return 1;
        }
    }
    return 0;
}

static apr_status_t act_on_each(void *baton)
{
    acting_t *a = baton;
    ctl_t *ctl = a->ctl;
    apr_status_t rv = APR_SUCCESS;
    int count;

    a->count = 0;
    if (!ctl->count) {
        return a->act(ctl, NULL, &a->count);
    }
    for (int i = 0; i < ctl->count && rv == APR_SUCCESS; i++) {
        if (!is_repeated(ctl, i)) {
            rv = a->act(ctl, cat_id_fold(ctl->pool, ctl->args[i]), &count);
            a->refused = rv == APR_NOTFOUND ? ctl->args[i] : NULL;
            a->count++;
        }
    }
    return rv;
}

int ctl_list_act(ctl_t *ctl, ctl_list_act_t *act, const char *unknown)
{
    acting_t a = {.ctl = ctl, .act = act};
    apr_status_t rv = ctl_database_write(ctl, act_on_each, &a);

    if (rv == APR_NOTFOUND) {
        return ctl_fail(a.refused, unknown);
    }
    if (rv == APR_SUCCESS) {
        printf("%d\n", a.count);
    }
    return rv == APR_SUCCESS ? CTL_DONE : CTL_FAILED;
}
