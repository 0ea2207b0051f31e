/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_strings.h>
#include <stdio.h>

#include "catalogue/indexes.h"
#include "ctl/counts.h"
#include "ctl/ctl.h"
#include "ctl/progress.h"
#include "db/db.h"

/* Delta rows of categories are applied after so many portions: lists read all that wait. */
#define PORTIONS_BETWEEN 20

typedef struct indexing_t {
    ctl_t *ctl;
    apr_pool_t *pool; /* of one portion */
    ctl_progress_t progress;
    cat_list_key_t from;
    char created_at[32], id[40]; /* of from */
    apr_int64_t rows, changed;
} indexing_t;

static void keep_key(indexing_t *ix, const cat_list_key_t *key)
{
    apr_cpystrn(ix->created_at, key->created_at, sizeof(ix->created_at));
    apr_cpystrn(ix->id, key->id, sizeof(ix->id));
    ix->from = (cat_list_key_t){ix->created_at, ix->id};
}

static apr_status_t fill_portion(indexing_t *ix, int *is_last)
{
    cat_db_t *db = cat_db_make(ix->pool, &ix->ctl->conf, ix->ctl->source, &ix->ctl->log);
    cat_indexes_portion_t portion;
    apr_status_t rv = cat_indexes_fill(ix->pool, db, &ix->from, &portion);

    if (rv == APR_SUCCESS) {
        keep_key(ix, &portion.end);
        ix->rows += portion.rows;
        ix->changed += portion.wrong;
        *is_last = portion.is_last;
    }
    apr_pool_clear(ix->pool);
    return rv;
}

static apr_status_t fill_all(indexing_t *ix)
{
    apr_status_t rv = APR_SUCCESS;
    int is_last = 0;

    for (int portions = 1; !is_last && rv == APR_SUCCESS; portions++) {
        rv = fill_portion(ix, &is_last);
        ctl_progress_show(&ix->progress, ix->rows, ix->rows);
        if (portions % PORTIONS_BETWEEN == 0) {
            ctl_counts_maintain(ix->ctl);
        }
    }
    ctl_counts_maintain(ix->ctl);
    return rv;
}

static apr_status_t read_total(indexing_t *ix)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(ix->ctl->db, SQL_INDEX_STATE, CAT_NO_VALUES, &row);

    ix->progress.total = rv == APR_SUCCESS ? apr_atoi64(row[5]) : 0;
    cat_db_release(ix->ctl->db);
    return rv;
}

int ctl_index_run(ctl_t *ctl)
{
    indexing_t ix = {.ctl = ctl};
    apr_status_t rv;

    apr_pool_create(&ix.pool, ctl->pool);
    keep_key(&ix, &CAT_LIST_KEY_MAX);
    ctl_progress_begin(&ix.progress);
    rv = read_total(&ix);
    rv = rv == APR_SUCCESS ? fill_all(&ix) : rv;
    rv = rv == APR_SUCCESS ? cat_indexes_note_complete(ctl->db) : rv;
    ctl_progress_leave(&ix.progress);
    if (rv != APR_SUCCESS) {
        return ctl_fail(NULL, "not all products are indexed; the cause is above; run the same command again");
    }
    printf("%" APR_INT64_T_FMT " products, %" APR_INT64_T_FMT " indexed anew\n", ix.rows, ix.changed);
    return CTL_DONE;
}
