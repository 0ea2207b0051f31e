/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three field tables: for registration, for administrators, and for the user's own account. All of them use the same
 * rules of names, addresses and roles, both to check input and to describe the fields in /openapi.json.
 */
#include "accounts/user.h"

#include <string.h>

#include "accounts/role.h"
#include "lib/id.h"
#include "mail/email.h"

static const char *refuse_name(const cat_text_rule_t *, const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

    if (text[strspn(text, allowed)]) {
        return "must consist of a-z, A-Z, 0-9, '.', '_' and '-'";
    }
    return cat_id_has_form(text) ? "must not have the form of an id" : NULL;
}

static const char *refuse_email(const cat_text_rule_t *, const char *text)
{
    if (cat_email_check(text)) {
        return NULL;
    }
    return cat_email_is_international(text)
               ? "must have its domain in ASCII, such as xn--mnchen-3ya.example for m\xc3\xbcnchen.example"
               : "must be an e-mail address";
}

static const char *refuse_role(const cat_text_rule_t *, const char *text)
{
    cat_role_t role;

    return cat_role_parse(text, &role) ? NULL : "must be " CAT_ROLE_NAMES_TEXT;
}

/* The pattern of addresses is for forms in the browser. The server's own check, cat_email_check, is stricter. */
const cat_text_rule_t cat_user_name_rule = {.refuse = refuse_name, .pattern = "^[A-Za-z0-9._-]*$"},
                      cat_user_email_rule = {.refuse = refuse_email,
                                             .format = "email",
                                             .pattern = "^[^@\\s]+@[^@\\s]+\\.[^@\\s.]{2,}$",
                                             .schema = "Email"},
                      cat_user_role_rule = {.refuse = refuse_role, .words = cat_role_names};

#define PASSWORD_FLAGS (CAT_REQUIRED | CAT_SECRET | CAT_OPAQUE)

/* clang-format off */
const cat_field_t cat_user_fields[CAT_USER_SESSION_FIELDS] = {
    /*                        name         kind         flags                      least most           absent rule */
    [CAT_USER_ID] =         {"id",        CAT_STRING,  CAT_SERVER,                0,    0,             NULL,  &cat_fields_id,
        "The user's id, a UUID of version 7", "01a1fee5-af25-7514-8a69-477230296f5b"},
    [CAT_USER_USERNAME] =   {"username",  CAT_STRING,  CAT_REQUIRED,              3,    64,            NULL,  &cat_user_name_rule,
        "Letters, digits, `.`, `_` and `-`; unique whatever the case", "ada"},
    [CAT_USER_EMAIL] =      {"email",     CAT_STRING,  CAT_REQUIRED,              1,    CAT_EMAIL_MAX, NULL,  &cat_user_email_rule,
        "An e-mail address; unique whatever the case", "ada@example.com"},
    [CAT_USER_PASSWORD] =   {"password",  CAT_STRING,  PASSWORD_FLAGS,            8,    256,           NULL,  NULL,
        "Any characters; stored as a hash, never returned", "correct horse"},
    [CAT_USER_CREATED_AT] = {"createdAt", CAT_TIME,    CAT_SERVER,                0,    0,             NULL,  NULL,
        "When the account was created, in UTC", "2026-11-21T16:17:07.877Z"},
    [CAT_USER_COOKIE] =     {"cookie",    CAT_BOOLEAN, 0,                         0,    0,             "0",   NULL,
        "Send the refresh token as a cookie that scripts cannot read, instead of in the body", "false"},
};

const cat_field_t cat_user_view_fields[CAT_USER_VIEW_FIELDS] = {
    /*                            name             kind         flags      least most absent rule */
    [CAT_USER_VIEW_ID] =         {"id",            CAT_STRING,  CAT_SERVER, 0, 0,  NULL, &cat_fields_id,
        "The user's id, a UUID of version 7", "01a1fee5-af25-7514-8a69-477230296f5b"},
    [CAT_USER_VIEW_USERNAME] =   {"username",      CAT_STRING,  CAT_SERVER, 0, 0,  NULL, &cat_user_name_rule,
        "The user name", "ada"},
    [CAT_USER_VIEW_EMAIL] =      {"email",         CAT_STRING,  CAT_SERVER, 0, 0,  NULL, &cat_user_email_rule,
        "The e-mail address", "ada@example.com"},
    [CAT_USER_VIEW_VERIFIED] =   {"emailVerified", CAT_BOOLEAN, 0,          0, 0,  NULL, NULL,
        "Whether the address is confirmed", "true"},
    [CAT_USER_VIEW_ROLE] =       {"role",          CAT_STRING,  0,          1, 16, NULL, &cat_user_role_rule,
        "The role: `user`, `editor` or `admin`", "editor"},
    [CAT_USER_VIEW_LOCKED] =     {"locked",        CAT_BOOLEAN, 0,          0, 0,  NULL, NULL,
        "Whether the user is locked out: nobody can sign in to the account", "false"},
    [CAT_USER_VIEW_CREATED_AT] = {"createdAt",     CAT_TIME,    CAT_SERVER, 0, 0,  NULL, NULL,
        "When the account was created, in UTC", "2026-11-21T16:17:07.877Z"},
    [CAT_USER_VIEW_SIGNED_IN_AT] = {"lastSignInAt", CAT_TIME,   CAT_SERVER | CAT_OPTIONAL, 0, 0, NULL, NULL,
        "When the user last signed in, in UTC; absent if never", "2026-11-21T16:17:07.877Z"},
};

const cat_field_t cat_user_profile_fields[CAT_USER_PROFILE_FIELDS] = {
    /*                               name             kind         flags       least most absent rule */
    [CAT_USER_PROFILE_ID] =         {"id",            CAT_STRING,  CAT_SERVER, 0,    0,   NULL,  &cat_fields_id,
        "The user's id", "01a1fee5-af25-7514-8a69-477230296f5b"},
    [CAT_USER_PROFILE_USERNAME] =   {"username",      CAT_STRING,  0,          3,    64,  NULL,  &cat_user_name_rule,
        "Letters, digits, `.`, `_` and `-`; unique whatever the case", "ada"},
    [CAT_USER_PROFILE_EMAIL] =      {"email",         CAT_STRING,  CAT_SERVER, 0,    0,   NULL,  &cat_user_email_rule,
        "The e-mail address", "ada@example.com"},
    [CAT_USER_PROFILE_VERIFIED] =   {"emailVerified", CAT_BOOLEAN, CAT_SERVER, 0,    0,   NULL,  NULL,
        "Whether the address is confirmed", "true"},
    [CAT_USER_PROFILE_ROLE] =       {"role",          CAT_STRING,  CAT_SERVER, 0,    0,   NULL,  &cat_user_role_rule,
        "The role: `user`, `editor` or `admin`", "user"},
    [CAT_USER_PROFILE_MAY_WRITE] =  {"mayWrite",      CAT_BOOLEAN, CAT_SERVER, 0,    0,   NULL,  NULL,
        "Whether the user may create, change and delete products", "true"},
    [CAT_USER_PROFILE_CREATED_AT] = {"createdAt",     CAT_TIME,    CAT_SERVER, 0,    0,   NULL,  NULL,
        "When the account was created", "2026-11-21T16:17:07.877Z"},
};
/* clang-format on */

const cat_shape_t cat_user_shape = {
    .kind = CAT_SHAPE_RECORD, .name = "User", .fields = cat_user_fields, .count = CAT_USER_FIELDS};

const cat_shape_t cat_user_profile_shape = {
    .kind = CAT_SHAPE_RECORD, .name = "Account", .fields = cat_user_profile_fields, .count = CAT_USER_PROFILE_FIELDS};

const cat_shape_t cat_user_view_shape = {
    .kind = CAT_SHAPE_RECORD, .name = "ManagedUser", .fields = cat_user_view_fields, .count = CAT_USER_VIEW_FIELDS};
