/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_SESSION_H
#define CAT_ACCOUNTS_SESSION_H

#include <apr_tables.h>

#include "accounts/context.h"

/* A session. The texts are on the pool of the context. */
typedef struct cat_session_t {
    const char *id; /* The claim sid of its access tokens. */
    const char *user_id;
    /* The token itself; the database stores only its SHA-256. NULL if the client gets no token. */
    const char *refresh_token;
} cat_session_t;

/* Opens a session with its first refresh token and records the sign-in, in the caller's transaction. */
apr_status_t cat_session_open(const cat_account_context_t *c, const char *user_id, cat_session_t *session);

/* State of a refresh token that a client sent. */
typedef enum {
    CAT_REFRESH_OK,
    CAT_REFRESH_UNKNOWN, /* The token is unknown or expired, or its session has ended. */
    CAT_REFRESH_REPLAYED /* The token was used more than CatalogRefreshGrace seconds ago: somebody has a copy. */
} cat_refresh_t;

/* Finds the session of a refresh token without using the token. Sets *session, with a refresh_token of NULL, unless the
 * outcome is CAT_REFRESH_UNKNOWN. */
apr_status_t cat_session_find(const cat_account_context_t *c, const char *refresh_token, cat_session_t *session,
                              cat_refresh_t *outcome);

/* Exchanges a refresh token for its successor, in a transaction of its own. A token that was used less than
 * CatalogRefreshGrace seconds ago yields the same successor again, or a later one if that has been used as well. Sets
 * *session if the outcome is CAT_REFRESH_OK. If it is CAT_REFRESH_REPLAYED, the function has ended the session. */
apr_status_t cat_session_refresh(const cat_account_context_t *c, const char *refresh_token, cat_session_t *session,
                                 cat_refresh_t *outcome);

/* Ends one of the user's sessions, or all of them, in a transaction of its own. This server refuses the access tokens
 * of these sessions at once. cat_session_end returns APR_NOTFOUND if the user has no session `id`. */
apr_status_t cat_session_end(const cat_account_context_t *c, const char *id, const char *user_id);
apr_status_t cat_session_end_all(const cat_account_context_t *c, const char *user_id);

/* Ends all sessions of the user in the caller's transaction, except the session with the id `except`, which may be
 * NULL. Sets *ended to the ids of the ended sessions (const char *), on `pool`, for cat_session_revoke. */
apr_status_t cat_session_end_others(cat_db_t *db, apr_pool_t *pool, const char *user_id, const char *except,
                                    apr_time_t now, apr_array_header_t **ended);

/* Gives each session of the user a new id, in the caller's transaction. So the sessions and their refresh tokens stay
 * valid, but the access tokens, which have the old ids, end. Sets *ended to the old ids (const char *), on `pool`, for
 * cat_session_revoke. */
apr_status_t cat_session_end_access(cat_db_t *db, apr_pool_t *pool, const char *user_id, apr_time_t now,
                                    apr_array_header_t **ended);

/* Ends the user's least recently used sessions in the caller's transaction if the user has more than
 * CatalogMaxSessions, but never `session` itself. Sets *ended to the ids of the ended sessions (const char *), for
 * cat_session_revoke. */
apr_status_t cat_session_end_surplus(const cat_account_context_t *c, const cat_session_t *session,
                                     apr_array_header_t **ended);

/* Makes this server refuse the access tokens of the sessions, and the API keys, whose ids (const char *) are in
 * `ended`. Call it after the commit of the transaction that ended them. */
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

/* Calls `row` for each open session of the user, the most recently used first; for at most 1,000 sessions. */
apr_status_t cat_session_each(const cat_account_context_t *c, const char *user_id, cat_row_t *row, void *baton);

/* Adds to `set` the sessions that any server has ended, or catalogctl has imported as ended, at or after `since`. Adds
 * all ended sessions in the database if `since` is 0. */
apr_status_t cat_session_learn(cat_db_t *db, const cat_conf_t *conf, cat_revoked_t *set, apr_time_t since);

/* Sets *is_ended to true if the database has recorded that the session ended. */
apr_status_t cat_session_check(cat_db_t *db, const char *id, int *is_ended);

#endif
