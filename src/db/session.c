/* SPDX-License-Identifier: Apache-2.0 */
#include "db/session.h"

#include <apr_strings.h>

#include "lib/id.h"
#include "lib/secret.h"
#include "lib/time.h"

#define AGENT_MAX 200 /* octets that are kept of User-Agent */

static apr_status_t add_token(cat_request_t *q, cat_session_t *session)
{
    const char *expires = cat_time_store(q->pool, q->now + apr_time_from_sec(q->conf->refresh_ttl));

    session->refresh_token = cat_secret_make(q->pool);
    if (!session->refresh_token) {
        return APR_EGENERAL;
    }
    return cat_db_insert(q->db, SQL_REFRESH_TOKEN_INSERT,
                         CAT_VALUES(cat_secret_digest(q->pool, session->refresh_token), session->id,
                                    cat_time_store(q->pool, q->now), expires));
}

/* What a browser says of itself is shown to its owner; only plain ASCII is kept. */
static const char *shorten(apr_pool_t *pool, const char *agent)
{
    char *text = apr_pstrndup(pool, agent, AGENT_MAX);
    for (char *c = text; *c; c++) {
        if (*c < 0x20 || *c > 0x7e) {
            *c = '?';
        }
    }
    return text;
}

apr_status_t cat_session_open(cat_request_t *q, const char *user_id, cat_session_t *session)
{
    const char *time = cat_time_store(q->pool, q->now);
    const char *expires = cat_time_store(q->pool, q->now + apr_time_from_sec(q->conf->session_ttl));
    apr_status_t rv;

    session->id = cat_id_make(q->pool, q->now);
    session->user_id = user_id;
    if (!session->id) {
        return APR_EGENERAL;
    }
    rv = cat_db_insert(q->db, SQL_SESSION_INSERT,
                       CAT_VALUES(session->id, user_id, time, time, expires, q->client, shorten(q->pool, q->agent)));
    return rv == APR_SUCCESS ? add_token(q, session) : rv;
}

/* APR_NOTFOUND: it has ended already. */
static apr_status_t end_one(cat_db_t *db, const char *id, const char *time)
{
    int deleted;
    apr_status_t rv = cat_db_exec(db, SQL_REVOKED_INSERT, CAT_VALUES(id, time), NULL);

    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(db, SQL_SESSION_DELETE, CAT_VALUES(id), &deleted);
    }
    return rv == APR_SUCCESS && !deleted ? APR_NOTFOUND : rv;
}

static apr_time_t last_token_expires(const cat_conf_t *conf, apr_time_t ended)
{
    return ended + apr_time_from_sec(conf->token_ttl + CAT_TOKEN_LEEWAY + 1);
}

static void revoke_one(cat_request_t *q, const char *id)
{
    cat_revoked_add(q->revoked, id, last_token_expires(q->conf, q->now), q->now);
}

typedef struct refreshing_t {
    cat_request_t *q;
    const char *hash;
    cat_session_t *session;
    int is_replay;
} refreshing_t;

/* The session's row is taken before the token's, in the order in which who ends it takes them. */
static apr_status_t rotate(cat_request_t *q, const char *hash, cat_session_t *session)
{
    const char *time = cat_time_store(q->pool, q->now);
    int is_there;
    apr_status_t rv = cat_db_exec(q->db, SQL_SESSION_TOUCH,
                                  CAT_VALUES(time, q->client, shorten(q->pool, q->agent), session->id), &is_there);

    if (rv == APR_SUCCESS && !is_there) {
        return APR_NOTFOUND; /* it was ended since its token was read */
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(q->db, SQL_REFRESH_TOKEN_USE, CAT_VALUES(time, hash), NULL);
    }
    return rv == APR_SUCCESS ? add_token(q, session) : rv;
}

static apr_status_t use_token(void *baton)
{
    refreshing_t *r = baton;
    cat_request_t *q = r->q;
    const char *const *row;
    apr_status_t rv = cat_db_one(q->db, SQL_REFRESH_TOKEN_GET, CAT_VALUES(r->hash), &row);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    r->session->id = row[0];
    r->session->user_id = row[4];
    if (cat_time_read(row[2]) <= q->now || cat_time_read(row[3]) <= q->now) {
        return APR_NOTFOUND;
    }
    r->is_replay = row[1] && cat_time_read(row[1]) + apr_time_from_sec(q->conf->refresh_grace) < q->now;
    return r->is_replay ? end_one(q->db, r->session->id, cat_time_store(q->pool, q->now))
                        : rotate(q, r->hash, r->session);
}

apr_status_t cat_session_refresh(cat_request_t *q, const char *refresh_token, cat_session_t *session)
{
    refreshing_t r = {.q = q, .hash = cat_secret_digest(q->pool, refresh_token), .session = session};
    apr_status_t rv = cat_db_transact(q->db, use_token, &r);

    if (rv != APR_SUCCESS || !r.is_replay) {
        return rv;
    }
    revoke_one(q, session->id);
    cat_log(q->log, CAT_LOG_WARNING, 0,
            "CAT040: a refresh token of session %s came a second time; the session has ended", session->id);
    return APR_EEXIST;
}

typedef struct ending_t {
    cat_request_t *q;
    const char *id;
    const char *user_id;
} ending_t;

static apr_status_t end_own(void *baton)
{
    ending_t *e = baton;
    cat_db_t *db = e->q->db;
    int deleted;
    apr_status_t rv = cat_db_exec(db, SQL_SESSION_DELETE_OWN, CAT_VALUES(e->id, e->user_id), &deleted);

    if (rv == APR_SUCCESS && !deleted) {
        return APR_NOTFOUND;
    }
    return rv == APR_SUCCESS
               ? cat_db_exec(db, SQL_REVOKED_INSERT, CAT_VALUES(e->id, cat_time_store(e->q->pool, e->q->now)), NULL)
               : rv;
}

apr_status_t cat_session_end(cat_request_t *q, const char *id, const char *user_id)
{
    ending_t e = {q, id, user_id};
    apr_status_t rv = cat_db_transact(q->db, end_own, &e);

    if (rv == APR_SUCCESS) {
        revoke_one(q, id);
    }
    return rv;
}

typedef struct ids_t {
    apr_pool_t *pool;
    apr_array_header_t *ids;
} ids_t;

static apr_status_t keep_id(void *baton, const char *const *row, int count)
{
    ids_t *ids = baton;
    (void)count;
    APR_ARRAY_PUSH(ids->ids, const char *) = apr_pstrdup(ids->pool, row[0]);
    return APR_SUCCESS;
}

apr_status_t cat_session_end_others(cat_db_t *db, apr_pool_t *pool, const char *user_id, const char *except,
                                    apr_time_t now, apr_array_header_t **ended)
{
    ids_t ids = {pool, apr_array_make(pool, 4, sizeof(const char *))};
    const char *time = cat_time_store(pool, now);
    apr_status_t rv = cat_db_each(db, SQL_SESSION_IDS, CAT_VALUES(user_id, except ? except : ""), keep_id, &ids);

    for (int i = 0; i < ids.ids->nelts && rv == APR_SUCCESS; i++) {
        rv = end_one(db, APR_ARRAY_IDX(ids.ids, i, const char *), time);
        rv = rv == APR_NOTFOUND ? APR_SUCCESS : rv;
    }
    *ended = ids.ids;
    return rv;
}

void cat_session_revoke(cat_request_t *q, const apr_array_header_t *ended)
{
    for (int i = 0; i < ended->nelts; i++) {
        revoke_one(q, APR_ARRAY_IDX(ended, i, const char *));
    }
}

typedef struct learning_t {
    const cat_conf_t *conf;
    cat_revoked_t *set;
    apr_time_t now;
} learning_t;

static apr_status_t learn_one(void *baton, const char *const *row, int count)
{
    learning_t *l = baton;
    (void)count;
    cat_revoked_add(l->set, row[0], last_token_expires(l->conf, cat_time_read(row[1])), l->now);
    return APR_SUCCESS;
}

apr_status_t cat_session_learn(cat_db_t *db, const cat_conf_t *conf, cat_revoked_t *set, apr_time_t since)
{
    learning_t l = {conf, set, apr_time_now()};
    char text[24];
    apr_snprintf(text, sizeof(text), "%" APR_INT64_T_FMT, (apr_int64_t)apr_time_as_msec(since));
    return cat_db_each(db, SQL_REVOKED_SINCE, CAT_VALUES(text), learn_one, &l);
}

apr_status_t cat_session_check(cat_db_t *db, const char *id)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_REVOKED_FIND, CAT_VALUES(id), &row);
    return rv == APR_SUCCESS ? APR_EEXIST : rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}
