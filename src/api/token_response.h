/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_TOKEN_RESPONSE_H
#define CAT_API_TOKEN_RESPONSE_H

#include "http/answer.h"
#include "http/request.h"
#include "jose/token.h"
#include "lib/conf.h"

/* The content of a response to a registration, a sign-in or a refresh. */
typedef struct cat_token_response_t {
    const char *const *user; /* A record of cat_user_fields (accounts/user.h). */
    const char *role;
    int verified; /* True if the user has confirmed the address. */
    const char *session_id;
    const char *refresh_token;
    int tells_role; /* True if the response describes the user as in GET /auth/me. False after a registration. */
    int cookie;     /* True if the refresh token goes into a cookie that scripts cannot read, instead of the body. */
} cat_token_response_t;

/* Values of CatalogCookieSameSite, in their order. */
typedef enum { CAT_SAME_SITE_STRICT, CAT_SAME_SITE_LAX, CAT_SAME_SITE_NONE } cat_same_site_t;

/* Makes an access token and returns the response with both tokens. If no access token can be made, returns a 500 and
 * logs the cause. */
cat_answer_t *cat_token_response_answer(cat_request_t *q, int status, const char *message,
                                        const cat_token_response_t *tokens);

/* Returns the name of the cookie with the refresh token, on the pool. `tls` is true if the request came over TLS. It
 * makes no difference if the configuration says that clients use TLS. */
const char *cat_token_response_cookie(apr_pool_t *pool, const cat_conf_t *conf, int tls);

/* Returns the refresh token from the cookie, on the pool, or NULL if the request has no such cookie. Sets *is_repeated
 * to true if the request has two such cookies: another host may have set one of them. */
const char *cat_token_response_read_cookie(const cat_request_t *q, int *is_repeated);

/* Adds headers to the response that delete the cookie. If the request has two cookies of that name, and the name has no
 * __Host- prefix, deletes the cookies of every path and domain from which the browser can have sent them. */
void cat_token_response_drop_cookie(cat_request_t *q, cat_answer_t *answer);

/* Shapes of the body of cat_token_response_answer: with tells_role, and without it. */
extern const cat_shape_t cat_token_response_shape, cat_token_response_shape_registered;

#endif
