/* SPDX-License-Identifier: Apache-2.0 */
/*
 * API keys of users' programs.
 *
 * An API key is a row, and a token that contains the id of the row. The token contains nothing that can change: the
 * server reads the user's role, name and confirmation together with the row. So a key loses a right as soon as its user
 * does. Ending a key deletes the row, so the server needs no list of ended keys that have not expired.
 *
 *     POST /auth/keys -> stores row, entry of the audit table and mail; returns the token, which is stored nowhere
 *     a request       -> signature, then the row, at most once in CatalogRevocationDelay (accounts/key_states.c)
 *     DELETE          -> deletes the row; this server's set of ended sessions has the id until no child can have a copy
 */
#include "accounts/user_key.h"

#include <apr_strings.h>
#include <stdlib.h>

#include "accounts/accounts.h"
#include "accounts/outbox.h"
#include "accounts/session.h"
#include "accounts/user.h"
#include "jose/token.h"
#include "lib/id.h"
#include "lib/text.h"
#include "lib/time.h"

/* Refuses control characters, because pages and terminals show the names. */
static const char *refuse_name(const cat_text_rule_t *, const char *text)
{
    return cat_text_has_control(text) ? "must not have control characters" : NULL;
}

/* The pattern also refuses blank names, like CAT_VISIBLE. */
#define NO_CONTROLS "[^\\u0000-\\u001f\\u007f-\\u009f]*"
const cat_text_rule_t cat_user_key_name_rule = {
    .refuse = refuse_name, .pattern = "^" NO_CONTROLS "[^\\u0000-\\u0020\\u007f-\\u009f]" NO_CONTROLS "$"};

/* clang-format off */
const cat_field_t cat_user_key_fields[CAT_USER_KEY_FIELDS] = {
    /*                            name          kind        flags                      least most absent rule */
    [CAT_USER_KEY_ID] =         {"id",         CAT_STRING, CAT_SERVER,                 0,   0,   NULL,  &cat_fields_id,
        "The key's id", "01a206e3-5c16-7420-9973-b22df6eefd60"},
    [CAT_USER_KEY_NAME] =       {"name",       CAT_STRING, CAT_REQUIRED | CAT_VISIBLE, 1,   100, NULL,  &cat_user_key_name_rule,
        "What the key is for", "ERP"},
    [CAT_USER_KEY_ROLE] =       {"role",       CAT_STRING, 0,                          1,   16,  NULL,  &cat_user_role_rule,
        "The role of the key, unless its user's role is lower", "editor"},
    [CAT_USER_KEY_CREATED_AT] = {"createdAt",  CAT_TIME,   CAT_SERVER,                 0,   0,   NULL,  NULL,
        "When it was created, in UTC", "2026-11-26T09:30:00.000Z"},
    [CAT_USER_KEY_EXPIRES_AT] = {"expiresAt",  CAT_TIME,   CAT_SERVER,                 0,   0,   NULL,  NULL,
        "When it expires, in UTC", "2027-02-24T09:30:00.000Z"},
    [CAT_USER_KEY_USED_AT] =    {"lastUsedAt", CAT_TIME,   CAT_SERVER | CAT_OPTIONAL,  0,   0,   NULL,  NULL,
        "When it was last used, to the minute; absent if never", "2026-11-26T10:00:00.000Z"},
    [CAT_USER_KEY_CLIENT] =     {"address",    CAT_STRING, CAT_SERVER | CAT_OPTIONAL,  0,   0,   NULL,  NULL,
        "The address of the client that used it then", "192.0.2.7"},
};
/* clang-format on */

/* ---- make ---- */

/* Stores an entry whose target is the user, not the API key, so that the list of changes to a user has it. */
static apr_status_t store_entry(cat_db_t *db, cat_audit_entry_t *entry, const cat_actor_t *actor, apr_time_t now)
{
    cat_actor_t who = *actor;

    who.name = who.name ? who.name : entry->target;
    return cat_audit_store(entry, db, &who, now);
}

static apr_status_t insert_key(cat_db_t *db, apr_pool_t *pool, const cat_user_key_t *key, const cat_actor_t *actor,
                               const cat_account_t *user)
{
    const char *expires = cat_time_store(pool, key->expires);
    cat_audit_entry_t entry;
    apr_status_t rv = cat_db_insert(
        db, SQL_USER_KEY_INSERT,
        CAT_VALUES(key->id, key->user_id, key->name, key->role, cat_time_store(pool, key->created), expires));

    cat_audit_begin(&entry, pool, CAT_AUDIT_KEY_CREATE, user->id, user->username);
    cat_audit_add_change(&entry, &cat_user_key_fields[CAT_USER_KEY_NAME], NULL, key->name);
    cat_audit_add_change(&entry, &cat_user_key_fields[CAT_USER_KEY_ROLE], NULL, key->role);
    cat_audit_add_change(&entry, &cat_user_key_fields[CAT_USER_KEY_EXPIRES_AT], NULL, expires);
    if (rv == APR_SUCCESS) {
        rv = store_entry(db, &entry, actor, key->created);
    }
    return rv == APR_SUCCESS ? cat_outbox_add(db, pool, CAT_MAIL_NEW_KEY, user->id, NULL, key->created) : rv;
}

static apr_status_t check_number(cat_db_t *db, apr_pool_t *pool, const cat_user_key_t *key, int most, int *may)
{
    apr_int64_t number;
    apr_status_t rv =
        cat_db_number(db, SQL_USER_KEY_COUNT, CAT_VALUES(key->user_id, cat_time_store(pool, key->created)), &number);

    *may = rv == APR_SUCCESS && (most < 0 || number < most);
    return rv;
}

/* Locks the user's row first. So two requests cannot both take the last free place, and an administrator who locks the
 * user waits and then ends the new API key. */
apr_status_t cat_user_key_add(cat_db_t *db, apr_pool_t *pool, cat_user_key_t *key, int most, const cat_actor_t *actor,
                              cat_user_key_outcome_t *outcome)
{
    cat_account_t *user;
    cat_role_t role = CAT_ROLE_USER;
    int is_there, may;
    apr_status_t rv = cat_db_exec(db, SQL_USER_HOLD, CAT_VALUES(key->user_id), &is_there);

    *outcome = CAT_USER_KEY_DONE;
    if (rv != APR_SUCCESS || !is_there) {
        return rv == APR_SUCCESS ? APR_NOTFOUND : rv;
    }
    rv = cat_accounts_read(db, pool, key->user_id, &user);
    rv = rv == APR_SUCCESS ? check_number(db, pool, key, most, &may) : rv;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    key->role = key->role ? key->role : user->role;
    cat_role_parse(key->role, &role);
    if (!may || !cat_role_includes(user->role, (int)role)) {
        *outcome = may ? CAT_USER_KEY_ABOVE : CAT_USER_KEY_MANY;
        return APR_SUCCESS;
    }
    return insert_key(db, pool, key, actor, user);
}

const char *cat_user_key_sign(apr_pool_t *pool, const cat_conf_t *conf, const cat_keys_t *keys,
                              const cat_user_key_t *key)
{
    const cat_claims_t claims = {
        .issuer = conf->issuer,
        .audience = conf->audience,
        .subject = key->user_id,
        .session = key->id,
        .id = key->id,
        .is_key = 1,
        .issued = key->created,
        .expires = key->expires,
    };
    return cat_token_make(pool, keys, &claims);
}

/* ---- end ---- */

typedef struct ending_t {
    const cat_account_context_t *c;
    const char *id;
    const cat_actor_t *actor;
} ending_t;

static apr_status_t end_recorded(void *baton)
{
    const ending_t *e = baton;
    const cat_account_context_t *c = e->c;
    const char *const *row;
    cat_audit_entry_t entry;
    int deleted = 0;
    apr_status_t rv = cat_db_one(c->db, SQL_USER_KEY_GET, CAT_VALUES(e->id, e->actor->id), &row);

    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(c->db, SQL_USER_KEY_DELETE, CAT_VALUES(e->id), &deleted);
    }
    if (rv != APR_SUCCESS || !deleted) {
        return rv == APR_SUCCESS ? APR_NOTFOUND : rv;
    }
    cat_audit_begin(&entry, c->pool, CAT_AUDIT_KEY_END, e->actor->id, e->actor->name);
    cat_audit_add_change(&entry, &cat_user_key_fields[CAT_USER_KEY_NAME], row[0], NULL);
    return store_entry(c->db, &entry, e->actor, c->now);
}

apr_status_t cat_user_key_end(const cat_account_context_t *c, const char *id, const cat_actor_t *actor)
{
    ending_t e = {c, id, actor};
    apr_array_header_t *ended = apr_array_make(c->pool, 1, sizeof(const char *));
    apr_status_t rv = cat_id_check(id) ? cat_db_transact(c->db, end_recorded, &e) : APR_NOTFOUND;

    if (rv == APR_SUCCESS) {
        APR_ARRAY_PUSH(ended, const char *) = id;
        cat_session_revoke(c, ended);
    }
    return rv;
}

void cat_user_key_forget(apr_array_header_t *ended, const char *user_id)
{
    APR_ARRAY_PUSH(ended, const char *) = user_id;
}

apr_status_t cat_user_key_end_all(cat_db_t *db, const char *user_id, apr_array_header_t *ended)
{
    apr_status_t rv = cat_db_each(db, SQL_USER_KEY_IDS, CAT_VALUES(user_id), cat_db_add_texts, ended);

    return rv == APR_SUCCESS ? cat_db_exec(db, SQL_USER_KEY_DELETE_ALL, CAT_VALUES(user_id), NULL) : rv;
}
