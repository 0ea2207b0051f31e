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

/* What the functions of accounts/ need of the request that they work for. Used by one thread. */
typedef struct cat_account_context_t {
    apr_pool_t *pool; /* results live on it */
    const cat_log_t *log;
    const cat_conf_t *conf;
    cat_db_t *db;
    cat_semaphore_t *hashing;     /* bounds how many passwords are hashed at once */
    const cat_metrics_t *metrics; /* NULL: nothing is counted */
    cat_revoked_t *revoked;       /* the ended sessions that this server knows of */
    apr_time_t now;               /* when the request came, microseconds since the epoch */
    cat_timing_t *timing;         /* NULL: nothing is measured */
    const char *client;           /* the address that it came from */
    const char *network;          /* what limits count: the IPv4 address, or the /64 of an IPv6 address */
    const char *agent;            /* User-Agent, "" when there is none */
    const char *language;         /* of the mails that the user is to get, such as "de"; NULL: it is not known */
    const char *request_id;       /* as the server's logs name the request; NULL: there is none */
} cat_account_context_t;

#endif
