/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_CONTEXT_H
#define CAT_ACCOUNTS_CONTEXT_H

#include <apr_pools.h>
#include <apr_time.h>

#include "db/db.h"
#include "lib/conf.h"
#include "lib/log.h"
#include "lib/timing.h"
#include "shm/metrics.h"
#include "shm/revoked.h"
#include "shm/semaphore.h"

/* The request for which a function of accounts/ runs. Used by one thread. */
typedef struct cat_account_context_t {
    apr_pool_t *pool; /* Pool of the results. */
    const cat_log_t *log;
    const cat_conf_t *conf;
    cat_db_t *db;
    cat_semaphore_t *hashing;     /* Limit on the number of passwords that are hashed at once. */
    const cat_metrics_t *metrics; /* NULL if nothing is counted. */
    cat_revoked_t *revoked;       /* Set of ended sessions that this server refuses. */
    apr_time_t now;               /* Time at which the request arrived. */
    cat_timing_t *timing;         /* NULL if the request is not measured. */
    const char *client;           /* Address of the client. */
    const char *network;          /* Network that limits count: the IPv4 address, or the /64 of an IPv6 address. */
    const char *agent;            /* User-Agent. "" if the client sent none. */
    const char *language;         /* Language for mails to the user, such as "de". NULL if it is not known. */
    const char *request_id;       /* Id of the request in the server's logs. NULL if it has none. */
} cat_account_context_t;

#endif
