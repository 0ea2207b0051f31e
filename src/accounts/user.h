/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_USER_H
#define CAT_ACCOUNTS_USER_H

#include "http/schema.h"
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

/* The view of an account that administrators have, in the order of USER_VIEW (db/dialects/sql_fragments.h). A client may set
 * emailVerified, role and locked. */
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

/* The view that users have of their own account. A client may set username. */
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

/* What a client reads of an account when it registers; of its own account afterwards; what an administrator reads of one. */
extern const cat_shape_t cat_user_shape, cat_user_profile_shape, cat_user_view_shape;

/* The rules of user names, addresses and roles, for other tables with such a field. No name has the form of an id, so that
 * a text names one user at most. */
extern const cat_text_rule_t cat_user_name_rule, cat_user_email_rule, cat_user_role_rule;

#endif
