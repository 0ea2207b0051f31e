/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/mail_tokens.h"

#include "lib/secret.h"
#include "lib/time.h"

/* A token that is to be stored. */
typedef struct making_t {
    cat_db_t *db;
    const char *digest, *purpose, *created, *expires;
    const cat_mail_link_t *link;
} making_t;

static apr_status_t store_token(void *baton)
{
    const making_t *m = baton;
    int is_there;
    apr_status_t rv = cat_db_exec(m->db, SQL_USER_LOCK, CAT_VALUES(m->link->user_id), &is_there);

    if (rv != APR_SUCCESS || !is_there) {
        return rv == APR_SUCCESS ? APR_NOTFOUND : rv;
    }
    return cat_db_insert(m->db, SQL_MAIL_TOKEN_INSERT,
                         CAT_VALUES(m->digest, m->purpose, m->link->user_id, m->created, m->expires, m->link->email));
}

apr_status_t cat_mail_tokens_make(cat_db_t *db, apr_pool_t *pool, const char *purpose, const cat_mail_link_t *link,
                                  int ttl, const char **token)
{
    apr_time_t now = apr_time_now();
    making_t m = {.db = db, .purpose = purpose, .link = link};

    *token = cat_secret_make(pool);
    if (!*token) {
        return APR_EGENERAL;
    }
    m.digest = cat_secret_digest(pool, *token);
    m.created = cat_time_store(pool, now);
    m.expires = cat_time_store(pool, now + apr_time_from_sec(ttl));
    return cat_db_transact(db, store_token, &m);
}

apr_status_t cat_mail_tokens_find(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *token,
                                  apr_time_t now, cat_mail_link_t *link)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_MAIL_TOKEN_FIND,
                                 CAT_VALUES(cat_secret_digest(pool, token), purpose, cat_time_store(pool, now)), &row);

    *link = rv == APR_SUCCESS ? (cat_mail_link_t){row[0], row[1]} : (cat_mail_link_t){NULL, NULL};
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

apr_status_t cat_mail_tokens_use(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *token, apr_time_t now,
                                 cat_mail_link_t *link)
{
    int dropped = 0;
    apr_status_t rv = cat_mail_tokens_find(db, pool, purpose, token, now, link);

    if (rv != APR_SUCCESS || !link->user_id) {
        return rv;
    }
    rv = cat_db_exec(db, SQL_MAIL_TOKEN_DROP, CAT_VALUES(link->user_id, purpose), &dropped);
    link->user_id = dropped ? link->user_id : NULL;
    return rv;
}

apr_status_t cat_mail_tokens_withdraw(cat_db_t *db, const char *purpose, const char *user_id)
{
    apr_status_t rv = cat_db_exec(db, SQL_OUTBOX_WITHDRAW, CAT_VALUES(purpose, user_id, user_id), NULL);
    return rv == APR_SUCCESS ? cat_db_exec(db, SQL_MAIL_TOKEN_DROP, CAT_VALUES(user_id, purpose), NULL) : rv;
}
