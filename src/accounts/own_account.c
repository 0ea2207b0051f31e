/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each change is one transaction, with its entry of the audit table and the mails that tell the user. What requires the
 * password is two steps: the password is compared without a connection, because that takes long, and the transaction then
 * requires that it is still the account's. The throttle goes by the user's id there: a name can be changed between two
 * guesses.
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
    const char *text;       /* the new name or address */
    cat_account_t *account; /* as it was when the password was compared; of a rename, afterwards */
    int is_last;
    apr_array_header_t *ended;
} work_t;

/* ---- the name ---- */

/* What the database and the user are told of a new name. */
static apr_status_t note_rename(const work_t *w, const cat_account_t *before)
{
    const cat_account_context_t *c = w->c;
    cat_audit_entry_t entry;
    apr_status_t rv;

    cat_audit_begin(&entry, c->pool, CAT_AUDIT_USER_UPDATE, before->id, before->username);
    cat_audit_add_change(&entry, &cat_user_view_fields[CAT_USER_VIEW_USERNAME], before->username, w->text);
    rv = cat_audit_store_own(&entry, c);
    return rv == APR_SUCCESS ? cat_outbox_add(c->db, c->pool, CAT_MAIL_RENAMED, before->id, NULL, c->now) : rv;
}

/* The user's row has the new name already, so of several users who want one the database's unique index lets one in. */
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

/* Access tokens with the old name end; guards of the site may go by it. */
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
        rv = note_rename(w, before);
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

/* ---- what requires the password ---- */

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

/* Administrators' work (accounts/administration.h) takes the same lock first. */
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
