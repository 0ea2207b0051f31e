/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_AUDIT_H
#define CAT_ACCOUNTS_AUDIT_H

#include "accounts/context.h"
#include "accounts/page.h"
#include "db/db.h"
#include "http/schema.h"
#include "lib/fields.h"

/* The audit table: changes that administrators made over HTTP or with catalogctl, and changes that users made to their
 * own accounts. An entry is kept for CAT_AUDIT_DAYS and contains no secrets. */
#define CAT_AUDIT_DAYS 90

/* The user or program that makes a change. */
typedef struct cat_actor_t {
    const char *source;     /* CAT_AUDIT_HTTP or CAT_AUDIT_CTL. */
    const char *id;         /* Id of the user. NULL for catalogctl. */
    const char *name;       /* User name. For catalogctl, the name of the operating system's user. */
    const char *client;     /* Address of the client. NULL for catalogctl. */
    const char *request_id; /* NULL for catalogctl, and for a request without an id. */
} cat_actor_t;

#define CAT_AUDIT_HTTP "http"
#define CAT_AUDIT_CTL "catalogctl"

/* The actions. */
#define CAT_AUDIT_USER_CREATE "user.create"
#define CAT_AUDIT_USER_UPDATE "user.update"
#define CAT_AUDIT_USER_DELETE "user.delete"
#define CAT_AUDIT_USER_UNLOCK "user.unlock"
#define CAT_AUDIT_USER_REVOKE "user.revoke" /* The user's sessions and API keys ended. */
#define CAT_AUDIT_USER_PASSWORD "user.password"
#define CAT_AUDIT_MAIL_RETRY "mail.retry"
#define CAT_AUDIT_KEY_CREATE "key.create"
#define CAT_AUDIT_KEY_END "key.end"
#define CAT_AUDIT_CHANGES_UNDO "changes.undo" /* Undid changes of products. */
#define CAT_AUDIT_PRODUCT_RESTORE "product.restore"
#define CAT_AUDIT_WEBHOOK_RETRY "webhook.retry"

/* An entry that is being written. */
typedef struct cat_audit_entry_t {
    const char *action;    /* One of the actions above. */
    const char *target_id; /* Id of the user, mail, product or webhook. NULL if the action has several targets. */
    const char *target;    /* Name of the target. NULL if it has none. */
    cat_buffer_t changes;  /* JSON object without the final brace. Empty if no field changed. */
} cat_audit_entry_t;

/* Starts an entry without changes. Its texts must live until it is stored. */
void cat_audit_begin(cat_audit_entry_t *entry, apr_pool_t *pool, const char *action, const char *target_id,
                     const char *target);

/* Adds a field with its old and its new value, as texts of a record (lib/fields.h). `from` is NULL if the field had no
 * value before, `to` is NULL if it has none any more. */
void cat_audit_add_change(cat_audit_entry_t *entry, const cat_field_t *field, const char *from, const char *to);

int cat_audit_has_changes(const cat_audit_entry_t *entry);

/* Stores the entry in the caller's transaction, which also makes the change. */
apr_status_t cat_audit_store(cat_audit_entry_t *entry, cat_db_t *db, const cat_actor_t *actor, apr_time_t now);

/* Stores, in the caller's transaction, the entry of a change that users make to their own accounts, with an access
 * token or a mailed link. The target of the entry becomes its actor, too. */
apr_status_t cat_audit_store_own(cat_audit_entry_t *entry, const cat_account_context_t *c);

/* ---- reading ---- */

/* The fields of an entry, in the order of AUDIT_COLUMNS (db/dialects/sql.def). */
enum {
    CAT_AUDIT_ID,
    CAT_AUDIT_CREATED_AT,
    CAT_AUDIT_SOURCE,
    CAT_AUDIT_ACTOR_ID,
    CAT_AUDIT_ACTOR,
    CAT_AUDIT_CLIENT,
    CAT_AUDIT_REQUEST_ID,
    CAT_AUDIT_ACTION,
    CAT_AUDIT_TARGET_ID,
    CAT_AUDIT_TARGET,
    CAT_AUDIT_CHANGES,
    CAT_AUDIT_FIELDS
};

extern const cat_field_t cat_audit_fields[CAT_AUDIT_FIELDS];
extern const cat_shape_t cat_audit_shape;

/* Selects entries by an actor or a target: by its id, or by its name in lower case. The other text is "". Both are ""
 * to select all entries. */
typedef struct cat_audit_party_t {
    const char *id, *name;
} cat_audit_party_t;

/* Reads `text`, an id or a name (ASCII case-insensitive). A text that has the form of an id is an id, because names
 * never have that form (cat_user_name_rule). If `text` is NULL, the result selects all entries. */
cat_audit_party_t cat_audit_read_party(apr_pool_t *pool, const char *text);

/* Selects the entries that meet all conditions. */
typedef struct cat_audit_filter_t {
    cat_audit_party_t actor, target;
    const char *action; /* "" for every action. */
    const char *since;  /* Earliest time, in milliseconds since the epoch, decimal. */
} cat_audit_filter_t;

/* The values of a filter for a statement with AUDIT_FILTERS (db/dialects/sql.def). */
#define CAT_AUDIT_PARTY_VALUES(p) (p).id, (p).id, (p).name, (p).name
#define CAT_AUDIT_FILTER_VALUES(f)                                                                                     \
    CAT_AUDIT_PARTY_VALUES((f)->actor), CAT_AUDIT_PARTY_VALUES((f)->target), (f)->action, (f)->action, (f)->since

/* Reads a page of the entries, newest first, onto the pool of `db`. Returns CAT_ESLOW, not logged, if that takes longer
 * than CatalogQueryTimeout. */
apr_status_t cat_audit_read(cat_db_t *db, const cat_audit_filter_t *filter, cat_page_t *page);

#endif
