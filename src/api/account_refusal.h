/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_ACCOUNT_REFUSAL_H
#define CAT_API_ACCOUNT_REFUSAL_H

#include "accounts/login.h"
#include "http/answer.h"
#include "http/request.h"
#include "lib/fields.h"

/* Refusals that the routes of a user's own account share. */

/* Returns the 401 response to a valid token whose account has been deleted. */
cat_answer_t *cat_account_refusal_gone(cat_request_t *q);

/* Returns the response to a request whose password was compared, or NULL if it was right. `rv` and `result` come from
 * the function of accounts/ that compared the password. If the password was wrong, adds an error for the body's field
 * `field` to `input`. */
cat_answer_t *cat_account_refusal_password(cat_request_t *q, apr_status_t rv, const cat_login_t *result,
                                           cat_input_t *input, const char *field);

/* Adds an error for the field username to `input` if CatalogReservedNames has the name. */
void cat_account_refusal_check_name(cat_request_t *q, cat_input_t *input, const char *username);

#endif
