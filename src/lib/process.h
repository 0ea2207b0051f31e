/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_PROCESS_H
#define CAT_LIB_PROCESS_H

#include <apr_time.h>

#include "lib/buffer.h"

/* Runs programs that read what nobody trusts, each in a process that may do little else. */

typedef struct cat_process_t {
    const char *const *argv; /* ends with NULL; argv[0] is the program's path */
    const char *const *env;  /* its whole environment; ends with NULL */
    int input;               /* a file: its standard input */
    apr_uint64_t memory;     /* octets of address space */
    int files;               /* that it may have open */
    apr_size_t output;       /* octets that it may print */
} cat_process_t;

/* What the programs that work on one thing, one after the other, may take together. */
typedef struct cat_process_budget_t {
    apr_time_t end;          /* of cat_time_monotonic */
    apr_interval_time_t cpu; /* of processor time that is left; the last second of it is not used */
} cat_process_budget_t;

typedef enum {
    CAT_PROCESS_DONE,     /* it ended with 0 */
    CAT_PROCESS_REFUSED,  /* it ended with another status, or crashed, or printed too much */
    CAT_PROCESS_SPENT,    /* the processor time of the budget is used up */
    CAT_PROCESS_TOO_LONG, /* it was killed at the end of the budget */
    CAT_PROCESS_STOPPED,  /* it was killed because this process must stop */
    CAT_PROCESS_KILLED,   /* another program, or the system, killed it */
    CAT_PROCESS_MISSING,  /* the program cannot be run */
    CAT_PROCESS_FAULT     /* there can be no process; errno says why */
} cat_process_result_t;

/*
 * Adds to output what the program prints, and takes from the budget the processor time that it took. The program is left with its standard
 * input and output; what it reports is lost. It cannot write files, start programs beside itself, send signals, nor open sockets; of files it
 * can read those below /usr, /lib and /opt. cat_process_lack says which of that nothing guarantees. It is killed when the thread that
 * runs it ends.
 */
cat_process_result_t cat_process_run(const cat_process_t *program, cat_process_budget_t *budget, cat_buffer_t *output);

/* What is missing to confine a program, as the beginning of a sentence; NULL: nothing. */
const char *cat_process_lack(void);

/* Flag: this process was told to end, by a signal that the thread blocks until it has done its work. What waits for long looks at it. */
int cat_process_must_stop(void);

#endif
