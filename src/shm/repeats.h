/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_REPEATS_H
#define CAT_SHM_REPEATS_H

#include <apr_time.h>

#include "shm/shared.h"

/*
 * Sums up a line of the error log that an overload would repeat for each request: one in ten seconds is logged, and says how many were
 * not; a process that must stop (lib/process.h) refuses whatever waits, and logs none. Zeroed memory is ready for use. Used by all threads;
 * in shared memory, by all children.
 */
typedef struct cat_repeats_t {
    atomic_uint unreported;
    cat_shared_time_t reported; /* when a thread last logged one; 0: none did */
} cat_repeats_t;

/* Is this line to be logged? text: then the end of its message, "" or ", and 17 more in the last 12 s". now: cat_time_monotonic(). */
#define CAT_REPEATS_TEXT 64
int cat_repeats_note(cat_repeats_t *repeats, apr_time_t now, char text[CAT_REPEATS_TEXT]);

#endif
