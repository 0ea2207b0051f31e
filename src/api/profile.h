/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PROFILE_H
#define CAT_API_PROFILE_H

#include "http/route.h"

/* Handle GET, PATCH and DELETE /auth/me, and POST /auth/email/change, for the signed-in user's own account. */
cat_handler_t cat_profile_get, cat_profile_update, cat_profile_remove, cat_profile_change_email;
extern const cat_description_t cat_profile_about_get, cat_profile_about_update, cat_profile_about_remove,
    cat_profile_about_change_email;

#endif
