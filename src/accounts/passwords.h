/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_PASSWORDS_H
#define CAT_ACCOUNTS_PASSWORDS_H

#include "accounts/accounts.h"
#include "accounts/context.h"
#include "lib/fields.h"

/* Hashing within CatalogHashConcurrency. The caller must hold no connection, because these functions wait and then
 * take 20 ms of CPU or more. CAT_EBUSY: too many passwords are being hashed; the cause is logged, as any other fault
 * is. */

/* *hash is on the pool. */
apr_status_t cat_passwords_hash(const cat_account_context_t *c, const char *password, const char **hash);

/* Sets *match to whether the password is the user's. user NULL: it never is, after the same time. */
apr_status_t cat_passwords_match(const cat_account_context_t *c, const char *password, const cat_account_t *user,
                                 int *match);

/* The hash to store for a password that has matched: a new one if the account's was made with other parameters, and the
 * account's own if a new one cannot be made now. */
const char *cat_passwords_renew(const cat_account_context_t *c, const char *password, const cat_account_t *user);

/* Adds an error to input if the password is in CatalogPasswordBlocklist. password may be NULL. */
void cat_passwords_check(const cat_account_context_t *c, cat_input_t *input, const char *field, const char *password);

/* What is wrong with a password that is its user's name or address, which are ASCII, whatever the case; NULL: it is
 * neither. Check: adds that as an error to input; of owner only the name and the address are read. */
const char *cat_passwords_refuse_personal(const char *password, const char *username, const char *email);
void cat_passwords_check_personal(const cat_account_context_t *c, cat_input_t *input, const char *field,
                                  const char *password, const cat_account_t *owner);

#endif
