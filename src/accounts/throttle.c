/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/throttle.h"

#include "lib/secret.h"
#include "lib/time.h"
#include "mail/email.h"

/* A failure later than this from now was stored before the clock was set back: its delay is over. */
#define CLOCKS_DIFFER apr_time_from_sec(60)

/* The key of a login is a digest, because users type passwords into the wrong field. */
static const char *digest_login(apr_pool_t *pool, const char *login)
{
    return cat_secret_digest(pool, cat_email_fold(pool, login));
}

apr_status_t cat_throttle_attempt(cat_db_t *db, apr_pool_t *pool, const char *login, const char *network,
                                  apr_time_t now, int *wait)
{
    const char *const *row;
    const char *key = digest_login(pool, login), *time = cat_time_store(pool, now);
    const char *latest = cat_time_store(pool, now + CLOCKS_DIFFER);
    apr_time_t allowed;
    int counted = 1;
    apr_status_t rv = cat_db_insert(db, SQL_LOGIN_TRY_FIRST, CAT_VALUES(key, network, time));

    *wait = 0;
    if (rv == APR_EEXIST) {
        rv = cat_db_exec(db, SQL_LOGIN_TRY, CAT_VALUES(time, time, time, key, network, time, latest), &counted);
    }
    if (rv != APR_SUCCESS || counted) {
        return rv;
    }
    rv = cat_db_one(db, SQL_LOGIN_ALLOWED, CAT_VALUES(key, network), &row);
    if (rv == APR_SUCCESS) {
        allowed = cat_time_read(row[0]);
        *wait = allowed > now ? (int)apr_time_sec(allowed - now) + 1 : 1;
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv; /* another request has forgiven the failures since */
}

apr_status_t cat_throttle_withdraw(cat_db_t *db, apr_pool_t *pool, const char *login, const char *network)
{
    return cat_db_exec(db, SQL_LOGIN_WITHDRAW, CAT_VALUES(digest_login(pool, login), network), NULL);
}

apr_status_t cat_throttle_forgive(cat_db_t *db, apr_pool_t *pool, const char *login, const char *network)
{
    return cat_db_exec(db, SQL_LOGIN_FORGIVE, CAT_VALUES(digest_login(pool, login), network), NULL);
}

apr_status_t cat_throttle_unlock(cat_db_t *db, apr_pool_t *pool, const cat_account_t *account)
{
    return cat_db_exec(db, SQL_LOGIN_UNLOCK,
                       CAT_VALUES(digest_login(pool, account->username), digest_login(pool, account->email)), NULL);
}
