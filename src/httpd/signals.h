/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_SIGNALS_H
#define CAT_HTTPD_SIGNALS_H

#include <apr_pools.h>

/*
 * Under prefork, httpd ends a child within the handler of SIGTERM or SIGHUP: the handler destroys the child's pools,
 * wherever the signal has interrupted the code. Inside malloc() or the database's library that corrupts memory. So this
 * module blocks the two signals while it works, and the child ends as soon as they are unblocked. Under event and
 * worker, the child waits for its threads instead.
 *
 * Under MPMs with threads these functions do nothing. Only the thread that serves requests may call them.
 */

/* Finds out whether the MPM has threads. Call it before the child serves requests. */
void cat_signals_child_init(void);

/* Blocks the two signals until cat_signals_unblock has been called as many times. */
void cat_signals_block(void);
void cat_signals_unblock(void);

/* Blocks the two signals while the pool is cleared or destroyed. Call it before anything registers a cleanup. */
void cat_signals_block_cleanups(apr_pool_t *pool);

#endif
