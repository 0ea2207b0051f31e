/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_ASK_H
#define CTL_ASK_H

#include <apr_pools.h>

/* Reads a password: entered twice at a terminal, without echo, or the first line of standard input. On the pool.
 * Returns a fault. */
const char *ctl_ask_password(apr_pool_t *pool, const char **password);

/* A generated password of 144 random bits. NULL: the system provides none. */
const char *ctl_ask_generate_password(apr_pool_t *pool);

#endif
