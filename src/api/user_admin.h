/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_USER_ADMIN_H
#define CAT_API_USER_ADMIN_H

#include "http/route.h"

/* Handle GET /users, POST /users/invite, GET, PATCH and DELETE /users/:id, POST /users/:id/unlock, and DELETE
 * /users/:id/sessions, for administrators. */
cat_handler_t cat_user_admin_list, cat_user_admin_get, cat_user_admin_update, cat_user_admin_remove,
    cat_user_admin_unlock, cat_user_admin_revoke, cat_user_admin_invite;
extern const cat_description_t cat_user_admin_about_list, cat_user_admin_about_get, cat_user_admin_about_update,
    cat_user_admin_about_remove, cat_user_admin_about_unlock, cat_user_admin_about_revoke, cat_user_admin_about_invite;

#endif
