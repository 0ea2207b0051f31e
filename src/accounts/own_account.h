/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_OWN_ACCOUNT_H
#define CAT_ACCOUNTS_OWN_ACCOUNT_H

#include "accounts/accounts.h"
#include "accounts/context.h"
#include "accounts/login.h"

/*
 * Changes that users make to their own accounts, except new passwords (accounts/new_password.h). Renaming and deletion
 * are recorded in the audit table at once, a new address when the user confirms it. The functions return APR_NOTFOUND
 * if the account has been deleted.
 *
 * A function with a password compares it like cat_login_run, with the throttle of the user's id, and sets
 * result->outcome and result->wait. It changes nothing unless the outcome is CAT_LOGIN_OK.
 */

/* Renames the user and queues a mail that notifies the user. Sets *account to the renamed account. Ends the access
 * tokens, which contain the old name; refresh tokens stay valid. Returns APR_EEXIST if another account has the name or
 * gave it up (accounts/names.h), and APR_NOTFOUND also if the account is locked. */
apr_status_t cat_own_account_rename(const cat_account_context_t *c, const char *user_id, const char *username,
                                    cat_account_t **account);

/* Queues a mail to the new address with a link that changes the address (accounts/confirmation.h), and a notice to the
 * present address if that is confirmed. Withdraws links that were mailed to other new addresses. Does not check whether
 * another account has the address; the mailer does. */
apr_status_t cat_own_account_change_email(const cat_account_context_t *c, const char *user_id, const char *email,
                                          const char *password, cat_login_t *result);

/* Deletes the account with its sessions, API keys, links and mails. Sets *is_last to true, and deletes nothing, if no
 * other administrator would be left. */
apr_status_t cat_own_account_delete(const cat_account_context_t *c, const char *user_id, const char *password,
                                    cat_login_t *result, int *is_last);

#endif
