/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_USERS_H
#define CAT_API_USERS_H

#include "http/route.h"

/* POST /register and POST /users: one service, two shapes of answer. */
cat_handler_t cat_users_register, cat_users_create;

#endif
