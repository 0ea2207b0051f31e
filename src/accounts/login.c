/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/login.h"

#include "accounts/passwords.h"
#include "accounts/throttle.h"

apr_status_t cat_login_prove(const cat_account_context_t *c, const char *key, const cat_account_t *account,
                             const char *password, cat_login_t *result)
{
    int match = 0;
    apr_status_t rv = cat_throttle_attempt(c->db, c->pool, key, c->network, c->now, &result->wait);

    cat_db_release(c->db);
    result->outcome = CAT_LOGIN_WAIT;
    if (rv != APR_SUCCESS || result->wait) {
        return rv;
    }
    rv = cat_passwords_match(c, password, account, &match);
    if (rv != APR_SUCCESS) {
        cat_throttle_withdraw(c->db, key, c->network); /* the server failed; the client did not guess */
    }
    result->outcome = match ? CAT_LOGIN_OK : CAT_LOGIN_WRONG;
    return rv;
}

apr_status_t cat_login_run(const cat_account_context_t *c, const char *user_id, const char *password,
                           cat_account_t **account, cat_login_t *result, cat_work_t *work, void *baton)
{
    const char *key = cat_throttle_user_key(c->pool, user_id);
    apr_status_t rv = cat_accounts_read(c->db, c->pool, user_id, account);

    if (rv != APR_SUCCESS) {
        cat_db_release(c->db);
        return rv;
    }
    rv = cat_login_prove(c, key, *account, password, result);
    if (rv != APR_SUCCESS || result->outcome != CAT_LOGIN_OK) {
        return rv;
    }
    rv = cat_db_transact(c->db, work, baton);
    if (rv == APR_NOTFOUND) {
        /* cat_login_check_unchanged found that the account has changed since the comparison */
        result->outcome = CAT_LOGIN_WRONG;
        return APR_SUCCESS;
    }
    if (rv != APR_SUCCESS) {
        cat_throttle_withdraw(c->db, key, c->network);
    }
    return rv;
}

apr_status_t cat_login_check_unchanged(const cat_account_context_t *c, const cat_account_t *account)
{
    apr_status_t rv = cat_accounts_set_hash(c->db, account, account->password_hash);

    return rv == APR_SUCCESS ? cat_throttle_forgive(c->db, cat_throttle_user_key(c->pool, account->id), c->network)
                             : rv;
}

typedef struct opening_t {
    const cat_account_context_t *c;
    const char *key;           /* Throttle key of the login. */
    const cat_account_t *seen; /* Account as it was when the password was compared. */
    const char *hash;          /* Hash to store: the account's own, or a new one with the current parameters. */
    cat_login_t *result;
    apr_array_header_t *ended; /* Ids of the sessions that ended because the user had too many. */
} opening_t;

/* Reads the account again, because it may have changed while the password was compared. Returns APR_NOTFOUND if the
 * password was replaced, or the account was locked or deleted. */
static apr_status_t store_session(void *baton)
{
    opening_t *o = baton;
    const cat_account_context_t *c = o->c;
    cat_login_t *result = o->result;
    apr_status_t rv = cat_accounts_set_hash(c->db, o->seen, o->hash);

    if (rv == APR_SUCCESS) {
        rv = cat_accounts_read(c->db, c->pool, o->seen->id, &result->account);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_throttle_forgive(c->db, o->key, c->network);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_session_open(c, o->seen->id, &result->session);
    }
    return rv == APR_SUCCESS ? cat_session_end_surplus(c, &result->session, &o->ended) : rv;
}

static apr_status_t open_session(opening_t *o)
{
    const cat_account_context_t *c = o->c;
    apr_status_t rv = cat_db_transact(c->db, store_session, o);

    if (rv == APR_SUCCESS) {
        cat_session_revoke(c, o->ended);
    } else if (rv == APR_NOTFOUND) {
        o->result->outcome = CAT_LOGIN_WRONG;
        rv = APR_SUCCESS;
    } else {
        cat_throttle_withdraw(c->db, o->key, c->network);
    }
    return rv;
}

apr_status_t cat_login_sign_in(const cat_account_context_t *c, const char *login, const char *password,
                               cat_login_t *result)
{
    cat_account_t *account = NULL;
    opening_t opening = {.c = c, .key = cat_throttle_login_key(c->pool, login), .result = result};
    apr_status_t rv = cat_accounts_find(c->db, c->pool, login, &account);

    if (rv != APR_SUCCESS && rv != APR_NOTFOUND) {
        return rv;
    }
    rv = cat_login_prove(c, opening.key, account, password, result);
    if (rv != APR_SUCCESS || result->outcome != CAT_LOGIN_OK) {
        return rv;
    }
    opening.seen = account;
    opening.hash = cat_passwords_renew(c, password, account);
    return open_session(&opening);
}
