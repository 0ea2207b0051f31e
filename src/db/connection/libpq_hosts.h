/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_LIBPQ_HOSTS_H
#define CAT_DB_CONNECTION_LIBPQ_HOSTS_H

#include <libpq-fe.h>

/* cat_executor_t.ask_hosts, with the parameters of a connection. */
void cat_libpq_hosts_ask(PGconn *pg, const char *text, void (*answer)(void *baton, const char *text), void *baton);

#endif
