/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/repeats.h"

#include <apr_strings.h>

#include "lib/process.h"

#define INTERVAL apr_time_from_sec(10)

int cat_repeats_note(cat_repeats_t *repeats, apr_time_t now, char text[CAT_REPEATS_TEXT])
{
    apr_time_t last = atomic_load_explicit(&repeats->reported, memory_order_seq_cst);
    unsigned others;

    if (cat_process_must_stop()) {
        return 0;
    }
    if ((last && now - last < INTERVAL) ||
        !atomic_compare_exchange_strong_explicit(&repeats->reported, &last, now, memory_order_seq_cst,
                                                 memory_order_seq_cst)) {
        atomic_fetch_add_explicit(&repeats->unreported, 1, memory_order_seq_cst);
        return 0;
    }
    others = atomic_exchange_explicit(&repeats->unreported, 0, memory_order_seq_cst);
    text[0] = '\0';
    if (others) {
        apr_snprintf(text, CAT_REPEATS_TEXT, ", and %u more in the last %d s", others, (int)apr_time_sec(now - last));
    }
    return 1;
}
