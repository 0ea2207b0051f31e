/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_USER_KEY_H
#define CAT_ACCOUNTS_USER_KEY_H

#include <apr_tables.h>

#include "accounts/audit.h"
#include "accounts/role.h"
#include "http/schema.h"
#include "jose/keyring.h"

/*
 * Keys: tokens with which a user's programs read and write products. A key is valid as long as its row is there, its user is not locked
 * and its time is not over; requests ask for that at most once in CatalogRevocationDelay (accounts/key_states.h).
 */

#define CAT_USER_KEY_DAYS 90        /* that a key is valid unless its maker says otherwise */
#define CAT_USER_KEY_DAYS_MOST 3650 /* that it can be */
#define CAT_USER_KEY_DAYS_LISTED 30 /* that it is listed after it has expired */

/* The fields of a key, in the order of SQL_USER_KEY_LIST. A client sends name, role and expiresIn, and receives the others. */
enum {
    CAT_USER_KEY_ID,
    CAT_USER_KEY_NAME,
    CAT_USER_KEY_ROLE,
    CAT_USER_KEY_CREATED_AT,
    CAT_USER_KEY_EXPIRES_AT,
    CAT_USER_KEY_USED_AT,
    CAT_USER_KEY_CLIENT,
    CAT_USER_KEY_FIELDS
};

extern const cat_field_t cat_user_key_fields[CAT_USER_KEY_FIELDS];
extern const cat_text_rule_t cat_user_key_name_rule;

/* A key to be created. role NULL: the user's own, which is then filled in. */
typedef struct cat_user_key_t {
    const char *id, *user_id, *name, *role;
    apr_time_t created, expires;
} cat_user_key_t;

typedef enum {
    CAT_USER_KEY_DONE,
    CAT_USER_KEY_MANY, /* nothing was done: the user has as many keys as allowed */
    CAT_USER_KEY_ABOVE /* nothing was done: the role is above the user's own */
} cat_user_key_outcome_t;

/* Stores a key and its entry of the audit table, in the caller's transaction. most: keys that the user may have with it; negative: any
 * number. actor->name NULL: the user. APR_NOTFOUND: the user has been deleted or locked. */
apr_status_t cat_user_key_add(cat_db_t *db, apr_pool_t *pool, cat_user_key_t *key, int most, const cat_actor_t *actor,
                              cat_user_key_outcome_t *outcome);

/* The token of a key, on the pool; NULL: it cannot be signed. */
const char *cat_user_key_sign(apr_pool_t *pool, const cat_conf_t *conf, const cat_keys_t *keys,
                              const cat_user_key_t *key);

/* Ends one of the actor's keys, with its entry of the audit table, in a transaction of its own; this server refuses it at once.
 * APR_NOTFOUND: the user has no such key. */
apr_status_t cat_user_key_end(const cat_account_context_t *c, const char *id, const cat_actor_t *actor);

/* Adds the user's id, which is not copied, to `ended`. Once cat_session_revoke has the list, this server reads each of the user's keys from the
 * database for every request, until no child can remember an earlier read. */
void cat_user_key_forget(apr_array_header_t *ended, const char *user_id);

/* Ends all keys of a user in the caller's transaction. Adds their ids to ended, for cat_session_revoke after the commit. */
apr_status_t cat_user_key_end_all(cat_db_t *db, const char *user_id, apr_array_header_t *ended);

#endif
