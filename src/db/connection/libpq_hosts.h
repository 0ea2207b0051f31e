/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_LIBPQ_HOSTS_H
#define CAT_DB_CONNECTION_LIBPQ_HOSTS_H

#include <apr_pools.h>
#include <libpq-fe.h>

/* Implement cat_executor_t.list_hosts, for a connection of libpq, and cat_executor_t.ask_hosts. */
const char *const *cat_libpq_hosts_list(PGconn *pg, apr_pool_t *pool);
void cat_libpq_hosts_ask(const char *const *hosts, const char *text,
                         void (*answer)(void *baton, int host, const char *text), void *baton);

#endif
