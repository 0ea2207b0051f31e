/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_SESSIONS_H
#define CAT_API_SESSIONS_H

#include "http/route.h"

/* POST /auth/login, /auth/refresh, /auth/logout; GET /auth/sessions, DELETE /auth/sessions/:id */
cat_handler_t cat_sessions_login, cat_sessions_renew, cat_sessions_logout, cat_sessions_list, cat_sessions_remove;

extern const cat_description_t cat_sessions_about_login, cat_sessions_about_renew, cat_sessions_about_logout,
    cat_sessions_about_list, cat_sessions_about_remove;

/* How to sign in. */
typedef struct cat_sign_in_t {
    const char *login, *password;
    int cookie;          /* flag: the refresh token goes into a cookie */
    int tells_role;      /* flag: see cat_token_response_t */
    const char *message; /* of success */
} cat_sign_in_t;

/* Signs in as POST /auth/login does, after its checks of the body: the same answers. */
cat_answer_t *cat_sessions_sign_in(cat_request_t *q, const cat_sign_in_t *in);

#endif
