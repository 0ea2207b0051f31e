/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Administrators' changes of accounts.
 *
 * Every function runs in the caller's transaction and takes the same steps. It waits for other administrators and
 * checks that the actor still is an administrator (cat_administration_begin), reads the account, refuses a change that
 * would leave no administrator, writes, and stores an entry in the audit table. As administrators' transactions run one
 * after the other, an account that is not the last administrator's cannot become that before the commit.
 *
 *     new role, lock, unconfirmed address -> sessions end, links are withdrawn (withdraw_access), as tokens keep claims
 *     lock                                -> API keys end, too (accounts/user_key.h); otherwise they follow their user
 *     any change                          -> this server reads the user's API keys again (cat_user_key_forget)
 *     ids of ended sessions               -> a->ended, which the caller passes to cat_session_revoke after the commit
 */
#include "accounts/administration.h"

#include <string.h>

#include "accounts/deletion.h"
#include "accounts/mail_tokens.h"
#include "accounts/names.h"
#include "accounts/outbox.h"
#include "accounts/role.h"
#include "accounts/session.h"
#include "accounts/throttle.h"
#include "accounts/user.h"
#include "accounts/user_key.h"
#include "lib/time.h"

/* Reads the actor's role from the database, because it may have changed since the actor's token was issued. */
apr_status_t cat_administration_begin(cat_db_t *db, apr_pool_t *pool, const cat_actor_t *actor, int *may)
{
    cat_account_t *account;
    apr_status_t rv = cat_accounts_lock_admins(db);

    *may = 1;
    if (rv != APR_SUCCESS || !actor->id) {
        return rv;
    }
    rv = cat_accounts_read(db, pool, actor->id, &account);
    *may = rv == APR_SUCCESS && cat_accounts_is_admin(account);
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

/* Sets *account, or sets it to NULL if the outcome is not CAT_ADMINISTRATION_DONE. */
static apr_status_t begin_work(cat_administration_t *a, const char *id, cat_account_t **account)
{
    int may;
    apr_status_t rv = cat_administration_begin(a->db, a->pool, &a->actor, &may);

    *account = NULL;
    a->outcome = may ? CAT_ADMINISTRATION_DONE : CAT_ADMINISTRATION_FORBIDDEN;
    a->ended = apr_array_make(a->pool, 0, sizeof(const char *));
    if (rv == APR_SUCCESS && a->outcome == CAT_ADMINISTRATION_DONE) {
        rv = cat_accounts_read(a->db, a->pool, id, account);
    }
    if (rv == APR_SUCCESS && *account && a->condition) {
        rv = a->condition->judge(a->condition->baton, *account);
    }
    return rv;
}

/* Sets the outcome to CAT_ADMINISTRATION_LAST if the account is the last administrator's, unless a->force is true. */
static apr_status_t check_last_admin(cat_administration_t *a, const cat_account_t *account)
{
    int is_last;
    apr_status_t rv = a->force ? APR_SUCCESS : cat_accounts_is_last_admin(a->db, account, &is_last);

    if (!a->force && rv == APR_SUCCESS && is_last) {
        a->outcome = CAT_ADMINISTRATION_LAST;
    }
    return rv;
}

static void begin_entry(cat_audit_entry_t *entry, const cat_administration_t *a, const char *action,
                        const cat_account_t *account)
{
    cat_audit_begin(entry, a->pool, action, account->id, account->username);
}

static apr_status_t store_entry(const cat_administration_t *a, cat_audit_entry_t *entry)
{
    return cat_audit_store(entry, a->db, &a->actor, a->now);
}

/* ---- update ---- */

static const char *as_flag(int flag)
{
    return flag ? "1" : "0";
}

/* Returns the time to store if the flag is "1", or NULL if it is "0". */
static const char *time_of(const cat_administration_t *a, const char *flag)
{
    return *flag == '1' ? cat_time_store(a->pool, a->now) : NULL;
}

/* A field that an administrator changes. */
typedef struct edit_t {
    int field;             /* Index in cat_user_view_fields. */
    const char *from, *to; /* Texts of a record (lib/fields.h). `to` is NULL if the field stays unchanged. */
    cat_sql_t sql;         /* Statement that sets the column. */
    const char *stored;    /* Value of the column. */
    int takes_right;       /* True if sessions must end and links must be withdrawn. */
} edit_t;

static apr_status_t apply_edits(cat_administration_t *a, const cat_account_t *account, const edit_t *edits, int count,
                                cat_audit_entry_t *entry, int *takes_right)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        const edit_t *e = &edits[i];
        if (!e->to || !strcmp(e->from, e->to)) {
            continue;
        }
        cat_audit_add_change(entry, &cat_user_view_fields[e->field], e->from, e->to);
        *takes_right |= e->takes_right;
        rv = cat_db_exec(a->db, e->sql, CAT_VALUES(e->stored, account->id), NULL);
    }
    return rv;
}

/* Returns true if the change would take the rights of an administrator away. */
static int list_edits(const cat_administration_t *a, const cat_account_t *account, const cat_account_change_t *change,
                      edit_t edits[3])
{
    const char *verified = change->verified, *locked = change->locked, *role = change->role;

    edits[0] = (edit_t){CAT_USER_VIEW_VERIFIED,
                        as_flag(account->confirmed),
                        verified,
                        SQL_USER_SET_CONFIRMED,
                        verified ? time_of(a, verified) : NULL,
                        verified && *verified == '0'};
    edits[1] = (edit_t){CAT_USER_VIEW_ROLE, account->role, role, SQL_USER_SET_ROLE, role, 1};
    edits[2] = (edit_t){CAT_USER_VIEW_LOCKED, as_flag(account->locked),           locked,
                        SQL_USER_SET_LOCKED,  locked ? time_of(a, locked) : NULL, locked && *locked == '1'};
    return (role && strcmp(role, cat_role_names[CAT_ROLE_ADMIN]) != 0) || (locked && *locked == '1');
}

/* Ends the sessions, withdraws the links in mails and, if `keys` is true, ends the API keys. The caller must have
 * written the user's row before: a sign-in or a mailer has then either stored its session or token, or waits for the
 * lock. */
static apr_status_t withdraw_access(cat_administration_t *a, const cat_account_t *account, int keys)
{
    apr_status_t rv = cat_session_end_others(a->db, a->pool, account->id, NULL, a->now, &a->ended);

    if (rv == APR_SUCCESS && keys) {
        rv = cat_user_key_end_all(a->db, account->id, a->ended);
    }
    return rv == APR_SUCCESS ? cat_mail_tokens_withdraw_all(a->db, account->id) : rv;
}

static apr_status_t change_account(cat_administration_t *a, cat_account_t *account, const edit_t *edits, int count)
{
    cat_audit_entry_t entry;
    int takes_right = 0;
    apr_status_t rv;

    begin_entry(&entry, a, CAT_AUDIT_USER_UPDATE, account);
    rv = apply_edits(a, account, edits, count, &entry, &takes_right);
    if (rv == APR_SUCCESS && takes_right) {
        rv = withdraw_access(a, account, edits[2].takes_right);
    }
    if (rv != APR_SUCCESS || !cat_audit_has_changes(&entry)) {
        return rv;
    }
    cat_user_key_forget(a->ended, account->id);
    return store_entry(a, &entry);
}

apr_status_t cat_administration_update(cat_administration_t *a, const char *id, const cat_account_change_t *change,
                                       cat_account_t **account)
{
    edit_t edits[3];
    apr_status_t rv = begin_work(a, id, account);

    if (rv != APR_SUCCESS || !*account) {
        return rv;
    }
    if (list_edits(a, *account, change, edits)) {
        rv = check_last_admin(a, *account);
    }
    if (rv != APR_SUCCESS || a->outcome != CAT_ADMINISTRATION_DONE) {
        return rv;
    }
    rv = change_account(a, *account, edits, 3);
    return rv == APR_SUCCESS ? cat_accounts_read(a->db, a->pool, id, account) : rv;
}

/* ---- delete, unlock, revoke ---- */

apr_status_t cat_administration_delete(cat_administration_t *a, const char *id)
{
    cat_account_t *account;
    cat_audit_entry_t entry;
    apr_status_t rv = begin_work(a, id, &account);

    if (rv == APR_SUCCESS && account) {
        rv = check_last_admin(a, account);
    }
    if (rv != APR_SUCCESS || a->outcome != CAT_ADMINISTRATION_DONE) {
        return rv;
    }
    begin_entry(&entry, a, CAT_AUDIT_USER_DELETE, account);
    rv = cat_deletion_run(a->db, a->pool, account, a->now, &a->ended);
    return rv == APR_SUCCESS ? store_entry(a, &entry) : rv;
}

apr_status_t cat_administration_unlock(cat_administration_t *a, const char *id)
{
    cat_account_t *account;
    cat_audit_entry_t entry;
    apr_status_t rv = begin_work(a, id, &account);

    if (rv != APR_SUCCESS || !account) {
        return rv;
    }
    begin_entry(&entry, a, CAT_AUDIT_USER_UNLOCK, account);
    if (account->locked) {
        cat_audit_add_change(&entry, &cat_user_view_fields[CAT_USER_VIEW_LOCKED], "1", "0");
        rv = cat_db_exec(a->db, SQL_USER_SET_LOCKED, CAT_VALUES(NULL, account->id), NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_throttle_unlock(a->db, a->pool, account);
    }
    return rv == APR_SUCCESS ? store_entry(a, &entry) : rv;
}

apr_status_t cat_administration_revoke(cat_administration_t *a, const char *id)
{
    cat_account_t *account;
    cat_audit_entry_t entry;
    apr_status_t rv = begin_work(a, id, &account);

    if (rv != APR_SUCCESS || !account) {
        return rv;
    }
    begin_entry(&entry, a, CAT_AUDIT_USER_REVOKE, account);
    rv = cat_db_exec(a->db, SQL_USER_HOLD, CAT_VALUES(account->id), NULL);
    if (rv == APR_SUCCESS) {
        rv = withdraw_access(a, account, 1);
    }
    return rv == APR_SUCCESS ? store_entry(a, &entry) : rv;
}

apr_status_t cat_administration_set_password(cat_administration_t *a, const char *id, const char *hash)
{
    cat_account_t *account;
    cat_audit_entry_t entry;
    apr_status_t rv = begin_work(a, id, &account);

    if (rv != APR_SUCCESS || !account) {
        return rv;
    }
    begin_entry(&entry, a, CAT_AUDIT_USER_PASSWORD, account);
    rv = cat_db_exec(a->db, SQL_USER_SET_PASSWORD, CAT_VALUES(hash, account->id), NULL);
    if (rv == APR_SUCCESS) {
        rv = withdraw_access(a, account, 0);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_throttle_unlock(a->db, a->pool, account);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_outbox_add(a->db, a->pool, CAT_MAIL_CHANGED, account->id, NULL, a->now);
    }
    return rv == APR_SUCCESS ? store_entry(a, &entry) : rv;
}

/* ---- add ---- */

apr_status_t cat_administration_add(cat_administration_t *a, const char *const *record, const char *password_hash,
                                    const char *mail, const cat_account_change_t *change)
{
    const char *id = record[CAT_USER_ID];
    cat_audit_entry_t entry;
    apr_status_t rv = a->force ? cat_names_forget(a->db, a->pool, record[CAT_USER_USERNAME]) : APR_SUCCESS;

    if (rv == APR_SUCCESS) {
        rv = cat_accounts_add(a->db, a->pool, record, password_hash, mail, a->now);
    }
    a->outcome = CAT_ADMINISTRATION_DONE;
    cat_audit_begin(&entry, a->pool, CAT_AUDIT_USER_CREATE, id, record[CAT_USER_USERNAME]);
    cat_audit_add_change(&entry, &cat_user_view_fields[CAT_USER_VIEW_EMAIL], NULL, record[CAT_USER_EMAIL]);
    if (rv == APR_SUCCESS && change->role) {
        cat_audit_add_change(&entry, &cat_user_view_fields[CAT_USER_VIEW_ROLE], NULL, change->role);
        rv = cat_db_exec(a->db, SQL_USER_SET_ROLE, CAT_VALUES(change->role, id), NULL);
    }
    /* The mailer will drop the confirmation mail if the address is confirmed. */
    if (rv == APR_SUCCESS && change->verified) {
        cat_audit_add_change(&entry, &cat_user_view_fields[CAT_USER_VIEW_VERIFIED], NULL, change->verified);
        rv = cat_db_exec(a->db, SQL_USER_SET_CONFIRMED, CAT_VALUES(time_of(a, change->verified), id), NULL);
    }
    return rv == APR_SUCCESS ? store_entry(a, &entry) : rv;
}
