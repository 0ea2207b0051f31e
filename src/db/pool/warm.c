/* SPDX-License-Identifier: Apache-2.0 */
#include "db/pool/warm.h"

#include <apr_thread_mutex.h>

#define WARM_MAX 32

struct cat_warm_t {
    const cat_database_t *database;
    apr_thread_mutex_t *mutex;
    /* ---- guarded by the mutex ---- */
    cat_db_handle_t kept[WARM_MAX]; /* the one that was used last is the last one */
    int count;
    apr_time_t distrusted; /* one that left its pool by then is not fresh */
    int is_closed;
};

apr_status_t cat_warm_create(cat_warm_t **warm, apr_pool_t *pool, const cat_database_t *database)
{
    *warm = apr_pcalloc(pool, sizeof(**warm));
    (*warm)->database = database;
    return apr_thread_mutex_create(&(*warm)->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

/* After the clock was set back, none is. */
static int is_fresh(const cat_warm_t *warm, const cat_db_handle_t *handle, apr_time_t now)
{
    return !warm->is_closed && handle->checked > warm->distrusted &&
           !cat_database_lost_one_since(warm->database, handle->checked) && now >= handle->checked &&
           now - handle->checked < CAT_WARM_TIME;
}

int cat_warm_keep(cat_warm_t *warm, const cat_db_handle_t *handle, int most, apr_time_t now)
{
    int is_kept;

    apr_thread_mutex_lock(warm->mutex);
    is_kept = warm->count < most && warm->count < WARM_MAX && is_fresh(warm, handle, now);
    if (is_kept) {
        warm->kept[warm->count++] = *handle;
    }
    apr_thread_mutex_unlock(warm->mutex);
    return is_kept;
}

static int take_handle(cat_warm_t *warm, cat_db_handle_t *handle, apr_time_t now, int must_be_fresh)
{
    int i;

    apr_thread_mutex_lock(warm->mutex);
    i = warm->count - 1;
    while (i >= 0 && is_fresh(warm, &warm->kept[i], now) != must_be_fresh) {
        i--;
    }
    if (i >= 0) {
        *handle = warm->kept[i];
        warm->count--;
        for (int j = i; j < warm->count; j++) {
            warm->kept[j] = warm->kept[j + 1];
        }
    }
    apr_thread_mutex_unlock(warm->mutex);
    return i >= 0;
}

int cat_warm_take(cat_warm_t *warm, cat_db_handle_t *handle, apr_time_t now)
{
    return take_handle(warm, handle, now, 1);
}

int cat_warm_expel(cat_warm_t *warm, cat_db_handle_t *handle, apr_time_t now)
{
    return take_handle(warm, handle, now, 0);
}

void cat_warm_distrust(cat_warm_t *warm, apr_time_t now)
{
    apr_thread_mutex_lock(warm->mutex);
    warm->distrusted = now;
    apr_thread_mutex_unlock(warm->mutex);
}

void cat_warm_close(cat_warm_t *warm)
{
    apr_thread_mutex_lock(warm->mutex);
    warm->is_closed = 1;
    apr_thread_mutex_unlock(warm->mutex);
}
