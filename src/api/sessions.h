/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_SESSIONS_H
#define CAT_API_SESSIONS_H

#include "http/route.h"

/* POST /auth/login, /auth/refresh, /auth/logout; GET /auth/me; GET /auth/sessions, DELETE /auth/sessions/:id */
cat_handler_t cat_sessions_login, cat_sessions_renew, cat_sessions_logout, cat_sessions_me, cat_sessions_list,
    cat_sessions_remove;

#endif
