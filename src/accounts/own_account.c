/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A change, its entry of the audit table and the mails to the user are stored in one transaction. A change that
 * requires the password has two steps. First the password is compared, without a connection, because that takes long.
 * Then the transaction requires that the account still has the compared hash. The throttle counts by the user's id,
 * because an attacker with a token could change the name between two guesses.
 */
#include "accounts/own_account.h"

#include <string.h>

#include "accounts/audit.h"
#include "accounts/deletion.h"
#include "accounts/mail_tokens.h"
#include "accounts/names.h"
#include "accounts/outbox.h"
#include "accounts/session.h"
#include "accounts/throttle.h"
#include "accounts/user.h"
#include "accounts/user_key.h"
#include "mail/email.h"

typedef struct work_t {
    const cat_account_context_t *c;
    const char *user_id;
    const char *text; /* New name or address. */
    /* For a rename, the account after the change. Otherwise the account as it was when the password was compared. */
    cat_account_t *account;
    int is_last;               /* True if no other administrator would be left. */
    apr_array_header_t *ended; /* Ids for cat_session_revoke. */
} work_t;

/* ---- the name ---- */

/* Stores the entry of the audit table and queues the mail to the user. */
static apr_status_t record_rename(const work_t *w, const cat_account_t *before)
{
    const cat_account_context_t *c = w->c;
    cat_audit_entry_t entry;
    apr_status_t rv;

    cat_audit_begin(&entry, c->pool, CAT_AUDIT_USER_UPDATE, before->id, before->username);
    cat_audit_add_change(&entry, &cat_user_view_fields[CAT_USER_VIEW_USERNAME], before->username, w->text);
    rv = cat_audit_store_own(&entry, c);
    return rv == APR_SUCCESS ? cat_outbox_add(c->db, c->pool, CAT_MAIL_RENAMED, before->id, NULL, c->now) : rv;
}

/* Requires that the user's row has the new name already: the unique index then admits only one of several users who
 * take the same name. */
static apr_status_t exchange_names(const work_t *w, const char *from)
{
    const cat_account_context_t *c = w->c;
    apr_status_t rv = APR_SUCCESS;

    if (strcasecmp(from, w->text) != 0) {
        rv = cat_names_take(c->db, c->pool, w->text, w->user_id, c->now);
        rv = rv == APR_SUCCESS ? cat_names_release(c->db, c->pool, from, w->user_id, c->now) : rv;
    }
    return rv == APR_SUCCESS ? cat_throttle_move(c->db, c->pool, from, w->text) : rv;
}

/* Ends the access tokens, because the site may grant access by the name that they contain ("Require user ada"). */
static apr_status_t change_name(work_t *w, const cat_account_t *before)
{
    const cat_account_context_t *c = w->c;
    apr_status_t rv =
        cat_db_exec(c->db, SQL_USER_SET_NAME, CAT_VALUES(w->text, cat_email_fold(c->pool, w->text), w->user_id), NULL);

    if (rv == APR_SUCCESS) {
        rv = exchange_names(w, before->username);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_session_end_access(c->db, c->pool, w->user_id, c->now, &w->ended);
    }
    if (rv == APR_SUCCESS) {
        cat_user_key_forget(w->ended, w->user_id);
        rv = record_rename(w, before);
    }
    return rv == APR_SUCCESS ? cat_accounts_read(c->db, c->pool, w->user_id, &w->account) : rv;
}

static apr_status_t store_name(void *baton)
{
    work_t *w = baton;
    const cat_account_context_t *c = w->c;
    int is_there;
    apr_status_t rv = cat_db_exec(c->db, SQL_USER_HOLD, CAT_VALUES(w->user_id), &is_there);

    w->ended = NULL;
    if (rv == APR_SUCCESS) {
        rv = is_there ? cat_accounts_read(c->db, c->pool, w->user_id, &w->account) : APR_NOTFOUND;
    }
    return rv == APR_SUCCESS && strcmp(w->account->username, w->text) != 0 ? change_name(w, w->account) : rv;
}

apr_status_t cat_own_account_rename(const cat_account_context_t *c, const char *user_id, const char *username,
                                    cat_account_t **account)
{
    work_t w = {.c = c, .user_id = user_id, .text = username};
    apr_status_t rv = cat_db_transact(c->db, store_name, &w);

    if (rv == APR_SUCCESS && w.ended) {
        cat_session_revoke(c, w.ended);
    }
    *account = w.account;
    return rv;
}

/* ---- changes that require the password ---- */

static apr_status_t queue_mails(void *baton)
{
    const work_t *w = baton;
    const cat_account_context_t *c = w->c;
    apr_status_t rv = cat_login_check_unchanged(c, w->account);

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
    return cat_login_run(c, user_id, password, &w.account, result, queue_mails, &w);
}

static apr_status_t delete_recorded(work_t *w, const cat_account_t *account)
{
    const cat_account_context_t *c = w->c;
    cat_audit_entry_t entry;
    apr_status_t rv = cat_deletion_run(c->db, c->pool, account, c->now, &w->ended);

    cat_audit_begin(&entry, c->pool, CAT_AUDIT_USER_DELETE, account->id, account->username);
    return rv == APR_SUCCESS ? cat_audit_store_own(&entry, c) : rv;
}

/* Locks the administrators before the account, in the same order as accounts/administration.c. */
static apr_status_t delete_account(void *baton)
{
    work_t *w = baton;
    const cat_account_context_t *c = w->c;
    cat_account_t *now;
    apr_status_t rv = cat_accounts_lock_admins(c->db);

    w->ended = NULL;
    if (rv == APR_SUCCESS) {
        rv = cat_login_check_unchanged(c, w->account);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_accounts_read(c->db, c->pool, w->user_id, &now);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_accounts_is_last_admin(c->db, now, &w->is_last);
    }
    return rv == APR_SUCCESS && !w->is_last ? delete_recorded(w, now) : rv;
}

apr_status_t cat_own_account_delete(const cat_account_context_t *c, const char *user_id, const char *password,
                                    cat_login_t *result, int *is_last)
{
    work_t w = {.c = c, .user_id = user_id};
    apr_status_t rv = cat_login_run(c, user_id, password, &w.account, result, delete_account, &w);

    *is_last = w.is_last;
    if (rv == APR_SUCCESS && w.ended) {
        cat_session_revoke(c, w.ended);
    }
    return rv;
}
