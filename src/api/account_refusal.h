/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_ACCOUNT_REFUSAL_H
#define CAT_API_ACCOUNT_REFUSAL_H

#include "accounts/login.h"
#include "http/answer.h"
#include "http/request.h"
#include "lib/fields.h"

/* Refusals that the routes of a user's own account share. */

/* The answer to a valid token whose account has been deleted. */
cat_answer_t *cat_account_refusal_gone(cat_request_t *q);

/* The answer to a request that requires the user's password, as the functions of accounts/ that compare it have it: rv
 * and result. NULL: it is the user's. field: of the body, whose error is added to input. */
cat_answer_t *cat_account_refusal_password(cat_request_t *q, apr_status_t rv, const cat_login_t *result,
                                           cat_input_t *input, const char *field);

/* Adds an error to input if the name that a user wants is one of CatalogReservedNames. */
void cat_account_refusal_check_name(cat_request_t *q, cat_input_t *input, const char *username);

#endif
