/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PASSWORD_H
#define CAT_API_PASSWORD_H

#include "http/route.h"

/* Handle POST /auth/password/forgot, GET and POST /auth/password/reset, and POST /auth/password/change. */
cat_handler_t cat_password_forgot, cat_password_check, cat_password_reset, cat_password_change;
extern const cat_description_t cat_password_about_forgot, cat_password_about_check, cat_password_about_reset,
    cat_password_about_change;

#endif
