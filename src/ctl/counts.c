/* SPDX-License-Identifier: Apache-2.0 */
#include "ctl/counts.h"

#include "catalogue/store.h"
#include "ctl/database.h"
#include "db/db.h"

void ctl_counts_maintain(ctl_t *ctl)
{
    apr_pool_t *pool;
    apr_status_t rv;
    int changed;

    ctl->quiet = 1;
    apr_pool_create(&pool, ctl->pool);
    do {
        cat_db_t *db = cat_db_make(pool, &ctl->conf, ctl->source, &ctl->log);
        rv = cat_counts_maintain(db, &changed);
        apr_pool_clear(pool);
    } while (rv == APR_SUCCESS && changed);
    apr_pool_destroy(pool);
    ctl->quiet = 0;
}

static apr_status_t recount_products(void *db)
{
    return cat_counts_rebuild(db);
}

int ctl_counts_recount(ctl_t *ctl)
{
    if (ctl_database_write(ctl, recount_products, ctl->db) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    ctl_counts_maintain(ctl);
    return CTL_DONE;
}
