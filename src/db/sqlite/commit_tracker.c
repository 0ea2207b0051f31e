/* SPDX-License-Identifier: Apache-2.0 */
#include "db/sqlite/commit_tracker.h"

#include <string.h>

static apr_status_t release_index(void *tracker)
{
    cat_wal_index_release(((cat_commit_tracker_t *)tracker)->wal_index);
    return APR_SUCCESS;
}

void cat_commit_tracker_hold(cat_commit_tracker_t *tracker, apr_pool_t *pool, cat_wal_index_t *wal_index,
                             const char *file, const cat_log_t *log)
{
    tracker->wal_index = NULL;
    if (cat_wal_index_hold(wal_index, tracker->generations, file, log)) {
        tracker->wal_index = wal_index;
        apr_pool_pre_cleanup_register(pool, tracker, release_index);
    }
}

void cat_commit_tracker_release(cat_commit_tracker_t *tracker, apr_pool_t *pool)
{
    if (tracker->wal_index) {
        apr_pool_cleanup_run(pool, tracker, release_index);
    }
    tracker->wal_index = NULL;
}

void cat_commit_tracker_begin(cat_commit_tracker_t *tracker)
{
    int is_foreign;

    tracker->wrote = CAT_WROTE_NOTHING;
    tracker->version = NULL;
    tracker->is_on = tracker->wal_index && cat_wal_index_read(tracker->wal_index, apr_time_now(), &tracker->before);
    if (tracker->is_on) {
        is_foreign = cat_generations_begin(tracker->generations, tracker->before);
        cat_metrics_add(tracker->metrics, CAT_METRIC_CACHE_INVALIDATIONS, CAT_SCOPE_ALL, (apr_uint64_t)is_foreign);
    }
}

/* SQLite writes each row that is inserted or deleted, but not an update that leaves the row as it was. */
void cat_commit_tracker_note(cat_commit_tracker_t *tracker, cat_sql_t sql)
{
    if (sql == SQL_PRODUCT_INSERT || sql == SQL_PRODUCT_DELETE) {
        tracker->wrote = CAT_WROTE;
    } else if (tracker->wrote == CAT_WROTE_NOTHING) {
        tracker->wrote = CAT_WROTE_PERHAPS;
    }
}

int cat_commit_tracker_is_unsure(const cat_commit_tracker_t *tracker)
{
    return tracker->is_on && tracker->wrote == CAT_WROTE_PERHAPS;
}

void cat_commit_tracker_commit(cat_commit_tracker_t *tracker, const char *version)
{
    if (tracker->is_on) {
        tracker->version = version;
        cat_generations_commit(tracker->generations);
    }
}

void cat_commit_tracker_fail(cat_commit_tracker_t *tracker)
{
    tracker->wrote = CAT_WROTE_NOTHING;
}

/* May our commit have made the state of the one before? A foreign program may have committed before, after or instead
 * of us. */
static int may_be_own(const cat_commit_tracker_t *tracker)
{
    return tracker->wrote != CAT_WROTE_NOTHING && tracker->after &&
           cat_wal_index_is_next(tracker->before, tracker->after);
}

int cat_commit_tracker_look(cat_commit_tracker_t *tracker)
{
    if (!tracker->is_on) {
        return 0;
    }
    if (!cat_wal_index_read(tracker->wal_index, apr_time_now(), &tracker->after)) {
        tracker->after = 0;
    }
    return may_be_own(tracker) && tracker->version;
}

void cat_commit_tracker_end(cat_commit_tracker_t *tracker, const char *version)
{
    int is_own = may_be_own(tracker) &&
                 (tracker->wrote == CAT_WROTE || (version && tracker->version && !strcmp(version, tracker->version)));

    if (tracker->is_on) {
        tracker->is_on = 0;
        cat_generations_end(tracker->generations, tracker->before, is_own ? tracker->after : tracker->before);
    }
}
