/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mailer claims a mail in one transaction and stores its token in another. In between, another request may withdraw
 * the user's links. So the second transaction first locks the user's row, like every transaction that withdraws links,
 * and then requires that the mailer still has its claim on the mail. If the withdrawal came first, it has deleted the
 * mail, and the mailer stores no token. Otherwise the withdrawal waits for the lock and then deletes the token.
 */
#include "accounts/mail_tokens.h"

#include "lib/secret.h"
#include "lib/time.h"

static const char *const purposes[] = {CAT_MAIL_LINKS};

typedef struct making_t {
    cat_db_t *db;
    const cat_mail_t *mail;
    const char *digest, *created, *expires;
} making_t;

/* Locks a row with an UPDATE that changes nothing. Returns APR_NOTFOUND if no row matches. */
static apr_status_t lock_row(cat_db_t *db, cat_sql_t sql, const char *const *values, int count)
{
    int is_there;
    apr_status_t rv = cat_db_exec(db, sql, values, count, &is_there);

    return rv == APR_SUCCESS && !is_there ? APR_NOTFOUND : rv;
}

static apr_status_t store_token(void *baton)
{
    const making_t *m = baton;
    const cat_mail_t *mail = m->mail;
    apr_status_t rv = lock_row(m->db, SQL_USER_HOLD, CAT_VALUES(mail->user_id));

    if (rv == APR_SUCCESS) {
        rv = lock_row(m->db, SQL_OUTBOX_HOLD, CAT_VALUES(mail->id, mail->lease));
    }
    return rv == APR_SUCCESS ? cat_db_insert(m->db, SQL_MAIL_TOKEN_INSERT,
                                             CAT_VALUES(m->digest, mail->template, mail->user_id, m->created,
                                                        m->expires, mail->email))
                             : rv;
}

apr_status_t cat_mail_tokens_make(cat_db_t *db, apr_pool_t *pool, const cat_mail_t *mail, int ttl, const char **token)
{
    apr_time_t now = apr_time_now();
    making_t m = {.db = db, .mail = mail};

    *token = cat_secret_make(pool);
    if (!*token) {
        return APR_EGENERAL;
    }
    m.digest = cat_secret_digest(pool, *token);
    m.created = cat_time_store(pool, now);
    m.expires = cat_time_store(pool, now + apr_time_from_sec(ttl));
    return cat_db_transact(db, store_token, &m);
}

apr_status_t cat_mail_tokens_add(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *user_id,
                                 const char *email, apr_time_t now, int ttl, const char **token)
{
    *token = cat_secret_make(pool);
    return *token
               ? cat_db_insert(db, SQL_MAIL_TOKEN_INSERT,
                               CAT_VALUES(cat_secret_digest(pool, *token), purpose, user_id, cat_time_store(pool, now),
                                          cat_time_store(pool, now + apr_time_from_sec(ttl)), email))
               : APR_EGENERAL;
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

/* Finds the token a second time after locking the user's row, because another request may have used or withdrawn it
 * before the lock. */
apr_status_t cat_mail_tokens_use(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *token, apr_time_t now,
                                 cat_mail_link_t *link)
{
    apr_status_t rv = cat_mail_tokens_find(db, pool, purpose, token, now, link);

    if (rv == APR_SUCCESS && link->user_id) {
        rv = cat_db_exec(db, SQL_USER_HOLD, CAT_VALUES(link->user_id), NULL);
    }
    if (rv == APR_SUCCESS && link->user_id) {
        rv = cat_mail_tokens_find(db, pool, purpose, token, now, link);
    }
    return rv == APR_SUCCESS && link->user_id
               ? cat_db_exec(db, SQL_MAIL_TOKEN_DROP, CAT_VALUES(link->user_id, purpose), NULL)
               : rv;
}

apr_status_t cat_mail_tokens_withdraw(cat_db_t *db, const char *purpose, const char *user_id)
{
    apr_status_t rv = cat_db_exec(db, SQL_OUTBOX_WITHDRAW, CAT_VALUES(purpose, user_id, user_id), NULL);
    return rv == APR_SUCCESS ? cat_db_exec(db, SQL_MAIL_TOKEN_DROP, CAT_VALUES(user_id, purpose), NULL) : rv;
}

apr_status_t cat_mail_tokens_withdraw_all(cat_db_t *db, const char *user_id)
{
    apr_status_t rv = APR_SUCCESS;

    for (size_t i = 0; i < sizeof(purposes) / sizeof(purposes[0]) && rv == APR_SUCCESS; i++) {
        rv = cat_mail_tokens_withdraw(db, purposes[i], user_id);
    }
    return rv;
}
