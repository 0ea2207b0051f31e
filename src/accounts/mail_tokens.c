/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/mail_tokens.h"

#include "lib/secret.h"
#include "lib/time.h"

apr_status_t cat_mail_tokens_make(cat_db_t *db, apr_pool_t *pool, const char *purpose, const cat_mail_link_t *link,
                                  int ttl, const char **token)
{
    apr_time_t now = apr_time_now();

    *token = cat_secret_make(pool);
    if (!*token) {
        return APR_EGENERAL;
    }
    return cat_db_insert(db, SQL_MAIL_TOKEN_INSERT,
                         CAT_VALUES(cat_secret_digest(pool, *token), purpose, link->user_id, cat_time_store(pool, now),
                                    cat_time_store(pool, now + apr_time_from_sec(ttl)), link->email));
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
