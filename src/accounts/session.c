/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions, and the refresh tokens that continue them.
 *
 * A client exchanges a refresh token for its successor once. All tokens of a session begin with the same 96 bits, the
 * family, so a used token is recognized even after its row has been deleted:
 *
 *     family.A -> family.B -> family.C      C is valid
 *        |           |
 *        |           used again within CatalogRefreshGrace: yields C again, as the response may have been lost
 *        used again later: somebody has a copy, so the session ends (CAT040)
 *
 * The database stores SHA-256 digests of tokens only. Every transaction that ends or refreshes a session locks the
 * session's row first and the token's row second. A function that ends sessions returns their ids, so that this server
 * refuses their access tokens at once (shm/revoked.h). Other servers read the ids from the database.
 */
#include "accounts/session.h"

#include <apr_strings.h>
#include <string.h>

#include "accounts/accounts.h"
#include "jose/token.h"
#include "lib/id.h"
#include "lib/log.h"
#include "lib/secret.h"
#include "lib/time.h"

#define AGENT_MAX 200 /* Bytes of the User-Agent header that are stored. */

#define TOKEN_LENGTH 43  /* Characters of a refresh token. */
#define FAMILY_LENGTH 16 /* The first characters of a token, which are its family. */

static const char *digest_family(apr_pool_t *pool, const char *token)
{
    return cat_secret_digest(pool, apr_pstrndup(pool, token, FAMILY_LENGTH));
}

static apr_status_t add_token(const cat_account_context_t *c, const cat_session_t *session)
{
    const char *token = session->refresh_token;
    const char *expires = cat_time_store(c->pool, c->now + apr_time_from_sec(c->conf->refresh_ttl));

    return cat_db_insert(c->db, SQL_REFRESH_TOKEN_INSERT,
                         CAT_VALUES(cat_secret_digest(c->pool, token), session->id, digest_family(c->pool, token),
                                    cat_time_store(c->pool, c->now), expires));
}

/* Replaces all but printable ASCII characters, because the list of sessions shows the header to the user. */
static const char *shorten_agent(apr_pool_t *pool, const char *agent)
{
    char *text = apr_pstrndup(pool, agent, AGENT_MAX);
    for (char *c = text; *c; c++) {
        if (*c < 0x20 || *c > 0x7e) {
            *c = '?';
        }
    }
    return text;
}

apr_status_t cat_session_open(const cat_account_context_t *c, const char *user_id, cat_session_t *session)
{
    const char *time = cat_time_store(c->pool, c->now);
    const char *expires = cat_time_store(c->pool, c->now + apr_time_from_sec(c->conf->session_ttl));
    apr_status_t rv;

    session->id = cat_id_make(c->pool, c->now);
    session->user_id = user_id;
    session->refresh_token = cat_secret_make(c->pool);
    if (!session->id || !session->refresh_token) {
        return APR_EGENERAL;
    }
    rv = cat_db_insert(
        c->db, SQL_SESSION_INSERT,
        CAT_VALUES(session->id, user_id, time, time, expires, c->client, shorten_agent(c->pool, c->agent)));
    if (rv == APR_SUCCESS) {
        rv = cat_accounts_record_visit(c, user_id, 1);
    }
    return rv == APR_SUCCESS ? add_token(c, session) : rv;
}

/* Deletes the session, and with it its refresh tokens. `user_id` may be NULL for a session of any user. Returns
 * APR_NOTFOUND if the session has ended already or belongs to another user. */
static apr_status_t end_session(cat_db_t *db, const char *id, const char *user_id, const char *time)
{
    int deleted;
    apr_status_t rv = cat_db_exec(db, SQL_SESSION_DELETE, CAT_VALUES(id, user_id), &deleted);

    if (rv == APR_SUCCESS && !deleted) {
        return APR_NOTFOUND;
    }
    return rv == APR_SUCCESS ? cat_db_exec(db, SQL_REVOKED_INSERT, CAT_VALUES(id, time), NULL) : rv;
}

/* Returns the time at which the server may forget an id that ended at `ended`: the last access token of the session has
 * expired, and no child still has the API key in its cache. */
static apr_time_t find_last_expiry(const cat_conf_t *conf, apr_time_t ended)
{
    int tokens = conf->token_ttl + CAT_TOKEN_LEEWAY;

    return ended + apr_time_from_sec((tokens > conf->revocation_delay ? tokens : conf->revocation_delay) + 1);
}

static void revoke_session(const cat_account_context_t *c, const char *id)
{
    cat_revoked_add(c->revoked, id, find_last_expiry(c->conf, c->now), c->now);
}

/* ---- refresh ---- */

/* A refresh token as the database stores it. */
typedef struct token_t {
    const char *session_id;
    const char *user_id;
    const char *used_at; /* Time of the first use. NULL if the token has not been used. */
    const char *seed;    /* Random value from which the successor derives. NULL if the token has not been used. */
} token_t;

/* Returns APR_NOTFOUND if the token is unknown or expired. If only the token's own row is missing but a row of its
 * family exists, the token was used long ago: SQL_REFRESH_FAMILY_GET then returns 0 as the time of use. */
static apr_status_t find_token(const cat_account_context_t *c, const char *token, token_t *found)
{
    const char *const *row;
    apr_status_t rv;

    if (strlen(token) != TOKEN_LENGTH) {
        return APR_NOTFOUND;
    }
    rv = cat_db_one(c->db, SQL_REFRESH_TOKEN_GET, CAT_VALUES(cat_secret_digest(c->pool, token)), &row);
    if (rv == APR_NOTFOUND) {
        rv = cat_db_one(c->db, SQL_REFRESH_FAMILY_GET, CAT_VALUES(digest_family(c->pool, token)), &row);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    *found = (token_t){.session_id = row[0], .user_id = row[1], .used_at = row[4], .seed = row[5]};
    return cat_time_read(row[2]) <= c->now || cat_time_read(row[3]) <= c->now ? APR_NOTFOUND : APR_SUCCESS;
}

/* Uses the current time, not c->now: this request may have waited for the request that used the token first. */
static int is_replay(const cat_account_context_t *c, const token_t *token)
{
    apr_time_t grace = apr_time_from_sec(c->conf->refresh_grace);

    return token->used_at && (!grace || cat_time_read(token->used_at) + grace <= apr_time_now());
}

apr_status_t cat_session_find(const cat_account_context_t *c, const char *refresh_token, cat_session_t *session,
                              cat_refresh_t *outcome)
{
    token_t token;
    apr_status_t rv = find_token(c, refresh_token, &token);

    *outcome = CAT_REFRESH_UNKNOWN;
    if (rv == APR_SUCCESS) {
        *session = (cat_session_t){.id = token.session_id, .user_id = token.user_id};
        *outcome = is_replay(c, &token) ? CAT_REFRESH_REPLAYED : CAT_REFRESH_OK;
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

typedef struct refreshing_t {
    const cat_account_context_t *c;
    const char *token;
    const char *seed;
    cat_session_t *session;
    int is_replay;
} refreshing_t;

static const char *derive_successor(apr_pool_t *pool, const char *token, const char *seed)
{
    return apr_psprintf(pool, "%.*s%.*s", FAMILY_LENGTH, token, TOKEN_LENGTH - FAMILY_LENGTH,
                        cat_secret_derive(pool, token, seed));
}

/* Handles the first use of a token: stores its successor and deletes the rows of the family that were used before the
 * grace began, which only a replay could match. */
static apr_status_t rotate_token(const refreshing_t *r, apr_time_t now)
{
    const cat_account_context_t *c = r->c;
    apr_time_t grace = apr_time_from_sec(c->conf->refresh_grace);
    const char *family = digest_family(c->pool, r->token);
    apr_status_t rv =
        cat_db_exec(c->db, SQL_REFRESH_TOKEN_PRUNE, CAT_VALUES(family, cat_time_store(c->pool, now - grace)), NULL);

    r->session->refresh_token = derive_successor(c->pool, r->token, r->seed);
    return rv == APR_SUCCESS ? add_token(c, r->session) : rv;
}

/* Handles a later use of a token. Within the grace it finds the successor that nobody has used yet; a successor that is
 * used up would look like a replay in the client's next request. After the grace it ends the session. */
static apr_status_t repeat_token(refreshing_t *r)
{
    const cat_account_context_t *c = r->c;
    const char *text = r->token;
    token_t token;
    apr_status_t rv = find_token(c, text, &token);

    while (rv == APR_SUCCESS && token.used_at) {
        r->is_replay = is_replay(c, &token);
        if (r->is_replay) {
            return end_session(c->db, r->session->id, NULL, cat_time_store(c->pool, c->now));
        }
        text = derive_successor(c->pool, text, token.seed);
        rv = find_token(c, text, &token);
    }
    r->session->refresh_token = text;
    return rv;
}

/* Locks the session's row before the token's, like end_session. SQL_REFRESH_TOKEN_USE decides which of several requests
 * is the first to use the token. Returns APR_NOTFOUND if the token is unknown or expired, or its session has ended. */
static apr_status_t use_token(void *baton)
{
    refreshing_t *r = baton;
    const cat_account_context_t *c = r->c;
    apr_time_t now = apr_time_now();
    const char *time = cat_time_store(c->pool, now);
    token_t token;
    int is_there, is_first;
    apr_status_t rv = find_token(c, r->token, &token);

    r->is_replay = 0;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    *r->session = (cat_session_t){.id = token.session_id, .user_id = token.user_id};
    rv = cat_db_exec(c->db, SQL_SESSION_TOUCH,
                     CAT_VALUES(time, c->client, shorten_agent(c->pool, c->agent), token.session_id), &is_there);
    if (rv == APR_SUCCESS && !is_there) {
        return APR_NOTFOUND; /* the session has ended since find_token */
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(c->db, SQL_REFRESH_TOKEN_USE, CAT_VALUES(time, r->seed, cat_secret_digest(c->pool, r->token)),
                         &is_first);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    return is_first ? rotate_token(r, now) : repeat_token(r);
}

/* Tries a second time if the session is not found, because cat_session_end_access may have given it a new id. */
apr_status_t cat_session_refresh(const cat_account_context_t *c, const char *refresh_token, cat_session_t *session,
                                 cat_refresh_t *outcome)
{
    refreshing_t r = {.c = c, .token = refresh_token, .seed = cat_secret_make(c->pool), .session = session};
    apr_status_t rv = r.seed ? cat_db_transact(c->db, use_token, &r) : APR_EGENERAL;

    if (rv == APR_NOTFOUND) {
        rv = cat_db_transact(c->db, use_token, &r);
    }
    *outcome = r.is_replay ? CAT_REFRESH_REPLAYED : CAT_REFRESH_OK;
    if (rv == APR_NOTFOUND) {
        *outcome = CAT_REFRESH_UNKNOWN;
        return APR_SUCCESS;
    }
    if (rv == APR_SUCCESS && r.is_replay) {
        revoke_session(c, session->id);
        cat_log(c->log, CAT_LOG_WARNING, 0,
                "CAT040: a refresh token of session %s was used again; the session has ended", session->id);
    }
    return rv;
}

/* ---- end ---- */

typedef struct ending_t {
    const cat_account_context_t *c;
    const char *id;
    const char *user_id;
    apr_array_header_t *ended;
} ending_t;

static apr_status_t end_one_session(void *baton)
{
    const ending_t *e = baton;
    return end_session(e->c->db, e->id, e->user_id, cat_time_store(e->c->pool, e->c->now));
}

apr_status_t cat_session_end(const cat_account_context_t *c, const char *id, const char *user_id)
{
    ending_t e = {.c = c, .id = id, .user_id = user_id};
    apr_status_t rv = cat_db_transact(c->db, end_one_session, &e);

    if (rv == APR_SUCCESS) {
        revoke_session(c, id);
    }
    return rv;
}

static apr_status_t end_sessions_of_user(void *baton)
{
    ending_t *e = baton;
    return cat_session_end_others(e->c->db, e->c->pool, e->user_id, NULL, e->c->now, &e->ended);
}

apr_status_t cat_session_end_all(const cat_account_context_t *c, const char *user_id)
{
    ending_t e = {.c = c, .user_id = user_id};
    apr_status_t rv = cat_db_transact(c->db, end_sessions_of_user, &e);

    if (rv == APR_SUCCESS) {
        cat_session_revoke(c, e.ended);
    }
    return rv;
}

/* Ends the sessions that the statement selects. Ignores sessions that another request has ended in the meantime. */
static apr_status_t end_each(cat_db_t *db, apr_pool_t *pool, cat_sql_t sql, const char *const *values, int count,
                             apr_time_t now, apr_array_header_t **ended)
{
    const char *time = cat_time_store(pool, now);
    apr_status_t rv;

    *ended = apr_array_make(pool, 4, sizeof(const char *));
    rv = cat_db_each(db, sql, values, count, cat_db_add_texts, *ended);
    for (int i = 0; i < (*ended)->nelts && rv == APR_SUCCESS; i++) {
        rv = end_session(db, APR_ARRAY_IDX(*ended, i, const char *), NULL, time);
        rv = rv == APR_NOTFOUND ? APR_SUCCESS : rv;
    }
    return rv;
}

apr_status_t cat_session_end_others(cat_db_t *db, apr_pool_t *pool, const char *user_id, const char *except,
                                    apr_time_t now, apr_array_header_t **ended)
{
    return end_each(db, pool, SQL_SESSION_IDS, CAT_VALUES(user_id, except ? except : ""), now, ended);
}

/* Records the old id as ended. No access token has the new id. */
static apr_status_t change_id(cat_db_t *db, apr_pool_t *pool, const char *id, apr_time_t now)
{
    const char *new = cat_id_make(pool, now);
    int changed;
    apr_status_t rv = new ? cat_db_exec(db, SQL_SESSION_SET_ID, CAT_VALUES(new, id), &changed) : APR_EGENERAL;

    return rv == APR_SUCCESS && changed
               ? cat_db_exec(db, SQL_REVOKED_INSERT, CAT_VALUES(id, cat_time_store(pool, now)), NULL)
               : rv;
}

apr_status_t cat_session_end_access(cat_db_t *db, apr_pool_t *pool, const char *user_id, apr_time_t now,
                                    apr_array_header_t **ended)
{
    apr_status_t rv;

    *ended = apr_array_make(pool, 4, sizeof(const char *));
    rv = cat_db_each(db, SQL_SESSION_IDS, CAT_VALUES(user_id, ""), cat_db_add_texts, *ended);
    for (int i = 0; i < (*ended)->nelts && rv == APR_SUCCESS; i++) {
        rv = change_id(db, pool, APR_ARRAY_IDX(*ended, i, const char *), now);
    }
    return rv;
}

apr_status_t cat_session_end_surplus(const cat_account_context_t *c, const cat_session_t *session,
                                     apr_array_header_t **ended)
{
    const char *others = apr_itoa(c->pool, c->conf->max_sessions - 1);

    return end_each(c->db, c->pool, SQL_SESSION_SURPLUS, CAT_VALUES(session->user_id, session->id, others), c->now,
                    ended);
}

void cat_session_revoke(const cat_account_context_t *c, const apr_array_header_t *ended)
{
    for (int i = 0; i < ended->nelts; i++) {
        revoke_session(c, APR_ARRAY_IDX(ended, i, const char *));
    }
}

/* ---- list, learn, check ---- */

apr_status_t cat_session_each(const cat_account_context_t *c, const char *user_id, cat_row_t *row, void *baton)
{
    return cat_db_each(c->db, SQL_SESSION_LIST, CAT_VALUES(user_id, cat_time_store(c->pool, c->now)), row, baton);
}

typedef struct learning_t {
    const cat_conf_t *conf;
    cat_revoked_t *set;
    apr_time_t now;
} learning_t;

static apr_status_t learn_revocation(void *baton, const char *const *row, int)
{
    learning_t *l = baton;
    cat_revoked_add(l->set, row[0], find_last_expiry(l->conf, cat_time_read(row[1])), l->now);
    return APR_SUCCESS;
}

apr_status_t cat_session_learn(cat_db_t *db, const cat_conf_t *conf, cat_revoked_t *set, apr_time_t since)
{
    learning_t l = {conf, set, apr_time_now()};
    char text[24];
    apr_snprintf(text, sizeof(text), "%" APR_INT64_T_FMT, (apr_int64_t)apr_time_as_msec(since));
    return cat_db_each(db, SQL_REVOKED_SINCE, CAT_VALUES(text, text), learn_revocation, &l);
}

apr_status_t cat_session_check(cat_db_t *db, const char *id, int *is_ended)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_REVOKED_FIND, CAT_VALUES(id), &row);

    *is_ended = rv == APR_SUCCESS;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}
