/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/session.h"

#include <apr_strings.h>
#include <string.h>

#include "jose/token.h"
#include "lib/id.h"
#include "lib/log.h"
#include "lib/secret.h"
#include "lib/time.h"

#define AGENT_MAX 200 /* octets that are kept of User-Agent */

/*
 * A refresh token begins with 96 bits that all tokens of its session share, the family; 162 bits follow that no other token has.
 * So one that was used is recognized when its row has been deleted.
 */
#define TOKEN_LENGTH 43
#define FAMILY_LENGTH 16

/* As many refresh tokens as SQL_SESSION_CLEAR deletes at the most. */
#define PORTION 100

static const char *digest_family(apr_pool_t *pool, const char *token)
{
    return cat_secret_digest(pool, apr_pstrndup(pool, token, FAMILY_LENGTH));
}

static apr_status_t add_token(cat_request_t *q, const cat_session_t *session)
{
    const char *token = session->refresh_token;
    const char *expires = cat_time_store(q->pool, q->now + apr_time_from_sec(q->conf->refresh_ttl));

    return cat_db_insert(q->db, SQL_REFRESH_TOKEN_INSERT,
                         CAT_VALUES(cat_secret_digest(q->pool, token), session->id, digest_family(q->pool, token),
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
    session->refresh_token = cat_secret_make(q->pool);
    if (!session->id || !session->refresh_token) {
        return APR_EGENERAL;
    }
    rv = cat_db_insert(q->db, SQL_SESSION_INSERT,
                       CAT_VALUES(session->id, user_id, time, time, expires, q->client, shorten(q->pool, q->agent)));
    return rv == APR_SUCCESS ? add_token(q, session) : rv;
}

/*
 * user_id NULL: whoever's it is. APR_NOTFOUND: it has ended already, or is another user's. The session's row is locked first, as
 * by a refresh. A session with more tokens than one portion stays, closed, until the purge job has deleted them: others may not
 * have to wait for that.
 */
static apr_status_t end_one(cat_db_t *db, const char *id, const char *user_id, const char *time)
{
    int closed, cleared = 0;
    apr_status_t rv = cat_db_exec(db, SQL_SESSION_CLOSE, CAT_VALUES(id, user_id), &closed);

    if (rv == APR_SUCCESS && !closed) {
        return APR_NOTFOUND;
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(db, SQL_REVOKED_INSERT, CAT_VALUES(id, time), NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(db, SQL_SESSION_CLEAR, CAT_VALUES(id), &cleared);
    }
    return rv == APR_SUCCESS && cleared < PORTION ? cat_db_exec(db, SQL_SESSION_DELETE, CAT_VALUES(id), NULL) : rv;
}

static apr_time_t last_token_expires(const cat_conf_t *conf, apr_time_t ended)
{
    return ended + apr_time_from_sec(conf->token_ttl + CAT_TOKEN_LEEWAY + 1);
}

static void revoke_one(cat_request_t *q, const char *id)
{
    cat_revoked_add(q->revoked, id, last_token_expires(q->conf, q->now), q->now);
}

/* ---- refresh ---- */

/* A refresh token as it is in the database. */
typedef struct token_t {
    const char *session_id;
    const char *user_id;
    const char *used_at; /* NULL: it was not used */
    const char *seed;    /* of its successor, once it was used */
} token_t;

/* One whose row has been deleted has the row of its family, which says that it was used long ago. */
static apr_status_t find_token(cat_request_t *q, const char *token, token_t *found)
{
    const char *const *row;
    apr_status_t rv;

    if (strlen(token) != TOKEN_LENGTH) {
        return APR_NOTFOUND;
    }
    rv = cat_db_one(q->db, SQL_REFRESH_TOKEN_GET, CAT_VALUES(cat_secret_digest(q->pool, token)), &row);
    if (rv == APR_NOTFOUND) {
        rv = cat_db_one(q->db, SQL_REFRESH_FAMILY_GET, CAT_VALUES(digest_family(q->pool, token)), &row);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    *found = (token_t){.session_id = row[0], .user_id = row[1], .used_at = row[4], .seed = row[5]};
    return cat_time_read(row[2]) <= q->now || cat_time_read(row[3]) <= q->now ? APR_NOTFOUND : APR_SUCCESS;
}

/* Not by the time of the request: it may have waited for the one that used the token. */
static int is_replay(const cat_request_t *q, const token_t *token)
{
    apr_time_t grace = apr_time_from_sec(q->conf->refresh_grace);

    return token->used_at && (!grace || !token->seed || cat_time_read(token->used_at) + grace <= apr_time_now());
}

apr_status_t cat_session_find(cat_request_t *q, const char *refresh_token, cat_session_t *session, int *replay)
{
    token_t token;
    apr_status_t rv = find_token(q, refresh_token, &token);

    if (rv == APR_SUCCESS) {
        *session = (cat_session_t){.id = token.session_id, .user_id = token.user_id};
        *replay = is_replay(q, &token);
    }
    return rv;
}

typedef struct refreshing_t {
    cat_request_t *q;
    const char *token;
    const char *seed;
    cat_session_t *session;
    int is_replay;
} refreshing_t;

/* Its successor, of the same family. */
static const char *succeed(apr_pool_t *pool, const char *token, const char *seed)
{
    return apr_psprintf(pool, "%.*s%.*s", FAMILY_LENGTH, token, TOKEN_LENGTH - FAMILY_LENGTH,
                        cat_secret_derive(pool, token, seed));
}

/* The first use of a token stores its successor, and deletes what can come only as a replay. */
static apr_status_t rotate(const refreshing_t *r, apr_time_t now)
{
    cat_request_t *q = r->q;
    apr_time_t grace = apr_time_from_sec(q->conf->refresh_grace);
    const char *family = digest_family(q->pool, r->token);
    apr_status_t rv =
        cat_db_exec(q->db, SQL_REFRESH_TOKEN_PRUNE, CAT_VALUES(family, cat_time_store(q->pool, now - grace)), NULL);

    r->session->refresh_token = succeed(q->pool, r->token, r->seed);
    return rv == APR_SUCCESS ? add_token(q, r->session) : rv;
}

/* It is not the first use. */
static apr_status_t repeat(refreshing_t *r)
{
    cat_request_t *q = r->q;
    token_t token;
    apr_status_t rv = find_token(q, r->token, &token);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    r->is_replay = is_replay(q, &token);
    if (r->is_replay) {
        return end_one(q->db, r->session->id, NULL, cat_time_store(q->pool, q->now));
    }
    r->session->refresh_token = succeed(q->pool, r->token, token.seed);
    return APR_SUCCESS;
}

/* The session's row is locked before the token's, in the order in which who ends it locks them. That one request uses a token
 * first is decided by the database, in one statement. */
static apr_status_t use_token(void *baton)
{
    refreshing_t *r = baton;
    cat_request_t *q = r->q;
    apr_time_t now = apr_time_now();
    const char *time = cat_time_store(q->pool, now);
    token_t token;
    int is_there, is_first;
    apr_status_t rv = find_token(q, r->token, &token);

    r->is_replay = 0;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    *r->session = (cat_session_t){.id = token.session_id, .user_id = token.user_id};
    rv = cat_db_exec(q->db, SQL_SESSION_TOUCH,
                     CAT_VALUES(time, q->client, shorten(q->pool, q->agent), token.session_id), &is_there);
    if (rv == APR_SUCCESS && !is_there) {
        return APR_NOTFOUND; /* it was ended since its token was read */
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(q->db, SQL_REFRESH_TOKEN_USE, CAT_VALUES(time, r->seed, cat_secret_digest(q->pool, r->token)),
                         &is_first);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    return is_first ? rotate(r, now) : repeat(r);
}

apr_status_t cat_session_refresh(cat_request_t *q, const char *refresh_token, cat_session_t *session,
                                 cat_refresh_t *outcome)
{
    refreshing_t r = {.q = q, .token = refresh_token, .seed = cat_secret_make(q->pool), .session = session};
    apr_status_t rv = r.seed ? cat_db_transact(q->db, use_token, &r) : APR_EGENERAL;

    *outcome = rv == APR_NOTFOUND ? CAT_REFRESH_UNKNOWN : r.is_replay ? CAT_REFRESH_REPLAYED : CAT_REFRESH_OK;
    if (rv != APR_SUCCESS || !r.is_replay) {
        return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
    }
    revoke_one(q, session->id);
    cat_log(q->log, CAT_LOG_WARNING, 0,
            "CAT040: a refresh token of session %s came a second time; the session has ended", session->id);
    return APR_SUCCESS;
}

/* ---- end ---- */

typedef struct ending_t {
    cat_request_t *q;
    const char *id;
    const char *user_id;
} ending_t;

static apr_status_t end_own(void *baton)
{
    const ending_t *e = baton;
    return end_one(e->q->db, e->id, e->user_id, cat_time_store(e->q->pool, e->q->now));
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

/* Ends those that a statement selects, as far as nobody else has. */
static apr_status_t end_each(cat_db_t *db, apr_pool_t *pool, cat_sql_t sql, const char *const *values, int count,
                             apr_time_t now, apr_array_header_t **ended)
{
    ids_t ids = {pool, apr_array_make(pool, 4, sizeof(const char *))};
    const char *time = cat_time_store(pool, now);
    apr_status_t rv = cat_db_each(db, sql, values, count, keep_id, &ids);

    for (int i = 0; i < ids.ids->nelts && rv == APR_SUCCESS; i++) {
        rv = end_one(db, APR_ARRAY_IDX(ids.ids, i, const char *), NULL, time);
        rv = rv == APR_NOTFOUND ? APR_SUCCESS : rv;
    }
    *ended = ids.ids;
    return rv;
}

apr_status_t cat_session_end_others(cat_db_t *db, apr_pool_t *pool, const char *user_id, const char *except,
                                    apr_time_t now, apr_array_header_t **ended)
{
    return end_each(db, pool, SQL_SESSION_IDS, CAT_VALUES(user_id, except ? except : ""), now, ended);
}

apr_status_t cat_session_end_surplus(cat_request_t *q, const cat_session_t *session, apr_array_header_t **ended)
{
    const char *others = apr_itoa(q->pool, q->conf->max_sessions - 1);

    return end_each(q->db, q->pool, SQL_SESSION_SURPLUS, CAT_VALUES(session->user_id, session->id, others), q->now,
                    ended);
}

void cat_session_revoke(cat_request_t *q, const apr_array_header_t *ended)
{
    for (int i = 0; i < ended->nelts; i++) {
        revoke_one(q, APR_ARRAY_IDX(ended, i, const char *));
    }
}

/* ---- what is known of those that ended ---- */

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
    return cat_db_each(db, SQL_REVOKED_SINCE, CAT_VALUES(text, text), learn_one, &l);
}

apr_status_t cat_session_check(cat_db_t *db, const char *id, int *is_ended)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_REVOKED_FIND, CAT_VALUES(id), &row);

    *is_ended = rv == APR_SUCCESS;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}
