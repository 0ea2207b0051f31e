/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_SIGNALS_H
#define CAT_HTTPD_SIGNALS_H

#include <apr_pools.h>

/*
 * Under prefork, httpd ends a child within the handler of SIGTERM or SIGHUP: it destroys the child's pools there, wherever the signal
 * has interrupted the code. Inside malloc() or the database's library that corrupts memory. So the two signals are blocked while this
 * module works, and the child ends as soon as they are unblocked, as under event and worker, which wait for their threads.
 *
 * Under MPMs with threads all of this does nothing. Only the thread that serves requests may call it.
 */

/* Before the child serves requests. */
void cat_signals_child_init(void);

/* Blocks the signals until cat_signals_unblock is called as many times. */
void cat_signals_block(void);
void cat_signals_unblock(void);

/* Blocks the signals while the pool is cleared or destroyed. Call it before anything registers a cleanup. */
void cat_signals_block_cleanups(apr_pool_t *pool);

#endif
