/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_USER_LIST_H
#define CAT_ACCOUNTS_USER_LIST_H

#include "accounts/page.h"
#include "db/db.h"

typedef enum { CAT_USERS_BY_TIME, CAT_USERS_BY_NAME, CAT_USERS_BY_EMAIL } cat_users_order_t;

/* Which users are listed, and in which order. */
typedef struct cat_user_query_t {
    const char *text; /* substring of the name or address, folded (cat_email_fold); "": no user; NULL: any user */
    const char *role; /* NULL: any */
    cat_users_order_t order;
    int descending;
} cat_user_query_t;

/* A page of the users, with the columns of accounts/user.h's view, on the pool of db. CAT_ESLOW: it takes longer
 * than CatalogQueryTimeout. */
apr_status_t cat_user_list_read(cat_db_t *db, const cat_user_query_t *query, cat_page_t *page);

#endif
