/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_SESSION_H
#define CAT_ACCOUNTS_SESSION_H

#include <apr_tables.h>

#include "accounts/context.h"

/* A session, and its refresh token where the client is to get one. On the pool. */
typedef struct cat_session_t {
    const char *id; /* sid */
    const char *user_id;
    const char *refresh_token; /* in clear: only its SHA-256 is stored */
} cat_session_t;

/* Opens a session with its first refresh token, in the caller's transaction. */
apr_status_t cat_session_open(const cat_account_context_t *c, const char *user_id, cat_session_t *session);

/* What a refresh token is worth. */
typedef enum {
    CAT_REFRESH_OK,
    CAT_REFRESH_UNKNOWN, /* or expired, or its session has ended */
    CAT_REFRESH_REPLAYED /* used before, longer ago than the grace: somebody has a copy */
} cat_refresh_t;

/* Finds the session of a refresh token without using the token. Sets *session unless the outcome is
 * CAT_REFRESH_UNKNOWN; its refresh_token is NULL. */
apr_status_t cat_session_find(const cat_account_context_t *c, const char *refresh_token, cat_session_t *session,
                              cat_refresh_t *outcome);

/* Exchanges a refresh token for its successor, in a transaction of its own; within the grace it returns the same
 * successor again. CAT_REFRESH_OK: *session is set. CAT_REFRESH_REPLAYED: the session has been ended. */
apr_status_t cat_session_refresh(const cat_account_context_t *c, const char *refresh_token, cat_session_t *session,
                                 cat_refresh_t *outcome);

/* Ends one of the user's sessions, or all of them, in a transaction of its own. This server refuses their access
 * tokens at once. APR_NOTFOUND: the user has no such session. */
apr_status_t cat_session_end(const cat_account_context_t *c, const char *id, const char *user_id);
apr_status_t cat_session_end_all(const cat_account_context_t *c, const char *user_id);

/* The same in the caller's transaction. *ended has the ids, for cat_session_revoke after the commit.
 * Others: all of the user's but except (NULL: all).
 * Access: none; but their access tokens end, because each session gets another id. Refresh tokens stay valid.
 * Surplus: those beyond CatalogMaxSessions that were used least recently, but never session. */
apr_status_t cat_session_end_others(cat_db_t *db, apr_pool_t *pool, const char *user_id, const char *except,
                                    apr_time_t now, apr_array_header_t **ended);
apr_status_t cat_session_end_access(cat_db_t *db, apr_pool_t *pool, const char *user_id, apr_time_t now,
                                    apr_array_header_t **ended);
apr_status_t cat_session_end_surplus(const cat_account_context_t *c, const cat_session_t *session,
                                     apr_array_header_t **ended);
void cat_session_revoke(const cat_account_context_t *c, const apr_array_header_t *ended);

/* The columns of a session that cat_session_each passes to row. */
enum {
    CAT_SESSION_ID,
    CAT_SESSION_CREATED_AT,
    CAT_SESSION_USED_AT,
    CAT_SESSION_EXPIRES_AT,
    CAT_SESSION_CLIENT,
    CAT_SESSION_AGENT,
    CAT_SESSION_COLUMNS
};

/* Calls row for each open session of a user. */
apr_status_t cat_session_each(const cat_account_context_t *c, const char *user_id, cat_row_t *row, void *baton);

/* Adds the sessions that any server has ended since a time to the set; 0: all of them. */
apr_status_t cat_session_learn(cat_db_t *db, const cat_conf_t *conf, cat_revoked_t *set, apr_time_t since);

/* Asks the database whether a session has ended. */
apr_status_t cat_session_check(cat_db_t *db, const char *id, int *is_ended);

#endif
