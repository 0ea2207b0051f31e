/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_PASSWORDS_H
#define CAT_ACCOUNTS_PASSWORDS_H

#include "accounts/accounts.h"
#include "accounts/context.h"
#include "lib/fields.h"

/*
 * Hashes and checks passwords for requests. cat_passwords_hash, cat_passwords_match and cat_passwords_renew wait until
 * CatalogHashConcurrency allows one more hash and then take 20 ms of CPU or more. So the caller must hold no
 * connection. The first two return CAT_EBUSY if too many passwords are being hashed; that and any other failure is
 * logged.
 */

/* Sets *hash to the hash of the password, on the pool of the context. */
apr_status_t cat_passwords_hash(const cat_account_context_t *c, const char *password, const char **hash);

/* Sets *match to true if the password is that of `user`. If `user` is NULL, sets *match to false after the same
 * time. */
apr_status_t cat_passwords_match(const cat_account_context_t *c, const char *password, const cat_account_t *user,
                                 int *match);

/* Returns the hash to store for a password that has matched: a new hash if the stored hash was made with other
 * parameters than the current ones, otherwise the stored hash. Also returns the stored hash if hashing fails. */
const char *cat_passwords_renew(const cat_account_context_t *c, const char *password, const cat_account_t *user);

/* Adds an error for `field` to `input` if the password is in CatalogPasswordBlocklist. `password` may be NULL. */
void cat_passwords_check(const cat_account_context_t *c, cat_input_t *input, const char *field, const char *password);

/* Returns an error text if the password equals the user name or the e-mail address (ASCII case-insensitive), otherwise
 * NULL. The text is a constant. */
const char *cat_passwords_refuse_personal(const char *password, const char *username, const char *email);

/* Adds the error of cat_passwords_refuse_personal, if there is one, to `input`. Reads only the user name and the
 * address of `owner`. */
void cat_passwords_check_personal(const cat_account_context_t *c, cat_input_t *input, const char *field,
                                  const char *password, const cat_account_t *owner);

#endif
