/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/signals.h"

#include <ap_mpm.h>
#include <pthread.h>
#include <signal.h>

static int is_threaded = 1, depth;
static sigset_t signals;

void cat_signals_child_init(void)
{
    ap_mpm_query(AP_MPMQ_IS_THREADED, &is_threaded);
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
}

void cat_signals_block(void)
{
    if (!is_threaded && depth++ == 0) {
        pthread_sigmask(SIG_BLOCK, &signals, NULL);
    }
}

void cat_signals_unblock(void)
{
    if (!is_threaded && --depth == 0) {
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    }
}

static apr_status_t block_signals(void *)
{
    cat_signals_block();
    return APR_SUCCESS;
}

static apr_status_t unblock_signals(void *)
{
    cat_signals_unblock();
    return APR_SUCCESS;
}

/* A pool runs its cleanups in the reverse order of their registration, so the one that unblocks the signals runs
 * last. */
void cat_signals_block_cleanups(apr_pool_t *pool)
{
    if (!is_threaded) {
        apr_pool_pre_cleanup_register(pool, NULL, block_signals);
        apr_pool_cleanup_register(pool, NULL, unblock_signals, apr_pool_cleanup_null);
    }
}
