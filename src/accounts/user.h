/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_USER_H
#define CAT_ACCOUNTS_USER_H

#include "http/schema.h"
#include "lib/fields.h"

/* Fields of an account, as registration takes and returns them. A resource that also opens a session takes
 * CAT_USER_COOKIE as well. */
enum {
    CAT_USER_ID,
    CAT_USER_USERNAME,
    CAT_USER_EMAIL,
    CAT_USER_PASSWORD,
    CAT_USER_CREATED_AT,
    CAT_USER_FIELDS,
    CAT_USER_COOKIE = CAT_USER_FIELDS, /* True if the client wants the refresh token as a cookie. */
    CAT_USER_SESSION_FIELDS
};

extern const cat_field_t cat_user_fields[CAT_USER_SESSION_FIELDS];

/* Fields of an account that an administrator sees, in the order of USER_VIEW (db/dialects/sql_fragments.h). A client
 * may set emailVerified, role and locked. */
enum {
    CAT_USER_VIEW_ID,
    CAT_USER_VIEW_USERNAME,
    CAT_USER_VIEW_EMAIL,
    CAT_USER_VIEW_VERIFIED,
    CAT_USER_VIEW_ROLE,
    CAT_USER_VIEW_LOCKED,
    CAT_USER_VIEW_CREATED_AT,
    CAT_USER_VIEW_SIGNED_IN_AT,
    CAT_USER_VIEW_FIELDS
};

extern const cat_field_t cat_user_view_fields[CAT_USER_VIEW_FIELDS];

/* Fields of the user's own account. A client may set username. */
enum {
    CAT_USER_PROFILE_ID,
    CAT_USER_PROFILE_USERNAME,
    CAT_USER_PROFILE_EMAIL,
    CAT_USER_PROFILE_VERIFIED,
    CAT_USER_PROFILE_ROLE,
    CAT_USER_PROFILE_MAY_WRITE,
    CAT_USER_PROFILE_CREATED_AT,
    CAT_USER_PROFILE_FIELDS
};

extern const cat_field_t cat_user_profile_fields[CAT_USER_PROFILE_FIELDS];

/* Shapes of an account in responses: to its registration, to its own user, and to an administrator. */
extern const cat_shape_t cat_user_shape, cat_user_profile_shape, cat_user_view_shape;

/* Rules of user names, e-mail addresses and roles, also for other field tables. A name must not have the form of an id,
 * so a text that may be a name or an id matches at most one user. */
extern const cat_text_rule_t cat_user_name_rule, cat_user_email_rule, cat_user_role_rule;

#endif
