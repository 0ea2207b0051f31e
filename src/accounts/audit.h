/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_AUDIT_H
#define CAT_ACCOUNTS_AUDIT_H

#include "accounts/context.h"
#include "accounts/page.h"
#include "db/db.h"
#include "http/schema.h"
#include "lib/fields.h"

/* The record of what administrators changed, over HTTP or with catalogctl, and of what users changed of their own
 * accounts. Entries are kept for CAT_AUDIT_DAYS, and have no secrets. */
#define CAT_AUDIT_DAYS 90

/* Who makes a change. */
typedef struct cat_actor_t {
    const char *source;     /* CAT_AUDIT_HTTP or CAT_AUDIT_CTL */
    const char *id;         /* the user's; NULL: catalogctl */
    const char *name;       /* the user's; of catalogctl, the operating system's user */
    const char *client;     /* address; NULL: catalogctl */
    const char *request_id; /* NULL: there is none */
} cat_actor_t;

#define CAT_AUDIT_HTTP "http"
#define CAT_AUDIT_CTL "catalogctl"

/* The actions. */
#define CAT_AUDIT_USER_CREATE "user.create"
#define CAT_AUDIT_USER_UPDATE "user.update"
#define CAT_AUDIT_USER_DELETE "user.delete"
#define CAT_AUDIT_USER_UNLOCK "user.unlock"
#define CAT_AUDIT_USER_REVOKE "user.revoke"     /* the sessions */
#define CAT_AUDIT_USER_PASSWORD "user.password" /* the user has a new one */
#define CAT_AUDIT_MAIL_RETRY "mail.retry"
#define CAT_AUDIT_KEY_CREATE "key.create"
#define CAT_AUDIT_KEY_END "key.end"
#define CAT_AUDIT_CHANGES_UNDO "changes.undo" /* of products */
#define CAT_AUDIT_PRODUCT_RESTORE "product.restore"
#define CAT_AUDIT_WEBHOOK_RETRY "webhook.retry"

/* An entry while it is made. */
typedef struct cat_audit_entry_t {
    const char *action;
    const char *target_id; /* of the user, mail, product or webhook; NULL: there is not one */
    const char *target;    /* its name; NULL: it has none */
    cat_buffer_t changes;  /* JSON object without its end; empty: no field changed */
} cat_audit_entry_t;

void cat_audit_begin(cat_audit_entry_t *entry, apr_pool_t *pool, const char *action, const char *target_id,
                     const char *target);

/* Adds a field with its old and new value, record texts (lib/fields.h). One of them may be NULL: there was none, or there is none any
 * more. */
void cat_audit_add_change(cat_audit_entry_t *entry, const cat_field_t *field, const char *from, const char *to);

/* Has a field been added? */
int cat_audit_has_changes(const cat_audit_entry_t *entry);

/* Stores the entry, in the transaction of the change. */
apr_status_t cat_audit_store(cat_audit_entry_t *entry, cat_db_t *db, const cat_actor_t *actor, apr_time_t now);

/* The same for what users change of their own accounts, with a token or by a link: the target is the actor. */
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

/* Whose entries are read: those of an id, those of a name, or (both "") any. */
typedef struct cat_audit_party_t {
    const char *id, *name;
} cat_audit_party_t;

/* text: an id, or a name, which never has the form of an id (cat_user_name_rule), ignoring ASCII case; NULL: any. */
cat_audit_party_t cat_audit_read_party(apr_pool_t *pool, const char *text);

/* Which entries are read. */
typedef struct cat_audit_filter_t {
    cat_audit_party_t actor, target;
    const char *action; /* "" for any */
    const char *since;  /* milliseconds since the epoch, decimal */
} cat_audit_filter_t;

/* A filter's values, as AUDIT_FILTERS (db/dialects/sql.def) takes them. */
#define CAT_AUDIT_PARTY_VALUES(p) (p).id, (p).id, (p).name, (p).name
#define CAT_AUDIT_FILTER_VALUES(f)                                                                                     \
    CAT_AUDIT_PARTY_VALUES((f)->actor), CAT_AUDIT_PARTY_VALUES((f)->target), (f)->action, (f)->action, (f)->since

/* A page of the entries, newest first, on the pool of db. CAT_ESLOW: as cat_page_read. */
apr_status_t cat_audit_read(cat_db_t *db, const cat_audit_filter_t *filter, cat_page_t *page);

#endif
