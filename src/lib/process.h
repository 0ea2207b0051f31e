/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_PROCESS_H
#define CAT_LIB_PROCESS_H

#include <apr_time.h>

/* Runs a program that reads what nobody trusts, in a process with limits of its own. */

typedef struct cat_process_limits_t {
    apr_interval_time_t time; /* from start to end */
    int cpu;                  /* seconds of processor time */
    apr_uint64_t memory;      /* octets of address space */
    apr_uint64_t file;        /* octets that it may write */
    int files;                /* that it may have open */
} cat_process_limits_t;

typedef enum {
    CAT_PROCESS_DONE,     /* it ended with 0 */
    CAT_PROCESS_REFUSED,  /* it ended with another status, or by a signal, which a limit sends, too */
    CAT_PROCESS_TOO_LONG, /* it was killed, with all processes that it had started, when its time was over */
    CAT_PROCESS_MISSING   /* the program cannot be run */
} cat_process_result_t;

/*
 * argv: ends with NULL; argv[0] is the program's path. env: its whole environment; ends with NULL. input, output: files, as standard input
 * and output; it has no others, and what it reports is lost. Without a processor's other rights: it cannot start programs or processes, nor
 * open sockets, where the system's kernel supports that. It is killed when the thread that started it ends.
 */
cat_process_result_t cat_process_run(const char *const *argv, const char *const *env, int input, int output,
                                     const cat_process_limits_t *limits);

#endif
