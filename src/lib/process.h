/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_PROCESS_H
#define CAT_LIB_PROCESS_H

#include <apr_time.h>

#include "lib/buffer.h"

/* Runs programs that read untrusted data, each in a confined process. */

typedef struct cat_process_t {
    const char *const *argv; /* NULL-terminated; argv[0] is the path of the program */
    const char *const *env;  /* whole environment of the program, NULL-terminated */
    int input;               /* descriptor of a file: the standard input */
    apr_uint64_t memory;     /* bytes of address space */
    int files;               /* largest number of open files */
    apr_size_t output;       /* largest number of bytes that the program may print */
} cat_process_t;

/* Time that several programs share, which run one after the other for the same task. */
typedef struct cat_process_budget_t {
    apr_time_t end;          /* end, on the clock of cat_time_monotonic */
    apr_interval_time_t cpu; /* processor time left; the last second is not used */
} cat_process_budget_t;

typedef enum {
    CAT_PROCESS_DONE,     /* exited with 0 */
    CAT_PROCESS_REFUSED,  /* exited with another status, crashed, or printed too much */
    CAT_PROCESS_SPENT,    /* processor time of the budget is used up */
    CAT_PROCESS_TOO_LONG, /* killed at the end of the budget */
    CAT_PROCESS_STOPPED,  /* killed because this process must stop */
    CAT_PROCESS_KILLED,   /* killed by another program or by the system */
    CAT_PROCESS_MISSING,  /* the program cannot be run */
    CAT_PROCESS_FAULT     /* no process could be started; errno has the reason */
} cat_process_result_t;

/*
 * Runs the program and waits for it. Appends its output to `output` and subtracts its processor time from the budget.
 * The program has only its standard input and output; its standard error is discarded. It cannot write files, start
 * other programs, send signals or open sockets, and can read only files below /usr, /lib and /opt. cat_process_lack
 * says which of this the kernel cannot enforce. The program is killed when the thread that runs it ends.
 */
cat_process_result_t cat_process_run(const cat_process_t *program, cat_process_budget_t *budget, cat_buffer_t *output);

/* Returns what the kernel lacks to confine programs, as the beginning of a sentence. Returns NULL if it lacks
 * nothing. */
const char *cat_process_lack(void);

/* Returns true if a signal told this process to end while the calling thread blocks that signal to finish its work.
 * Loops that wait long must check this. */
int cat_process_must_stop(void);

#endif
