/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_SESSIONS_H
#define CAT_API_SESSIONS_H

#include "http/route.h"

/* Handle POST /auth/login, /auth/refresh and /auth/logout, GET /auth/sessions, and DELETE /auth/sessions/:id. */
cat_handler_t cat_sessions_login, cat_sessions_renew, cat_sessions_logout, cat_sessions_list, cat_sessions_remove;

extern const cat_description_t cat_sessions_about_login, cat_sessions_about_renew, cat_sessions_about_logout,
    cat_sessions_about_list, cat_sessions_about_remove;

/* A request to sign in. */
typedef struct cat_sign_in_t {
    const char *login, *password;
    int cookie;          /* True if the response sets the refresh token as a cookie. */
    int tells_role;      /* True if the response describes the user as in GET /auth/me, see cat_token_response_t. */
    const char *message; /* Message of the response if it succeeds. */
} cat_sign_in_t;

/* Signs in and returns the same responses as POST /auth/login. The caller has checked the body. */
cat_answer_t *cat_sessions_sign_in(cat_request_t *q, const cat_sign_in_t *in);

#endif
