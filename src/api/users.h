/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_USERS_H
#define CAT_API_USERS_H

#include "http/route.h"

/* Handle POST /register, which creates an account and signs in, and POST /users, which only creates an account. */
cat_handler_t cat_users_register, cat_users_create;
extern const cat_description_t cat_users_about_register, cat_users_about_create;

#endif
