/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_NEW_PASSWORD_H
#define CAT_ACCOUNTS_NEW_PASSWORD_H

#include "accounts/accounts.h"
#include "accounts/context.h"
#include "accounts/login.h"

/*
 * A new password for an account: by a link that was mailed, or by the current password. With it the account's other
 * sessions end, links to reset the password stop working, the delay after wrong passwords is lifted, and a mail
 * notifies the user. Both release the connection while they hash, and store everything in one transaction.
 */

/* Finds the account that the token of a link stands for, before a hash is made. *owner NULL: the token is unknown, used,
 * void or expired. */
apr_status_t cat_new_password_find(const cat_account_context_t *c, const char *token, cat_account_t **owner);

/* *is_set 0: the token is not valid any more. The address counts as confirmed, because the user has read the mail. */
apr_status_t cat_new_password_reset(const cat_account_context_t *c, const char *token, const char *password,
                                    int *is_set);

/* Sets the password if `current` is the user's current one; guesses are throttled as at sign-in. Ends all sessions but `session`, or all if that is
 * NULL, and with `end_keys` the user's keys. Returns APR_NOTFOUND if the account is gone. Otherwise result->outcome and result->wait are set. */
apr_status_t cat_new_password_change(const cat_account_context_t *c, const char *user_id, const char *session,
                                     const char *current, const char *password, int end_keys, cat_login_t *result);

#endif
