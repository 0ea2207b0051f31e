/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/deletion.h"

#include "accounts/names.h"
#include "accounts/session.h"
#include "accounts/throttle.h"
#include "accounts/user_key.h"
#include "mail/email.h"

/* Locks the user's row before reading the sessions. A sign-in at the same time has then either stored its session,
 * which ends here, or waits for the lock and then finds no user. */
apr_status_t cat_deletion_run(cat_db_t *db, apr_pool_t *pool, const cat_account_t *account, apr_time_t now,
                              apr_array_header_t **ended)
{
    apr_status_t rv = cat_db_exec(db, SQL_USER_HOLD, CAT_VALUES(account->id), NULL);

    if (rv == APR_SUCCESS) {
        rv = cat_session_end_others(db, pool, account->id, NULL, now, ended);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_user_key_end_all(db, account->id, *ended);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_throttle_unlock(db, pool, account);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(db, SQL_OUTBOX_FORGET, CAT_VALUES(cat_email_fold(pool, account->email)), NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(db, SQL_USER_DELETE, CAT_VALUES(account->id), NULL);
    }
    return rv == APR_SUCCESS ? cat_names_release(db, pool, account->username, account->id, now) : rv;
}
