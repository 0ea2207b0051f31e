/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_SESSION_H
#define CAT_ACCOUNTS_SESSION_H

#include <apr_tables.h>

#include "db/db.h"
#include "http/request.h"
#include "lib/conf.h"
#include "shm/revoked.h"

/* What a user who signs in gets beside the access token. Both live on the pool. */
typedef struct cat_session_t {
    const char *id; /* sid */
    const char *user_id;
    const char *refresh_token; /* in clear: only its SHA-256 is stored */
} cat_session_t;

/* Opens a session with its first refresh token, in the caller's transaction. */
apr_status_t cat_session_open(cat_request_t *q, const char *user_id, cat_session_t *session);

/*
 * Finds the session that a refresh token belongs to, without using the token. APR_NOTFOUND: it is unknown, expired, or its
 * session has ended. *is_replay: it was used longer ago than the grace, so cat_session_refresh would end the session.
 */
apr_status_t cat_session_find(cat_request_t *q, const char *refresh_token, cat_session_t *session, int *is_replay);

/* What came of a refresh token. */
typedef enum {
    CAT_REFRESH_OK,
    CAT_REFRESH_UNKNOWN, /* or expired, or its session has ended */
    CAT_REFRESH_REPLAYED /* it was used before, longer ago than the grace: someone has a copy, so the session has been ended */
} cat_refresh_t;

/* Exchanges a refresh token for its successor, in a transaction of its own; within the grace it gives the same successor again.
 * CAT_REFRESH_OK: *session is set. A status other than APR_SUCCESS is a fault. */
apr_status_t cat_session_refresh(cat_request_t *q, const char *refresh_token, cat_session_t *session,
                                 cat_refresh_t *outcome);

/* Each ends sessions in a transaction of its own, or in the caller's; their access tokens are refused from the commit on, on
 * this server at once: cat_session_revoke has to follow the commit of a caller's transaction, with ended. */
apr_status_t cat_session_end(cat_request_t *q, const char *id,
                             const char *user_id); /* APR_NOTFOUND: not one of this user's */
/* Those of a user that were used least recently, but never session, where there are more than CatalogMaxSessions. */
apr_status_t cat_session_end_surplus(cat_request_t *q, const cat_session_t *session, apr_array_header_t **ended);
apr_status_t cat_session_end_others(cat_db_t *db, apr_pool_t *pool, const char *user_id, const char *except,
                                    apr_time_t now, apr_array_header_t **ended);
void cat_session_revoke(cat_request_t *q, const apr_array_header_t *ended);

/* Copies sessions that were ended since a time into the set; so other servers' come in, and all of them after a restart. */
apr_status_t cat_session_learn(cat_db_t *db, const cat_conf_t *conf, cat_revoked_t *set, apr_time_t since);

/* Asks the database whether a session was ended. */
apr_status_t cat_session_check(cat_db_t *db, const char *id, int *is_ended);

#endif
