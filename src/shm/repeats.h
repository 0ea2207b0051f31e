/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_REPEATS_H
#define CAT_SHM_REPEATS_H

#include <apr_time.h>

#include "shm/shared.h"

/*
 * Limits a line of the error log that an overload would repeat for each request. One line in ten seconds is logged and
 * says how many were not. Nothing is logged while the process must stop (lib/process.h), because it then refuses all
 * waiting requests. Zeroed memory is ready for use. All threads may use it and, in shared memory, all children.
 */
typedef struct cat_repeats_t {
    atomic_uint unreported;
    cat_shared_time_t reported; /* time of the last logged line, or 0 */
} cat_repeats_t;

/* Returns true if the line should be logged. Sets `text` to the end of its message, "" or ", and 17 more in the last 12
 * s". `now` is cat_time_monotonic(). */
#define CAT_REPEATS_TEXT 64
int cat_repeats_note(cat_repeats_t *repeats, apr_time_t now, char text[CAT_REPEATS_TEXT]);

#endif
