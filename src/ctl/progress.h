/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_PROGRESS_H
#define CTL_PROGRESS_H

#include <apr_time.h>

/* The progress of a long command: one line on stderr, redrawn, if that is a terminal. */
typedef struct ctl_progress_t {
    apr_int64_t total; /* final value of done; 0: unknown */
    const char *unit;  /* of what is counted; NULL: rows */
    int wanted;        /* flag: stderr is a terminal */
    int drawn;         /* flag: the cursor is at the end of the line */
    apr_time_t began;
    apr_time_t next; /* time of the next redraw */
} ctl_progress_t;

void ctl_progress_begin(ctl_progress_t *progress);

/* What is done will be the octets of standard input: the total is its size, if it is a file. */
void ctl_progress_expect_input(ctl_progress_t *progress);

void ctl_progress_show(ctl_progress_t *progress, apr_int64_t rows, apr_int64_t done);

/* A step that does not say how far it is: shows what is done now, until the next of these functions is called. */
void ctl_progress_name(ctl_progress_t *progress, const char *what);

/* Ends the line, so that other output goes below it. */
void ctl_progress_leave(ctl_progress_t *progress);

#endif
