/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/user.h"

#include <string.h>

#include "accounts/role.h"
#include "mail/email.h"

const char *cat_user_refuse_name(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return text[strspn(text, allowed)] ? "must consist of letters, digits, '.', '_' and '-'" : NULL;
}

const char *cat_user_refuse_email(const char *text)
{
    return cat_email_check(text) ? NULL : "must be an e-mail address";
}

static const char *refuse_role(const char *text)
{
    cat_role_t role;
    return cat_role_parse(text, &role) ? NULL : "must be " CAT_ROLE_NAMES_TEXT;
}

/* clang-format off */
const cat_field_t cat_user_fields[CAT_USER_SESSION_FIELDS] = {
    /*                        name         kind         flags                      least most           absent refuse */
    [CAT_USER_ID] =         {"id",        CAT_STRING,  CAT_SERVER,                0,    0,             NULL,  NULL},
    [CAT_USER_USERNAME] =   {"username",  CAT_STRING,  CAT_REQUIRED,              3,    64,            NULL,  cat_user_refuse_name},
    [CAT_USER_EMAIL] =      {"email",     CAT_STRING,  CAT_REQUIRED,              1,    CAT_EMAIL_MAX, NULL,  cat_user_refuse_email},
    [CAT_USER_PASSWORD] =   {"password",  CAT_STRING,  CAT_REQUIRED | CAT_SECRET, 8,    256,           NULL,  NULL},
    [CAT_USER_CREATED_AT] = {"createdAt", CAT_TIME,    CAT_SERVER,                0,    0,             NULL,  NULL},
    [CAT_USER_COOKIE] =     {"cookie",    CAT_BOOLEAN, 0,                         0,    0,             "0",   NULL},
};

const cat_field_t cat_user_view_fields[CAT_USER_VIEW_FIELDS] = {
    [CAT_USER_VIEW_ID] =         {"id",            CAT_STRING,  CAT_SERVER, 0, 0,  NULL, NULL},
    [CAT_USER_VIEW_USERNAME] =   {"username",      CAT_STRING,  CAT_SERVER, 0, 0,  NULL, NULL},
    [CAT_USER_VIEW_EMAIL] =      {"email",         CAT_STRING,  CAT_SERVER, 0, 0,  NULL, NULL},
    [CAT_USER_VIEW_VERIFIED] =   {"emailVerified", CAT_BOOLEAN, 0,          0, 0,  NULL, NULL},
    [CAT_USER_VIEW_ROLE] =       {"role",          CAT_STRING,  0,          1, 16, NULL, refuse_role},
    [CAT_USER_VIEW_LOCKED] =     {"locked",        CAT_BOOLEAN, 0,          0, 0,  NULL, NULL},
    [CAT_USER_VIEW_CREATED_AT] = {"createdAt",     CAT_TIME,    CAT_SERVER, 0, 0,  NULL, NULL},
};
/* clang-format on */
