/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_CONFIRMATION_H
#define CAT_ACCOUNTS_CONFIRMATION_H

#include "accounts/context.h"

/* Links by which users prove that a mailbox is theirs: the one of registration, and the one to a new address, which then
 * replaces the account's. */

typedef enum {
    CAT_CONFIRMATION_OK,
    CAT_CONFIRMATION_INVALID, /* the token is unknown, used, void or expired */
    CAT_CONFIRMATION_TAKEN    /* another account has the new address */
} cat_confirmation_t;

/* Looks at a token without using it: CAT_CONFIRMATION_OK or CAT_CONFIRMATION_INVALID. */
apr_status_t cat_confirmation_find(const cat_account_context_t *c, const char *token, cat_confirmation_t *outcome);

/* Uses the token, in a transaction of its own. A new address ends the validity of links that were sent to the old one,
 * and is in the audit table. */
apr_status_t cat_confirmation_use(const cat_account_context_t *c, const char *token, cat_confirmation_t *outcome);

#endif
