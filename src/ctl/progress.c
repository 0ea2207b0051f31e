/* SPDX-License-Identifier: Apache-2.0 */
#include "ctl/progress.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define WIDTH 30
#define INTERVAL apr_time_from_msec(100)

void ctl_progress_begin(ctl_progress_t *progress)
{
    *progress = (ctl_progress_t){.wanted = isatty(STDERR_FILENO), .began = apr_time_now()};
}

void ctl_progress_expect_input(ctl_progress_t *progress)
{
    struct stat info;

    progress->total = fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : 0;
}

void ctl_progress_show(ctl_progress_t *progress, apr_int64_t rows, apr_int64_t done)
{
    static const char full[WIDTH + 1] = "##############################";
    apr_time_t now = apr_time_now();
    apr_time_t took = now - progress->began;
    int ended = progress->total && done >= progress->total;
    double share = ended ? 1 : (double)done / (double)progress->total;

    if (!progress->wanted || (now < progress->next && !ended)) {
        return;
    }
    progress->next = now + INTERVAL;
    progress->drawn = 1;
    fputc('\r', stderr);
    if (progress->total) {
        fprintf(stderr, "[%-*.*s] %3d %%  ", WIDTH, (int)(share * WIDTH), full, (int)(share * 100));
    }
    fprintf(stderr, "%" APR_INT64_T_FMT " %s, %.0f a second ", rows, progress->unit ? progress->unit : "rows",
            took > 0 ? (double)rows / (double)took * 1e6 : 0.0);
}

void ctl_progress_name(ctl_progress_t *progress, const char *what)
{
    if (progress->wanted) {
        ctl_progress_leave(progress);
        fputs(what, stderr);
        progress->drawn = 1;
    }
}

void ctl_progress_leave(ctl_progress_t *progress)
{
    if (progress->drawn) {
        fputc('\n', stderr);
        progress->drawn = 0;
    }
}
