/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/user.h"

#include <string.h>

#include "mail/email.h"

static const char *refuse_username(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return text[strspn(text, allowed)] ? "must consist of letters, digits, '.', '_' and '-'" : NULL;
}

static const char *refuse_email(const char *text)
{
    return cat_email_check(text) ? NULL : "must be an e-mail address";
}

/* clang-format off */
const cat_field_t cat_user_fields[CAT_USER_SESSION_FIELDS] = {
    /*                        name         kind         flags                      least most           absent refuse */
    [CAT_USER_ID] =         {"id",        CAT_STRING,  CAT_SERVER,                0,    0,             NULL,  NULL},
    [CAT_USER_USERNAME] =   {"username",  CAT_STRING,  CAT_REQUIRED,              3,    64,            NULL,  refuse_username},
    [CAT_USER_EMAIL] =      {"email",     CAT_STRING,  CAT_REQUIRED,              1,    CAT_EMAIL_MAX, NULL,  refuse_email},
    [CAT_USER_PASSWORD] =   {"password",  CAT_STRING,  CAT_REQUIRED | CAT_SECRET, 8,    256,           NULL,  NULL},
    [CAT_USER_CREATED_AT] = {"createdAt", CAT_TIME,    CAT_SERVER,                0,    0,             NULL,  NULL},
    [CAT_USER_COOKIE] =     {"cookie",    CAT_BOOLEAN, 0,                         0,    0,             "0",   NULL},
};
/* clang-format on */
