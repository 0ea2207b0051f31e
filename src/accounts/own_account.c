/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/own_account.h"

#include "accounts/deletion.h"
#include "accounts/mail_tokens.h"
#include "accounts/outbox.h"
#include "accounts/session.h"
#include "accounts/throttle.h"
#include "mail/email.h"

typedef struct work_t {
    const cat_account_context_t *c;
    const char *user_id;
    const char *text;       /* the new name or address */
    cat_account_t *account; /* as it was when the password was compared; of a rename, afterwards */
    int is_last;
    apr_array_header_t *ended;
} work_t;

/* ---- the name ---- */

static apr_status_t store_name(void *baton)
{
    work_t *w = baton;
    const cat_account_context_t *c = w->c;
    apr_status_t rv =
        cat_db_exec(c->db, SQL_USER_SET_NAME, CAT_VALUES(w->text, cat_email_fold(c->pool, w->text), w->user_id), NULL);

    return rv == APR_SUCCESS ? cat_accounts_read(c->db, c->pool, w->user_id, &w->account) : rv;
}

apr_status_t cat_own_account_rename(const cat_account_context_t *c, const char *user_id, const char *username,
                                    cat_account_t **account)
{
    work_t w = {.c = c, .user_id = user_id, .text = username};
    apr_status_t rv = cat_db_transact(c->db, store_name, &w);

    *account = w.account;
    return rv;
}

/* ---- what requires the password ---- */

/* Runs work if the password is the user's. */
static apr_status_t run_proven(work_t *w, const char *password, cat_login_t *result, cat_work_t *work)
{
    const cat_account_context_t *c = w->c;
    apr_status_t rv = cat_accounts_read(c->db, c->pool, w->user_id, &w->account);

    if (rv != APR_SUCCESS) {
        cat_db_release(c->db);
        return rv;
    }
    rv = cat_login_prove(c, w->account->username, w->account, password, result);
    if (rv != APR_SUCCESS || result->outcome != CAT_LOGIN_OK) {
        return rv;
    }
    rv = cat_db_transact(c->db, work, w);
    if (rv == APR_NOTFOUND) {
        result->outcome = CAT_LOGIN_WRONG; /* the password has been replaced since it was compared */
        return APR_SUCCESS;
    }
    if (rv != APR_SUCCESS) {
        cat_throttle_withdraw(c->db, c->pool, w->account->username, c->network);
    }
    return rv;
}

/* APR_NOTFOUND: the password has been replaced since, or the account deleted. */
static apr_status_t check_unchanged(const work_t *w)
{
    const cat_account_context_t *c = w->c;
    apr_status_t rv = cat_accounts_set_hash(c->db, w->account, w->account->password_hash);

    return rv == APR_SUCCESS ? cat_throttle_forgive(c->db, c->pool, w->account->username, c->network) : rv;
}

static apr_status_t queue_mails(void *baton)
{
    const work_t *w = baton;
    const cat_account_context_t *c = w->c;
    apr_status_t rv = check_unchanged(w);

    if (rv == APR_SUCCESS) {
        rv = cat_mail_tokens_withdraw(c->db, CAT_MAIL_NEW_EMAIL, w->user_id);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_outbox_add_to(c->db, c->pool, CAT_MAIL_NEW_EMAIL, w->user_id, w->text, c->now);
    }
    return rv == APR_SUCCESS && w->account->confirmed
               ? cat_outbox_add_to(c->db, c->pool, CAT_MAIL_EMAIL_NOTICE, w->user_id, w->account->email, c->now)
               : rv;
}

apr_status_t cat_own_account_change_email(const cat_account_context_t *c, const char *user_id, const char *email,
                                          const char *password, cat_login_t *result)
{
    work_t w = {.c = c, .user_id = user_id, .text = email};
    return run_proven(&w, password, result, queue_mails);
}

/* Administrators' work (accounts/administration.h) takes the same lock first. */
static apr_status_t delete_account(void *baton)
{
    work_t *w = baton;
    const cat_account_context_t *c = w->c;
    cat_account_t *now;
    apr_status_t rv = cat_accounts_lock_admins(c->db);

    w->ended = NULL;
    if (rv == APR_SUCCESS) {
        rv = check_unchanged(w);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_accounts_read(c->db, c->pool, w->user_id, &now);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_accounts_is_last_admin(c->db, now, &w->is_last);
    }
    return rv == APR_SUCCESS && !w->is_last ? cat_deletion_run(c->db, c->pool, now, c->now, &w->ended) : rv;
}

apr_status_t cat_own_account_delete(const cat_account_context_t *c, const char *user_id, const char *password,
                                    cat_login_t *result, int *is_last)
{
    work_t w = {.c = c, .user_id = user_id};
    apr_status_t rv = run_proven(&w, password, result, delete_account);

    *is_last = w.is_last;
    if (rv == APR_SUCCESS && w.ended) {
        cat_session_revoke(c, w.ended);
    }
    return rv;
}
