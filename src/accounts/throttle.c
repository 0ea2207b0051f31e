/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/throttle.h"

#include <apr_strings.h>
#include <string.h>

#include "lib/secret.h"
#include "lib/time.h"
#include "mail/email.h"

/* Difference that the clocks of two servers may have. If the last failure is later than now plus this, the clock was
 * set back, and the delay is over. */
#define CLOCKS_DIFFER apr_time_from_sec(60)

const char *cat_throttle_login_key(apr_pool_t *pool, const char *login)
{
    return cat_secret_digest(pool, cat_email_fold(pool, login));
}

/* Cannot collide with a login, because a folded login has no capital letters. */
const char *cat_throttle_user_key(apr_pool_t *pool, const char *user_id)
{
    return cat_secret_digest(pool, apr_pstrcat(pool, "ID ", user_id, NULL));
}

apr_status_t cat_throttle_attempt(cat_db_t *db, apr_pool_t *pool, const char *key, const char *network, apr_time_t now,
                                  int *wait)
{
    const char *const *row;
    const char *time = cat_time_store(pool, now);
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

apr_status_t cat_throttle_withdraw(cat_db_t *db, const char *key, const char *network)
{
    return cat_db_exec(db, SQL_LOGIN_WITHDRAW, CAT_VALUES(key, network), NULL);
}

apr_status_t cat_throttle_forgive(cat_db_t *db, const char *key, const char *network)
{
    return cat_db_exec(db, SQL_LOGIN_FORGIVE, CAT_VALUES(key, network), NULL);
}

apr_status_t cat_throttle_unlock(cat_db_t *db, apr_pool_t *pool, const cat_account_t *account)
{
    return cat_db_exec(db, SQL_LOGIN_UNLOCK,
                       CAT_VALUES(cat_throttle_login_key(pool, account->username),
                                  cat_throttle_login_key(pool, account->email),
                                  cat_throttle_user_key(pool, account->id)),
                       NULL);
}

apr_status_t cat_throttle_move(cat_db_t *db, apr_pool_t *pool, const char *from, const char *to)
{
    const char *from_key = cat_throttle_login_key(pool, from), *to_key = cat_throttle_login_key(pool, to);
    apr_status_t rv;

    if (!strcmp(from_key, to_key)) {
        return APR_SUCCESS;
    }
    rv = cat_db_exec(db, SQL_LOGIN_CLEAR, CAT_VALUES(to_key), NULL);
    rv = rv ? rv : cat_db_exec(db, SQL_LOGIN_MOVE, CAT_VALUES(to_key, from_key), NULL);
    return rv ? rv : cat_db_exec(db, SQL_LOGIN_CLEAR, CAT_VALUES(from_key), NULL);
}
