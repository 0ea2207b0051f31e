/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_NAMES_H
#define CAT_ACCOUNTS_NAMES_H

#include "db/db.h"

/*
 * Which user names may be taken. Sites trust names ("Require user ada", REMOTE_USER in an application), so nobody else can
 * take a name within CAT_NAMES_DAYS after its user has given it up; and nobody can take those of CatalogReservedNames, with
 * which a visitor could pose as the site's staff.
 */
#define CAT_NAMES_DAYS 90

/* Is the name one of CatalogReservedNames, ignoring ASCII case? Those are refused at registration and to users who rename
 * themselves; catalogctl gives them. */
int cat_names_is_reserved(const cat_conf_t *conf, const char *name);

/* May the user take the name, as far as former owners are concerned? APR_EEXIST: another user gave it up less than
 * CAT_NAMES_DAYS ago. */
apr_status_t cat_names_check(cat_db_t *db, apr_pool_t *pool, const char *name, const char *user_id, apr_time_t now);

/* All are parts of the caller's transaction. Take: the user's row has the name already, so it counts as given up no more;
 * APR_EEXIST as above. Forget: anybody may take it. Release: the user has given it up. */
apr_status_t cat_names_take(cat_db_t *db, apr_pool_t *pool, const char *name, const char *user_id, apr_time_t now);
apr_status_t cat_names_forget(cat_db_t *db, apr_pool_t *pool, const char *name);
apr_status_t cat_names_release(cat_db_t *db, apr_pool_t *pool, const char *name, const char *user_id, apr_time_t now);

#endif
