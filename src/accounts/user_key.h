/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_USER_KEY_H
#define CAT_ACCOUNTS_USER_KEY_H

#include <apr_tables.h>

#include "accounts/audit.h"
#include "accounts/role.h"
#include "http/schema.h"
#include "jose/keyring.h"

/*
 * API keys: tokens with which a user's programs read and write products. An API key is valid until it expires, as long
 * as its row exists and its user is not locked. A child process reads the row at most once in CatalogRevocationDelay
 * seconds (accounts/key_states.h).
 */

#define CAT_USER_KEY_DAYS 90        /* Default lifetime of an API key. */
#define CAT_USER_KEY_DAYS_MOST 3650 /* Longest lifetime of an API key. */
#define CAT_USER_KEY_DAYS_LISTED 30 /* Days for which the list still has an API key that has expired. */

/* Fields of an API key, in the order of SQL_USER_KEY_LIST. A client sets name and role, and the lifetime with
 * expiresIn. */
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

/* An API key to be created. */
typedef struct cat_user_key_t {
    const char *id, *user_id, *name;
    const char *role; /* If NULL, cat_user_key_add sets it to the user's own role. */
    apr_time_t created, expires;
} cat_user_key_t;

typedef enum {
    CAT_USER_KEY_DONE,
    CAT_USER_KEY_MANY, /* Nothing was done: the user has as many API keys as allowed. */
    CAT_USER_KEY_ABOVE /* Nothing was done: the role includes more than the user's own role. */
} cat_user_key_outcome_t;

/* Stores an API key and its entry of the audit table, and queues a mail that notifies the user, in the caller's
 * transaction. The user may have at most `most` API keys that have not expired, the new one included; a negative number
 * sets no limit. If actor->name is NULL, the audit table names the user as the actor. Returns APR_NOTFOUND if the user
 * has been deleted or locked. */
apr_status_t cat_user_key_add(cat_db_t *db, apr_pool_t *pool, cat_user_key_t *key, int most, const cat_actor_t *actor,
                              cat_user_key_outcome_t *outcome);

/* Returns the signed token of an API key, on the pool, or NULL if it cannot be signed. */
const char *cat_user_key_sign(apr_pool_t *pool, const cat_conf_t *conf, const cat_keys_t *keys,
                              const cat_user_key_t *key);

/* Ends one of the actor's API keys and records that in the audit table, in a transaction of its own. This server
 * refuses the key at once. Returns APR_NOTFOUND if the actor has no API key with the id. */
apr_status_t cat_user_key_end(const cat_account_context_t *c, const char *id, const cat_actor_t *actor);

/* Adds the user's id, which is not copied, to `ended`. After cat_session_revoke(ended), this server reads the user's
 * API keys from the database in each request, until no child can have an older copy in its cache. */
void cat_user_key_forget(apr_array_header_t *ended, const char *user_id);

/* Ends all API keys of a user in the caller's transaction. Adds their ids to `ended` (const char *), for
 * cat_session_revoke after the commit. */
apr_status_t cat_user_key_end_all(cat_db_t *db, const char *user_id, apr_array_header_t *ended);

#endif
