/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/routes.h"

#include "api/categories.h"
#include "api/confirm.h"
#include "api/health.h"
#include "api/keys.h"
#include "api/listing.h"
#include "api/password.h"
#include "api/product_batch.h"
#include "api/products.h"
#include "api/sessions.h"
#include "api/transfer.h"
#include "api/users.h"
#include "http/rate_limit.h"

/* THE ROUTE TABLE. A path that is not here is a 404, a method that is not here a 405. HEAD works like GET, OPTIONS everywhere. */
/* clang-format off */
const cat_route_t cat_routes[] = {
    /* method    path                     function                who may     body          counted as */
    { "GET",    "/products",             cat_listing_get,        CAT_ANYONE, CAT_QUERY,    CAT_RATE_NONE },
    { "POST",   "/products",             cat_products_create,    CAT_WRITER, CAT_JSON,     CAT_RATE_NONE },
    { "GET",    "/products/export",      cat_transfer_export,    CAT_ANYONE, CAT_QUERY,    CAT_RATE_NONE },
    { "POST",   "/products/batch",       cat_product_batch_run,  CAT_WRITER, CAT_BATCH,    CAT_RATE_NONE },
    { "GET",    "/products/:id",         cat_products_get,       CAT_ANYONE, CAT_QUERY,    CAT_RATE_NONE },
    { "PUT",    "/products/:id",         cat_products_update,    CAT_WRITER, CAT_JSON,     CAT_RATE_NONE },
    { "PATCH",  "/products/:id",         cat_products_patch,     CAT_WRITER, CAT_PATCH,    CAT_RATE_NONE },
    { "DELETE", "/products/:id",         cat_products_remove,    CAT_WRITER, CAT_NO_BODY,  CAT_RATE_NONE },
    { "GET",    "/categories",           cat_categories_get,     CAT_ANYONE, CAT_QUERY,    CAT_RATE_NONE },
    { "POST",   "/register",             cat_users_register,     CAT_ANYONE, CAT_JSON,     CAT_RATE_REGISTER },
    { "POST",   "/users",                cat_users_create,       CAT_ANYONE, CAT_JSON,     CAT_RATE_REGISTER },
    { "POST",   "/auth/login",           cat_sessions_login,     CAT_ANYONE, CAT_JSON,     CAT_RATE_LOGIN },
    { "POST",   "/auth/refresh",         cat_sessions_renew,     CAT_ANYONE, CAT_MAY_JSON, CAT_RATE_NONE },
    { "POST",   "/auth/logout",          cat_sessions_logout,    CAT_HOLDER, CAT_MAY_JSON, CAT_RATE_NONE },
    { "GET",    "/auth/me",              cat_sessions_me,        CAT_USER,   CAT_NO_BODY,  CAT_RATE_NONE },
    { "GET",    "/auth/sessions",        cat_sessions_list,      CAT_USER,   CAT_NO_BODY,  CAT_RATE_NONE },
    { "DELETE", "/auth/sessions/:id",    cat_sessions_remove,    CAT_USER,   CAT_NO_BODY,  CAT_RATE_NONE },
    { "GET",    "/auth/confirm",         cat_confirm_look,       CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE },
    { "POST",   "/auth/confirm",         cat_confirm_confirm,    CAT_ANYONE, CAT_JSON,     CAT_RATE_NONE },
    { "POST",   "/auth/confirm/resend",  cat_confirm_resend,     CAT_ANYONE, CAT_JSON,     CAT_RATE_MAIL },
    { "POST",   "/auth/password/forgot", cat_password_forgot,    CAT_ANYONE, CAT_JSON,     CAT_RATE_MAIL },
    { "POST",   "/auth/password/reset",  cat_password_reset,     CAT_ANYONE, CAT_JSON,     CAT_RATE_LOGIN },
    { "POST",   "/auth/password/change", cat_password_change,    CAT_USER,   CAT_JSON,     CAT_RATE_LOGIN },
    { "GET",    "/auth/jwks.json",       cat_keys_jwks,          CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE },
    { "GET",    "/health/live",          cat_health_live,        CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE },
    { "GET",    "/health/ready",         cat_health_ready,       CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE },
    { NULL,     NULL,                    NULL,                   CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE },
};
/* clang-format on */
