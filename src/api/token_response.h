/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_TOKEN_RESPONSE_H
#define CAT_API_TOKEN_RESPONSE_H

#include "http/answer.h"
#include "http/request.h"
#include "jose/token.h"
#include "lib/conf.h"

/* What a user gets who has registered, signed in or refreshed. */
typedef struct cat_token_response_t {
    const char *const *user; /* a record by cat_user_fields */
    const char *role;
    int verified; /* the e-mail address was confirmed */
    const char *session_id;
    const char *refresh_token;
    int cookie; /* the refresh token goes into a cookie that scripts cannot read, instead of the body */
} cat_token_response_t;

#define CAT_TOKEN_RESPONSE_COOKIE "catalog_refresh"

/* The token body of the contract, with Cache-Control: no-store; a 500, logged, when the access token cannot be made. */
cat_answer_t *cat_token_response_answer(cat_request_t *q, int status, const char *message,
                                        const cat_token_response_t *grant);

/* Takes the cookie away again. */
void cat_token_response_drop_cookie(cat_request_t *q, cat_answer_t *answer);

#endif
