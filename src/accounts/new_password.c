/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets a new password, for the holder of a mailed link or for a user who knows the current password.
 *
 * Hashing takes long, so it happens without a connection. The transaction that stores the hash then checks everything
 * again: the token must still be valid, or the account must still have the password hash that was compared.
 *
 *     find or compare -> hash, 20 ms of CPU, no connection -> one transaction: store, end sessions, drop links, mail
 */
#include "accounts/new_password.h"

#include "accounts/audit.h"
#include "accounts/mail_tokens.h"
#include "accounts/outbox.h"
#include "accounts/passwords.h"
#include "accounts/session.h"
#include "accounts/throttle.h"
#include "accounts/user_key.h"
#include "lib/time.h"

typedef struct new_password_t {
    const cat_account_context_t *c;
    const char *hash;
    apr_array_header_t *ended;

    /* Used by a reset: */
    const char *token;
    cat_mail_link_t link; /* Set by use_token. user_id is NULL if the token is not valid. */

    /* Used by a change: */
    const cat_account_t *account; /* Account as it was when the current password was compared. */
    const char *session;          /* Id of the session that stays open. NULL if none does. */
    int end_keys;                 /* True if the user's API keys end, too. */
} new_password_t;

/* Does everything in the caller's transaction that a new password requires besides storing it. */
static apr_status_t secure_account(new_password_t *n, const cat_account_t *account)
{
    const cat_account_context_t *c = n->c;
    cat_audit_entry_t entry;
    apr_status_t rv = cat_session_end_others(c->db, c->pool, account->id, n->session, c->now, &n->ended);

    if (rv == APR_SUCCESS) {
        rv = cat_mail_tokens_withdraw(c->db, CAT_MAIL_RESET, account->id);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_mail_tokens_withdraw(c->db, CAT_MAIL_INVITE, account->id);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_mail_tokens_withdraw(c->db, CAT_MAIL_NEW_EMAIL, account->id);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_throttle_unlock(c->db, c->pool, account);
    }
    if (rv == APR_SUCCESS) {
        cat_audit_begin(&entry, c->pool, CAT_AUDIT_USER_PASSWORD, account->id, account->username);
        rv = cat_audit_store_own(&entry, c);
    }
    return rv == APR_SUCCESS ? cat_outbox_add(c->db, c->pool, CAT_MAIL_CHANGED, account->id, NULL, c->now) : rv;
}

static apr_status_t store_password(new_password_t *n, cat_work_t *work)
{
    apr_status_t rv = cat_db_transact(n->c->db, work, n);

    if (rv == APR_SUCCESS && n->ended) {
        cat_session_revoke(n->c, n->ended);
    }
    return rv;
}

/* ---- reset ---- */

static apr_status_t replace_password(new_password_t *n)
{
    const cat_account_context_t *c = n->c;
    cat_account_t *account;
    apr_status_t rv =
        cat_db_exec(c->db, SQL_USER_CONFIRM, CAT_VALUES(cat_time_store(c->pool, c->now), n->link.user_id), NULL);

    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(c->db, SQL_USER_SET_PASSWORD, CAT_VALUES(n->hash, n->link.user_id), NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_accounts_read(c->db, c->pool, n->link.user_id, &account);
    }
    if (rv == APR_SUCCESS) {
        rv = secure_account(n, account);
    }
    return rv == APR_SUCCESS ? cat_user_key_end_all(c->db, account->id, n->ended) : rv;
}

static apr_status_t use_token(void *baton)
{
    new_password_t *n = baton;
    const cat_account_context_t *c = n->c;
    apr_status_t rv = cat_mail_tokens_use(c->db, c->pool, CAT_MAIL_RESET, n->token, c->now, &n->link);

    n->ended = NULL;
    if (rv == APR_SUCCESS && !n->link.user_id) {
        rv = cat_mail_tokens_use(c->db, c->pool, CAT_MAIL_INVITE, n->token, c->now, &n->link);
    }
    return rv == APR_SUCCESS && n->link.user_id ? replace_password(n) : rv;
}

apr_status_t cat_new_password_find(const cat_account_context_t *c, const char *token, cat_account_t **owner)
{
    cat_mail_link_t link;
    apr_status_t rv = cat_mail_tokens_find(c->db, c->pool, CAT_MAIL_RESET, token, c->now, &link);

    *owner = NULL;
    if (rv == APR_SUCCESS && !link.user_id) {
        rv = cat_mail_tokens_find(c->db, c->pool, CAT_MAIL_INVITE, token, c->now, &link);
    }
    if (rv == APR_SUCCESS && link.user_id) {
        rv = cat_accounts_read(c->db, c->pool, link.user_id, owner);
    }
    cat_db_release(c->db);
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

apr_status_t cat_new_password_reset(const cat_account_context_t *c, const char *token, const char *password,
                                    int *is_set)
{
    new_password_t n = {.c = c, .token = token};
    apr_status_t rv = cat_passwords_hash(c, password, &n.hash);

    *is_set = 0;
    if (rv == APR_SUCCESS) {
        rv = store_password(&n, use_token);
    }
    *is_set = rv == APR_SUCCESS && n.link.user_id;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv; /* the account, and its links with it, have been deleted */
}

/* ---- change ---- */

/* Returns APR_NOTFOUND if, since the current password was compared, the password was replaced or the account was locked
 * or deleted. */
static apr_status_t change_password(void *baton)
{
    new_password_t *n = baton;
    apr_status_t rv = cat_accounts_set_hash(n->c->db, n->account, n->hash);

    if (rv == APR_SUCCESS) {
        rv = secure_account(n, n->account);
    }
    return rv == APR_SUCCESS && n->end_keys ? cat_user_key_end_all(n->c->db, n->account->id, n->ended) : rv;
}

static apr_status_t change_proven(new_password_t *n, const char *password, cat_login_t *result)
{
    const cat_account_context_t *c = n->c;
    apr_status_t rv = cat_passwords_hash(c, password, &n->hash);

    if (rv == APR_SUCCESS) {
        rv = store_password(n, change_password);
    }
    if (rv == APR_NOTFOUND) {
        result->outcome = CAT_LOGIN_WRONG;
        return APR_SUCCESS;
    }
    if (rv != APR_SUCCESS) {
        cat_throttle_withdraw(c->db, cat_throttle_user_key(c->pool, n->account->id), c->network);
    }
    return rv;
}

apr_status_t cat_new_password_change(const cat_account_context_t *c, const char *user_id, const char *session,
                                     const char *current, const char *password, int end_keys, cat_login_t *result)
{
    new_password_t n = {.c = c, .session = session, .end_keys = end_keys};
    cat_account_t *account;
    apr_status_t rv = cat_accounts_read(c->db, c->pool, user_id, &account);

    if (rv != APR_SUCCESS) {
        cat_db_release(c->db);
        return rv;
    }
    rv = cat_login_prove(c, cat_throttle_user_key(c->pool, user_id), account, current, result);
    if (rv != APR_SUCCESS || result->outcome != CAT_LOGIN_OK) {
        return rv;
    }
    n.account = account;
    return change_proven(&n, password, result);
}
