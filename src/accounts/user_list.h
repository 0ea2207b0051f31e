/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_USER_LIST_H
#define CAT_ACCOUNTS_USER_LIST_H

#include "accounts/page.h"
#include "db/db.h"

typedef enum { CAT_USERS_BY_TIME, CAT_USERS_BY_NAME, CAT_USERS_BY_EMAIL } cat_users_order_t;

/* Conditions and order of the list of users. */
typedef struct cat_user_query_t {
    const char *text; /* Substring of the name or address, in lower case (cat_email_fold). NULL selects all, "" none. */
    const char *role; /* NULL selects all roles. */
    cat_users_order_t order;
    int descending; /* True for descending order. */
} cat_user_query_t;

/* Reads a page of the users, with the columns of cat_user_view_fields (accounts/user.h), onto the pool of `db`. Returns
 * CAT_ESLOW, not logged, if that takes longer than CatalogQueryTimeout. */
apr_status_t cat_user_list_read(cat_db_t *db, const cat_user_query_t *query, cat_page_t *page);

#endif
