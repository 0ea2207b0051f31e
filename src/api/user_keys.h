/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_USER_KEYS_H
#define CAT_API_USER_KEYS_H

#include "http/route.h"

/* Handle GET and POST /auth/keys, and DELETE /auth/keys/:id: the API keys of the user's programs. */
cat_handler_t cat_user_keys_list, cat_user_keys_create, cat_user_keys_remove;

extern const cat_description_t cat_user_keys_about_list, cat_user_keys_about_create, cat_user_keys_about_remove;

#endif
