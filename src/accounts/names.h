/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_NAMES_H
#define CAT_ACCOUNTS_NAMES_H

#include "db/db.h"

/*
 * Decides who may take a user name. Sites trust names ("Require user ada", REMOTE_USER in an application). So after a
 * user has given a name up, nobody else can take it for CAT_NAMES_DAYS days. Nobody can take a name from
 * CatalogReservedNames, because a visitor with such a name could pose as the site's staff.
 */
#define CAT_NAMES_DAYS 90

/* Returns true if CatalogReservedNames has the name (ASCII case-insensitive). Registration, renaming and invitations
 * over HTTP refuse reserved names; only catalogctl gives them to users. */
int cat_names_is_reserved(const cat_conf_t *conf, const char *name);

/* Returns APR_EEXIST if a user other than `user_id` gave the name up less than CAT_NAMES_DAYS ago, otherwise
 * APR_SUCCESS. Does not look at the accounts that exist. */
apr_status_t cat_names_check(cat_db_t *db, apr_pool_t *pool, const char *name, const char *user_id, apr_time_t now);

/* Deletes the record that the name was given up, in the caller's transaction, which has stored the name in the user's
 * row before. Returns APR_EEXIST, like cat_names_check, if another user gave the name up. */
apr_status_t cat_names_take(cat_db_t *db, apr_pool_t *pool, const char *name, const char *user_id, apr_time_t now);

/* Deletes the record that the name was given up, in the caller's transaction. Anybody may take the name afterwards. */
apr_status_t cat_names_forget(cat_db_t *db, apr_pool_t *pool, const char *name);

/* Records in the caller's transaction that the user has given the name up. */
apr_status_t cat_names_release(cat_db_t *db, apr_pool_t *pool, const char *name, const char *user_id, apr_time_t now);

#endif
