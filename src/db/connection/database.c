/* SPDX-License-Identifier: Apache-2.0 */
#include "db/connection/database.h"

#include <stdatomic.h>

#include "lib/time.h"

void cat_database_note_loss(cat_database_t *database)
{
    atomic_store_explicit(&database->lost_at, apr_time_now(), memory_order_release);
}

int cat_database_lost_one_since(const cat_database_t *database, apr_time_t since)
{
    return since <= atomic_load_explicit(&database->lost_at, memory_order_acquire);
}

void cat_database_note_refusal(cat_database_t *database)
{
    apr_time_t none = 0;
    atomic_compare_exchange_strong_explicit(&database->refused_since, &none, apr_time_now(), memory_order_acq_rel,
                                            memory_order_acquire);
}

void cat_database_note_taken(cat_database_t *database)
{
    if (atomic_load_explicit(&database->refused_since, memory_order_relaxed)) {
        atomic_store_explicit(&database->refused_since, 0, memory_order_release);
    }
}

int cat_database_may_get_ready(const cat_database_t *database)
{
    apr_time_t since = atomic_load_explicit(&database->refused_since, memory_order_acquire), now = apr_time_now();
    return since == 0 || (now >= since && now - since < CAT_DATABASE_READY_PATIENCE);
}

int cat_database_sums_up(const cat_log_t *log, cat_repeats_t *repeats, char more[CAT_REPEATS_TEXT])
{
    more[0] = '\0';
    return log->is_background || cat_repeats_note(repeats, cat_time_monotonic(), more);
}
