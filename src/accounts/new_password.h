/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_NEW_PASSWORD_H
#define CAT_ACCOUNTS_NEW_PASSWORD_H

#include "accounts/accounts.h"
#include "accounts/context.h"
#include "accounts/login.h"

/*
 * Sets a new password: cat_new_password_reset for the holder of a mailed link, cat_new_password_change for a user who
 * knows the current password. Both also end the user's other sessions, withdraw the mailed links to reset the password,
 * to accept an invitation and to confirm a new address, lift the delay after wrong passwords, write to the audit table,
 * and queue a mail that notifies the user. They hold no connection while they hash, and store everything in one
 * transaction.
 */

/* Finds the account of a link's token without using the token, so that the caller can check the new password before it
 * is hashed. Sets *owner to NULL if the token is unknown, used, withdrawn or expired. Releases the connection. */
apr_status_t cat_new_password_find(const cat_account_context_t *c, const char *token, cat_account_t **owner);

/* Sets the password of the account that the token was mailed to. Ends all its sessions and API keys. Also confirms the
 * address, because the user has read the mail. Sets *is_set to false, and changes nothing, if the token is no longer
 * valid or the account has been deleted. */
apr_status_t cat_new_password_reset(const cat_account_context_t *c, const char *token, const char *password,
                                    int *is_set);

/* Sets the password if `current` is the user's current password, and sets result->outcome and result->wait like
 * cat_login_prove. Wrong passwords are throttled as at sign-in. Ends all sessions of the user except `session`, which
 * may be NULL, and the user's API keys if `end_keys` is true. Returns APR_NOTFOUND if the account does not exist. */
apr_status_t cat_new_password_change(const cat_account_context_t *c, const char *user_id, const char *session,
                                     const char *current, const char *password, int end_keys, cat_login_t *result);

#endif
