/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_ASK_H
#define CTL_ASK_H

#include <apr_pools.h>

/* A password: typed in twice at the terminal, which does not show it, or the first line of standard input. On the
 * pool. Returns a fault. */
const char *ctl_ask_password(apr_pool_t *pool, const char **password);

/* One that nobody has to think of: 144 random bits. NULL: the system has none to give. */
const char *ctl_ask_generate_password(apr_pool_t *pool);

#endif
