/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The routes of the API, one row each. Everything around a handler derives from its row: who may call it, how the body
 * is read, which rate limit counts, whether Idempotency-Key repeats the answer, 405, Allow, OPTIONS, CORS, the labels
 * of metrics, and /openapi.json.
 */
#include "httpd/routes.h"

#include "api/audit_log.h"
#include "api/change_batches.h"
#include "api/changes.h"
#include "api/confirm.h"
#include "api/entry.h"
#include "api/field_table.h"
#include "api/field_values.h"
#include "api/health.h"
#include "api/idempotency.h"
#include "api/images.h"
#include "api/keys.h"
#include "api/listing.h"
#include "api/mails.h"
#include "api/openapi.h"
#include "api/password.h"
#include "api/product_batch.h"
#include "api/problems.h"
#include "api/product_bulk.h"
#include "api/products.h"
#include "api/profile.h"
#include "api/sessions.h"
#include "api/suggest.h"
#include "api/transfer.h"
#include "api/user_admin.h"
#include "api/user_keys.h"
#include "api/users.h"
#include "api/webhooks.h"
#include "http/rate_limit.h"

/* THE ROUTE TABLE. A path that is not here is a 404, a method that is not here is a 405. HEAD works like GET. OPTIONS
 * works on all paths. */
/* clang-format off */
const cat_route_t cat_routes[] = {
    /* method    path                     function                who may     body          counted as         Idempotency-Key      described by */
    { "GET",    "/products",             cat_listing_get,        CAT_READER, CAT_QUERY,    CAT_RATE_NONE,     NULL,                &cat_listing_about },
    { "POST",   "/products",             cat_products_create,    CAT_WRITER, CAT_JSON,     CAT_RATE_NONE,     cat_idempotency_run, &cat_products_about_create },
    { "GET",    "/products/export",      cat_transfer_export,    CAT_READER, CAT_QUERY,    CAT_RATE_NONE,     NULL,                &cat_transfer_about_export },
    { "GET",    "/products/suggest",     cat_suggest_get,        CAT_READER, CAT_QUERY,    CAT_RATE_NONE,     NULL,                &cat_suggest_about },
    { "POST",   "/products/batch",       cat_product_batch_run,  CAT_WRITER, CAT_BATCH,    CAT_RATE_NONE,     cat_idempotency_run, &cat_product_batch_about },
    { "GET",    "/products/batch/:id",   cat_product_bulk_get,   CAT_WRITER, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_product_bulk_about_get },
    { "DELETE", "/products/batch/:id",   cat_product_bulk_stop,  CAT_WRITER, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_product_bulk_about_stop },
    { "GET",    "/changes/batches",      cat_change_batches_list, CAT_WRITER, CAT_QUERY,   CAT_RATE_NONE,     NULL,                &cat_change_batches_about_list },
    { "POST",   "/changes/batches/:batch/undo", cat_change_batches_undo, CAT_WRITER, CAT_NO_BODY, CAT_RATE_NONE, NULL,             &cat_change_batches_about_undo },
    { "POST",   "/products/import",      cat_transfer_import,    CAT_WRITER, CAT_UPLOAD,   CAT_RATE_NONE,     cat_idempotency_run, &cat_transfer_about_import },
    { "GET",    "/products/:id",         cat_products_get,       CAT_READER, CAT_QUERY,    CAT_RATE_NONE,     NULL,                &cat_products_about_get },
    { "PUT",    "/products/:id",         cat_products_update,    CAT_WRITER, CAT_JSON,     CAT_RATE_NONE,     NULL,                &cat_products_about_update },
    { "PATCH",  "/products/:id",         cat_products_patch,     CAT_WRITER, CAT_PATCH,    CAT_RATE_NONE,     NULL,                &cat_products_about_patch },
    { "DELETE", "/products/:id",         cat_products_remove,    CAT_WRITER, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_products_about_remove },
    { "POST",   "/products/:id/images",  cat_images_create,      CAT_WRITER, CAT_PICTURE,  CAT_RATE_NONE,     cat_idempotency_run, &cat_images_about_create },
    { "DELETE", "/products/:id/images/:image", cat_images_remove, CAT_WRITER, CAT_NO_BODY, CAT_RATE_NONE,     NULL,                &cat_images_about_remove },
    { "GET",    "/products/:id/history", cat_changes_history,    CAT_WRITER, CAT_QUERY,    CAT_RATE_NONE,     NULL,                &cat_changes_about_history },
    { "POST",   "/products/:id/restore", cat_changes_restore,    CAT_WRITER, CAT_JSON,     CAT_RATE_NONE,     NULL,                &cat_changes_about_restore },
    { "GET",    "/changes",              cat_changes_list,       CAT_WRITER, CAT_QUERY,    CAT_RATE_NONE,     NULL,                &cat_changes_about_list },
    { "GET",    "/images/:name",         cat_images_get,         CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_images_about_get },
    { "GET",    "/categories",           cat_field_values_categories, CAT_READER, CAT_QUERY, CAT_RATE_NONE,  NULL,                &cat_field_values_about_categories },
    { "GET",    "/fields",               cat_field_table_get,    CAT_READER, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_field_table_about },
    { "GET",    "/fields/:name/values",  cat_field_values_get,   CAT_READER, CAT_QUERY,    CAT_RATE_NONE,     NULL,                &cat_field_values_about },
    { "POST",   "/register",             cat_users_register,     CAT_ANYONE, CAT_JSON,     CAT_RATE_REGISTER, cat_idempotency_run, &cat_users_about_register },
    { "POST",   "/users",                cat_users_create,       CAT_ANYONE, CAT_JSON,     CAT_RATE_REGISTER, cat_idempotency_run, &cat_users_about_create },
    { "GET",    "/users",                cat_user_admin_list,    CAT_ADMIN,  CAT_QUERY,    CAT_RATE_NONE,     NULL,                &cat_user_admin_about_list },
    { "GET",    "/users/:id",            cat_user_admin_get,     CAT_ADMIN,  CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_user_admin_about_get },
    { "PATCH",  "/users/:id",            cat_user_admin_update,  CAT_ADMIN,  CAT_PATCH,    CAT_RATE_NONE,     NULL,                &cat_user_admin_about_update },
    { "DELETE", "/users/:id",            cat_user_admin_remove,  CAT_ADMIN,  CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_user_admin_about_remove },
    { "POST",   "/users/invite",         cat_user_admin_invite,  CAT_ADMIN,  CAT_JSON,     CAT_RATE_NONE,     NULL,                &cat_user_admin_about_invite },
    { "POST",   "/users/:id/unlock",     cat_user_admin_unlock,  CAT_ADMIN,  CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_user_admin_about_unlock },
    { "DELETE", "/users/:id/sessions",   cat_user_admin_revoke,  CAT_ADMIN,  CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_user_admin_about_revoke },
    { "GET",    "/audit",                cat_audit_log_list,     CAT_ADMIN,  CAT_QUERY,    CAT_RATE_NONE,     NULL,                &cat_audit_log_about },
    { "GET",    "/mails",                cat_mails_list,         CAT_ADMIN,  CAT_QUERY,    CAT_RATE_NONE,     NULL,                &cat_mails_about_list },
    { "POST",   "/mails/retry",          cat_mails_retry_all,    CAT_ADMIN,  CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_mails_about_retry_all },
    { "POST",   "/mails/test",           cat_mails_test,         CAT_ADMIN,  CAT_NO_BODY,  CAT_RATE_MAIL,     NULL,                &cat_mails_about_test },
    { "POST",   "/mails/:id/retry",      cat_mails_retry,        CAT_ADMIN,  CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_mails_about_retry },
    { "GET",    "/webhooks",             cat_webhooks_list,      CAT_ADMIN,  CAT_QUERY,    CAT_RATE_NONE,     NULL,                &cat_webhooks_about_list },
    { "POST",   "/auth/login",           cat_sessions_login,     CAT_ANYONE, CAT_JSON,     CAT_RATE_LOGIN,    NULL,                &cat_sessions_about_login },
    { "POST",   "/auth/refresh",         cat_sessions_renew,     CAT_ANYONE, CAT_MAY_JSON, CAT_RATE_NONE,     NULL,                &cat_sessions_about_renew },
    { "POST",   "/auth/logout",          cat_sessions_logout,    CAT_HOLDER, CAT_MAY_JSON, CAT_RATE_NONE,     NULL,                &cat_sessions_about_logout },
    { "GET",    "/auth/me",              cat_profile_get,        CAT_USER,   CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_profile_about_get },
    { "PATCH",  "/auth/me",              cat_profile_update,     CAT_USER,   CAT_PATCH,    CAT_RATE_REGISTER, NULL,                &cat_profile_about_update },
    { "DELETE", "/auth/me",              cat_profile_remove,     CAT_USER,   CAT_JSON,     CAT_RATE_LOGIN,    NULL,                &cat_profile_about_remove },
    { "POST",   "/auth/email/change",    cat_profile_change_email, CAT_USER, CAT_JSON,     CAT_RATE_MAIL,     NULL,                &cat_profile_about_change_email },
    { "GET",    "/auth/sessions",        cat_sessions_list,      CAT_USER,   CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_sessions_about_list },
    { "DELETE", "/auth/sessions/:id",    cat_sessions_remove,    CAT_USER,   CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_sessions_about_remove },
    { "GET",    "/auth/keys",            cat_user_keys_list,     CAT_USER,   CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_user_keys_about_list },
    { "POST",   "/auth/keys",            cat_user_keys_create,   CAT_USER,   CAT_JSON,     CAT_RATE_REGISTER, NULL,                &cat_user_keys_about_create },
    { "DELETE", "/auth/keys/:id",        cat_user_keys_remove,   CAT_USER,   CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_user_keys_about_remove },
    { "GET",    "/auth/confirm",         cat_confirm_check,      CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_confirm_about_check },
    { "POST",   "/auth/confirm",         cat_confirm_confirm,    CAT_ANYONE, CAT_JSON,     CAT_RATE_NONE,     NULL,                &cat_confirm_about_confirm },
    { "POST",   "/auth/confirm/resend",  cat_confirm_resend,     CAT_ANYONE, CAT_JSON,     CAT_RATE_MAIL,     NULL,                &cat_confirm_about_resend },
    { "POST",   "/auth/password/forgot", cat_password_forgot,    CAT_ANYONE, CAT_JSON,     CAT_RATE_MAIL,     NULL,                &cat_password_about_forgot },
    { "GET",    "/auth/password/reset",  cat_password_check,     CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_password_about_check },
    { "POST",   "/auth/password/reset",  cat_password_reset,     CAT_ANYONE, CAT_JSON,     CAT_RATE_LOGIN,    NULL,                &cat_password_about_reset },
    { "POST",   "/auth/password/change", cat_password_change,    CAT_USER,   CAT_JSON,     CAT_RATE_LOGIN,    NULL,                &cat_password_about_change },
    { "GET",    "/auth/jwks.json",       cat_keys_jwks,          CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_keys_about },
    { "GET",    "/problems",             cat_problems_list,      CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_problems_about_list },
    { "GET",    "/problems/:name",       cat_problems_get,       CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_problems_about_get },
    { "GET",    "/openapi.json",         cat_openapi_get,        CAT_READER, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_openapi_about },
    { "GET",    "/database",             cat_health_database,    CAT_ADMIN,  CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_health_about_database },
    { "GET",    "/health/live",          cat_health_live,        CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_health_about_live },
    { "GET",    "/health/ready",         cat_health_ready,       CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_health_about_ready },
    { "GET",    "/",                     cat_entry_get,          CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                &cat_entry_about },
    { NULL,     NULL,                    NULL,                   CAT_ANYONE, CAT_NO_BODY,  CAT_RATE_NONE,     NULL,                NULL },
};
/* clang-format on */

const cat_openapi_t *cat_routes_describe(apr_pool_t *pool, const cat_conf_t *conf)
{
    return cat_openapi_make(pool, cat_routes, conf);
}
