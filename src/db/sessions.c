/* SPDX-License-Identifier: Apache-2.0 */
#include "db/sessions.h"

#include "lib/id.h"
#include "lib/secret.h"
#include "lib/time.h"

apr_status_t cat_sessions_open(cat_db_t *db, apr_pool_t *pool, const char *user_id, apr_time_t now, int ttl,
                               cat_session_t *session)
{
    const char *time = cat_time_store(pool, now);
    const char *expires = cat_time_store(pool, now + apr_time_from_sec(ttl));
    const char *hash;
    apr_status_t rv;

    session->id = cat_id_make(pool, now);
    session->refresh_token = cat_secret_make(pool);
    if (!session->id || !session->refresh_token) {
        return APR_EGENERAL;
    }
    hash = cat_secret_digest(pool, session->refresh_token);
    rv = cat_db_insert(db, SQL_SESSION_INSERT, CAT_VALUES(session->id, user_id, time));
    if (rv == APR_SUCCESS) {
        rv = cat_db_insert(db, SQL_REFRESH_TOKEN_INSERT, CAT_VALUES(hash, session->id, time, expires));
    }
    return rv;
}
