/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_PASSWORDS_H
#define CAT_ACCOUNTS_PASSWORDS_H

#include "accounts/accounts.h"
#include "http/request.h"
#include "lib/fields.h"

/* Passwords against the gate that bounds how many are hashed at once. No connection may be held: these take a while. */

/* APR_SUCCESS: *hash is on the pool. CAT_EBUSY: too many at once; both failures are logged. */
apr_status_t cat_passwords_hash(cat_request_t *q, const char *password, const char **hash);

/* Does the password match? user NULL: it never does, and takes as long. */
apr_status_t cat_passwords_match(cat_request_t *q, const char *password, const cat_account_t *user, int *match);

/* The hash to store for a password that has matched: a new one where the account's has other costs or is of another kind,
 * if it can be made now. */
const char *cat_passwords_renew(cat_request_t *q, const char *password, const cat_account_t *user);

/* Adds a fault to input for a password that is on the list of common ones. */
void cat_passwords_check(cat_request_t *q, cat_input_t *input, const char *field, const char *password);

#endif
