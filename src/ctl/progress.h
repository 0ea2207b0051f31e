/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_PROGRESS_H
#define CTL_PROGRESS_H

#include <apr_time.h>

/* How far a long command is, on stderr where that is a terminal: one line that is drawn again and again. */
typedef struct ctl_progress_t {
    apr_int64_t total; /* what done will be at the end; 0: unknown */
    int wanted;        /* there is a terminal */
    int drawn;         /* the cursor stands behind the line */
    apr_time_t began;
    apr_time_t next; /* not to be drawn before */
} ctl_progress_t;

void ctl_progress_begin(ctl_progress_t *progress);
void ctl_progress_show(ctl_progress_t *progress, apr_int64_t rows, apr_int64_t done);

/* Leaves the line as it is, for others to write below it. */
void ctl_progress_leave(ctl_progress_t *progress);

#endif
