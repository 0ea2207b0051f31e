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
    int tells_role; /* flag: the user is described as in GET /auth/me, which a registration does not */
    int cookie;     /* flag: the refresh token goes into a cookie that scripts cannot read, instead of the body */
} cat_token_response_t;

/* The words of CatalogCookieSameSite, in their order. */
typedef enum { CAT_SAME_SITE_STRICT, CAT_SAME_SITE_LAX, CAT_SAME_SITE_NONE } cat_same_site_t;

/* The answer with the tokens. If no access token can be made, a 500; the cause is logged. */
cat_answer_t *cat_token_response_answer(cat_request_t *q, int status, const char *message,
                                        const cat_token_response_t *tokens);

/* The name of the cookie with the refresh token, on the pool. tls: flag, the request came over TLS; it need not have if the
 * configuration says that clients use TLS. */
const char *cat_token_response_cookie(apr_pool_t *pool, const cat_conf_t *conf, int tls);

/* The refresh token of the cookie, on the pool; NULL: none was sent. *is_repeated: flag, there are two such cookies, so one
 * of them is not ours. */
const char *cat_token_response_read_cookie(const cat_request_t *q, int *is_repeated);

/* Deletes the cookie; and if the request had two, each one of that name, wherever it was set. */
void cat_token_response_drop_cookie(cat_request_t *q, cat_answer_t *answer);

/* The body of cat_token_response_answer; and without tells_role. */
extern const cat_shape_t cat_token_response_shape, cat_token_response_shape_registered;

#endif
