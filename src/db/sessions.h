/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SESSIONS_H
#define CAT_DB_SESSIONS_H

#include "db/db.h"

/* What a user who signs in gets beside the access token. Both live on the pool. */
typedef struct cat_session_t {
    const char *id;            /* sid */
    const char *refresh_token; /* in clear: only its SHA-256 is stored */
} cat_session_t;

/* Opens a session with its first refresh token, good for ttl seconds, in the caller's transaction. */
apr_status_t cat_sessions_open(cat_db_t *db, apr_pool_t *pool, const char *user_id, apr_time_t now, int ttl,
                               cat_session_t *session);

#endif
