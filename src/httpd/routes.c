/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/routes.h"

#include "api/products.h"
#include "api/users.h"

/* THE ROUTE TABLE: what is not here is a 404, and the methods that are not here a 405. HEAD is GET's, OPTIONS everyone's. */
/* clang-format off */
const cat_route_t cat_routes[] = {
    /* method    path             function             who may     body */
    { "GET",    "/products",     cat_products_list,   CAT_ANYONE, CAT_NO_BODY },
    { "POST",   "/products",     cat_products_create, CAT_USER,   CAT_JSON    },
    { "GET",    "/products/:id", cat_products_get,    CAT_ANYONE, CAT_NO_BODY },
    { "PUT",    "/products/:id", cat_products_update, CAT_USER,   CAT_JSON    },
    { "DELETE", "/products/:id", cat_products_remove, CAT_USER,   CAT_NO_BODY },
    { "POST",   "/register",     cat_users_register,  CAT_ANYONE, CAT_JSON    },
    { "POST",   "/users",        cat_users_create,    CAT_ANYONE, CAT_JSON    },
    { NULL,     NULL,            NULL,                CAT_ANYONE, CAT_NO_BODY },
};
/* clang-format on */
