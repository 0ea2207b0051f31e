/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/login.h"

#include "accounts/passwords.h"
#include "accounts/throttle.h"

apr_status_t cat_login_prove(cat_request_t *q, const char *login, const cat_account_t *account, const char *password,
                             cat_login_t *result)
{
    int match = 0;
    apr_status_t rv = cat_throttle_attempt(q->db, q->pool, login, q->network, q->now, &result->wait);

    cat_db_release(q->db);
    result->outcome = CAT_LOGIN_WAIT;
    if (rv != APR_SUCCESS || result->wait) {
        return rv;
    }
    rv = cat_passwords_match(q, password, account, &match);
    if (rv != APR_SUCCESS) {
        cat_throttle_withdraw(q->db, q->pool, login, q->network); /* our fault, not a guess */
    }
    result->outcome = match ? CAT_LOGIN_OK : CAT_LOGIN_WRONG;
    return rv;
}

typedef struct opening_t {
    cat_request_t *q;
    const char *login;
    const cat_account_t *seen; /* when the password was compared */
    const char *hash;          /* to be stored: the same, or a newer one of the same password */
    cat_login_t *result;
    apr_array_header_t *ended; /* sessions that had to make room */
} opening_t;

/* While the password was compared the account may have changed, so it is read anew. APR_NOTFOUND: it has another password by now,
 * or is gone. */
static apr_status_t store_session(void *baton)
{
    opening_t *o = baton;
    cat_request_t *q = o->q;
    cat_login_t *result = o->result;
    apr_status_t rv = cat_accounts_set_hash(q->db, o->seen, o->hash);

    if (rv == APR_SUCCESS) {
        rv = cat_accounts_read(q->db, q->pool, o->seen->id, &result->account);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_throttle_forgive(q->db, q->pool, o->login, q->network);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_session_open(q, o->seen->id, &result->session);
    }
    return rv == APR_SUCCESS ? cat_session_end_surplus(q, &result->session, &o->ended) : rv;
}

static apr_status_t open_session(opening_t *o)
{
    cat_request_t *q = o->q;
    apr_status_t rv = cat_db_transact(q->db, store_session, o);

    if (rv == APR_SUCCESS) {
        cat_session_revoke(q, o->ended);
    } else if (rv == APR_NOTFOUND) {
        o->result->outcome = CAT_LOGIN_WRONG;
        rv = APR_SUCCESS;
    } else {
        cat_throttle_withdraw(q->db, q->pool, o->login, q->network);
    }
    return rv;
}

apr_status_t cat_login_sign_in(cat_request_t *q, const char *login, const char *password, cat_login_t *result)
{
    cat_account_t *account = NULL;
    opening_t opening = {.q = q, .login = login, .result = result};
    apr_status_t rv = cat_accounts_find(q->db, q->pool, login, &account);

    if (rv != APR_SUCCESS && rv != APR_NOTFOUND) {
        return rv;
    }
    rv = cat_login_prove(q, login, account, password, result);
    if (rv != APR_SUCCESS || result->outcome != CAT_LOGIN_OK) {
        return rv;
    }
    opening.seen = account;
    opening.hash = cat_passwords_renew(q, password, account);
    return open_session(&opening);
}
