/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_CONFIRMATION_H
#define CAT_ACCOUNTS_CONFIRMATION_H

#include "accounts/context.h"

/* Links with which users prove that they read a mailbox. A link mailed after registration confirms the address of the
 * account. A link mailed to a new address makes that the address of the account. */

typedef enum {
    CAT_CONFIRMATION_OK,
    CAT_CONFIRMATION_INVALID, /* The token is unknown, used, withdrawn or expired. */
    CAT_CONFIRMATION_TAKEN    /* Another account has the new address. */
} cat_confirmation_t;

/* Checks a token without using it. Sets *outcome to CAT_CONFIRMATION_OK or CAT_CONFIRMATION_INVALID. */
apr_status_t cat_confirmation_find(const cat_account_context_t *c, const char *token, cat_confirmation_t *outcome);

/* Uses the token, in a transaction of its own. If the link changes the address, also withdraws all links mailed to the
 * user before and records the new address in the audit table. */
apr_status_t cat_confirmation_use(const cat_account_context_t *c, const char *token, cat_confirmation_t *outcome);

#endif
