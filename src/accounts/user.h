/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_USER_H
#define CAT_ACCOUNTS_USER_H

#include "lib/fields.h"

/* The field table of an account, for every resource that takes or shows one. A resource that also opens a session
 * takes the last row too. */
enum {
    CAT_USER_ID,
    CAT_USER_USERNAME,
    CAT_USER_EMAIL,
    CAT_USER_PASSWORD,
    CAT_USER_CREATED_AT,
    CAT_USER_FIELDS,
    CAT_USER_COOKIE = CAT_USER_FIELDS, /* should the refresh token come as a cookie? */
    CAT_USER_SESSION_FIELDS
};

extern const cat_field_t cat_user_fields[CAT_USER_SESSION_FIELDS];

#endif
