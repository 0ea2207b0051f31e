/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/confirmation.h"

#include "accounts/accounts.h"
#include "accounts/audit.h"
#include "accounts/mail_tokens.h"
#include "accounts/outbox.h"
#include "accounts/user.h"
#include "lib/time.h"
#include "mail/email.h"

static const char *const purposes[] = {CAT_MAIL_CONFIRM, CAT_MAIL_NEW_EMAIL};

#define PURPOSES (sizeof(purposes) / sizeof(purposes[0]))

apr_status_t cat_confirmation_find(const cat_account_context_t *c, const char *token, cat_confirmation_t *outcome)
{
    cat_mail_link_t link = {NULL, NULL};
    apr_status_t rv = APR_SUCCESS;

    for (size_t i = 0; i < PURPOSES && rv == APR_SUCCESS && !link.user_id; i++) {
        rv = cat_mail_tokens_find(c->db, c->pool, purposes[i], token, c->now, &link);
    }
    *outcome = link.user_id ? CAT_CONFIRMATION_OK : CAT_CONFIRMATION_INVALID;
    return rv;
}

typedef struct confirming_t {
    const cat_account_context_t *c;
    const char *token;
    cat_mail_link_t link;
} confirming_t;

static apr_status_t store_entry(const cat_account_context_t *c, const cat_account_t *account, const char *email)
{
    cat_audit_entry_t entry;

    cat_audit_begin(&entry, c->pool, CAT_AUDIT_USER_UPDATE, account->id, account->username);
    cat_audit_add_change(&entry, &cat_user_view_fields[CAT_USER_VIEW_EMAIL], account->email, email);
    return cat_audit_store_own(&entry, c);
}

/* Withdraws all links, because links mailed to the old address must not open the account any more. Does so before the
 * address changes, because some queued mails refer to the user by the old address. */
static apr_status_t replace_address(const confirming_t *f, const char *time)
{
    const cat_account_context_t *c = f->c;
    const char *user_id = f->link.user_id, *email = f->link.email;
    cat_account_t *account;
    apr_status_t rv = cat_accounts_read(c->db, c->pool, user_id, &account);

    if (rv == APR_SUCCESS) {
        rv = cat_mail_tokens_withdraw_all(c->db, user_id);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(c->db, SQL_USER_SET_EMAIL, CAT_VALUES(email, cat_email_fold(c->pool, email), time, user_id),
                         NULL);
    }
    return rv == APR_SUCCESS ? store_entry(c, account, email) : rv;
}

static apr_status_t use_token(void *baton)
{
    confirming_t *f = baton;
    const cat_account_context_t *c = f->c;
    const char *time = cat_time_store(c->pool, c->now);
    apr_status_t rv = cat_mail_tokens_use(c->db, c->pool, CAT_MAIL_CONFIRM, f->token, c->now, &f->link);

    if (rv != APR_SUCCESS || f->link.user_id) {
        return rv == APR_SUCCESS ? cat_db_exec(c->db, SQL_USER_CONFIRM, CAT_VALUES(time, f->link.user_id), NULL) : rv;
    }
    rv = cat_mail_tokens_use(c->db, c->pool, CAT_MAIL_NEW_EMAIL, f->token, c->now, &f->link);
    return rv == APR_SUCCESS && f->link.user_id ? replace_address(f, time) : rv;
}

apr_status_t cat_confirmation_use(const cat_account_context_t *c, const char *token, cat_confirmation_t *outcome)
{
    confirming_t f = {.c = c, .token = token};
    apr_status_t rv = cat_db_transact(c->db, use_token, &f);

    if (rv == APR_EEXIST) {
        *outcome = CAT_CONFIRMATION_TAKEN;
        return APR_SUCCESS;
    }
    *outcome = f.link.user_id ? CAT_CONFIRMATION_OK : CAT_CONFIRMATION_INVALID;
    return rv;
}
