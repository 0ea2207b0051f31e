/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_GRANT_H
#define CAT_LIB_GRANT_H

#include "catalog.h"

/* What a user gets who has registered, signed in or refreshed. */
typedef struct cat_grant_t {
    const char *const *user; /* a record by cat_user_fields */
    const char *role;
    int verified; /* the e-mail address was confirmed */
    const char *session_id;
    const char *refresh_token;
    int cookie; /* the refresh token goes into a cookie that scripts cannot read, instead of the body */
} cat_grant_t;

#define CAT_GRANT_COOKIE "catalog_refresh"

/* The token body of the contract, with Cache-Control: no-store; a 500, logged, when the access token cannot be made. */
cat_answer_t *cat_grant_answer(cat_request_t *q, int status, const char *message, const cat_grant_t *grant);

/* 401 with the challenge of RFC 6750; invalid_token: what was sent is no good, or not any more. */
cat_answer_t *cat_grant_refuse(cat_request_t *q, cat_problem_t problem, const char *error, int invalid_token);

/* Takes the cookie away again. */
void cat_grant_drop_cookie(cat_request_t *q, cat_answer_t *answer);

#endif
