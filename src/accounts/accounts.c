/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and stores accounts. The columns username_key and email_key hold the name and the address in lower case;
 * lookups compare these columns.
 *
 * Comparing a password takes long, so no transaction is open while it runs. The transaction after it updates the
 * account only if the row still has the hash that was compared. If no row matches, the password was replaced in
 * between, or the account was locked or deleted.
 *
 * Two administrators who demote each other at the same moment must not both succeed. So the transactions that can
 * remove an administrator lock one row that all servers share.
 */
#include "accounts/accounts.h"

#include <string.h>

#include "accounts/names.h"
#include "accounts/outbox.h"
#include "accounts/role.h"
#include "accounts/user.h"
#include "lib/time.h"
#include "mail/email.h"

static cat_account_t *make_account(apr_pool_t *pool, const char *const *row)
{
    cat_account_t *u = apr_pcalloc(pool, sizeof(*u));
    u->id = row[0];
    u->username = row[1];
    u->email = row[2];
    u->created_at = row[3];
    u->password_hash = row[4];
    u->role = row[5];
    u->confirmed = row[6] != NULL;
    u->locked = row[7] != NULL;
    u->signed_in_at = row[8];
    return u;
}

apr_status_t cat_accounts_add(cat_db_t *db, apr_pool_t *pool, const char *const *record, const char *password_hash,
                              const char *mail, apr_time_t now)
{
    const char *id = record[CAT_USER_ID], *username = record[CAT_USER_USERNAME], *email = record[CAT_USER_EMAIL];
    apr_status_t rv =
        cat_db_insert(db, SQL_USER_INSERT,
                      CAT_VALUES(id, username, cat_email_fold(pool, username), email, cat_email_fold(pool, email),
                                 password_hash, record[CAT_USER_CREATED_AT]));

    if (rv == APR_SUCCESS) {
        rv = cat_names_take(db, pool, username, id, now);
    }
    return rv == APR_SUCCESS && mail ? cat_outbox_add(db, pool, mail, id, NULL, now) : rv;
}

apr_status_t cat_accounts_record_visit(const cat_account_context_t *c, const char *id, int signs_in)
{
    const char *time = signs_in ? cat_time_store(c->pool, c->now) : NULL;

    return cat_db_exec(c->db, SQL_USER_NOTE, CAT_VALUES(time, c->language, id), NULL);
}

apr_status_t cat_accounts_find(cat_db_t *db, apr_pool_t *pool, const char *login, cat_account_t **user)
{
    const char *const *row;
    const char *key = cat_email_fold(pool, login);
    apr_status_t rv = cat_db_one(db, SQL_USER_BY_LOGIN, CAT_VALUES(key, key), &row);

    *user = rv == APR_SUCCESS ? make_account(pool, row) : NULL;
    return rv;
}

apr_status_t cat_accounts_read(cat_db_t *db, apr_pool_t *pool, const char *id, cat_account_t **user)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_USER_GET, CAT_VALUES(id), &row);

    *user = rv == APR_SUCCESS ? make_account(pool, row) : NULL;
    return rv;
}

apr_status_t cat_accounts_set_hash(cat_db_t *db, const cat_account_t *seen, const char *hash)
{
    int found;
    apr_status_t rv =
        cat_db_exec(db, SQL_USER_REPLACE_PASSWORD, CAT_VALUES(hash, seen->id, seen->password_hash), &found);

    return rv == APR_SUCCESS && !found ? APR_NOTFOUND : rv;
}

/* ---- administrators ---- */

int cat_accounts_is_admin(const cat_account_t *account)
{
    return !account->locked && !strcmp(account->role, cat_role_names[CAT_ROLE_ADMIN]);
}

apr_status_t cat_accounts_lock_admins(cat_db_t *db)
{
    return cat_db_exec(db, SQL_ADMINS_LOCK, CAT_NO_VALUES, NULL);
}

apr_status_t cat_accounts_is_last_admin(cat_db_t *db, const cat_account_t *account, int *is_last)
{
    const char *const *row;
    apr_status_t rv;

    *is_last = 0;
    if (!cat_accounts_is_admin(account)) {
        return APR_SUCCESS;
    }
    rv = cat_db_one(db, SQL_ADMINS_COUNT_OTHERS, CAT_VALUES(account->id), &row);
    *is_last = rv == APR_SUCCESS && !strcmp(row[0], "0");
    return rv;
}
