/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_OWN_ACCOUNT_H
#define CAT_ACCOUNTS_OWN_ACCOUNT_H

#include "accounts/accounts.h"
#include "accounts/context.h"
#include "accounts/login.h"

/*
 * What users change of their own accounts, besides the password; all of it is in the audit table. APR_NOTFOUND: the
 * account is gone or locked. A password is compared as at sign-in, behind the throttle of the user's id;
 * result->outcome and result->wait are set, and unless it is the user's, nothing else is done.
 */

/* *account: as it is afterwards. APR_EEXIST: another account has the name, or gave it up (accounts/names.h). The user's
 * access tokens, which have the old name, end; refresh tokens stay valid. A mail notifies the user. */
apr_status_t cat_own_account_rename(const cat_account_context_t *c, const char *user_id, const char *username,
                                    cat_account_t **account);

/* Queues a mail to the new address, whose link makes it the account's (accounts/confirmation.h), and a notice to the
 * present address, if that is confirmed. Links to other new addresses stop working. Whether another account has the
 * address is found out when the mail is sent. */
apr_status_t cat_own_account_change_email(const cat_account_context_t *c, const char *user_id, const char *email,
                                          const char *password, cat_login_t *result);

/* Deletes the account, with its sessions, links and mails. *is_last: it was not deleted, because no other administrator
 * would be left. */
apr_status_t cat_own_account_delete(const cat_account_context_t *c, const char *user_id, const char *password,
                                    cat_login_t *result, int *is_last);

#endif
