/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_TOKEN_RESPONSE_H
#define CAT_API_TOKEN_RESPONSE_H

#include "http/answer.h"
#include "http/request.h"
#include "jose/token.h"
#include "lib/conf.h"

/* What a client gets after registering, signing in or refreshing. */
typedef struct cat_token_response_t {
    const char *const *user; /* a record by cat_user_fields */
    const char *role;
    int verified; /* flag: the user has confirmed the address */
    const char *session_id;
    const char *refresh_token;
    int cookie; /* flag: the refresh token goes into a cookie that scripts cannot read, instead of the body */
} cat_token_response_t;

/* The words of CatalogCookieSameSite, in their order. */
typedef enum { CAT_SAME_SITE_STRICT, CAT_SAME_SITE_LAX, CAT_SAME_SITE_NONE } cat_same_site_t;

#define CAT_TOKEN_RESPONSE_COOKIE "catalog_refresh"

/* The answer with the tokens, Cache-Control: no-store. If no access token can be made, a 500; the cause is logged. */
cat_answer_t *cat_token_response_answer(cat_request_t *q, int status, const char *message,
                                        const cat_token_response_t *tokens);

/* Deletes the cookie. */
void cat_token_response_drop_cookie(cat_request_t *q, cat_answer_t *answer);

/* The body of cat_token_response_answer. */
extern const cat_shape_t cat_token_response_shape;

#endif
