/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit table: which actor changed which target, how and when.
 *
 * An entry is stored in the transaction that makes the change. So every change has its entry, and a change that is
 * rolled back has none. The changed fields are a JSON object, which is written field by field:
 *
 *     {"role":{"from":"user","to":"editor"},"locked":{"from":false,"to":true}}
 */
#include "accounts/audit.h"

#include <apr_strings.h>

#include "lib/id.h"
#include "lib/time.h"
#include "mail/email.h"

static const char *const sources[] = {CAT_AUDIT_HTTP, CAT_AUDIT_CTL, NULL};
static const cat_text_rule_t source_rule = {.words = sources};

/* clang-format off */
const cat_field_t cat_audit_fields[CAT_AUDIT_FIELDS] = {
    /*                         name         kind        flags                      least most absent rule */
    [CAT_AUDIT_ID] =         {"id",        CAT_STRING, CAT_SERVER,                0,    0,   NULL,  &cat_fields_id,
        "The entry's id, a UUID of version 7", "01a206e3-5c16-7420-9973-b22df6eefd60"},
    [CAT_AUDIT_CREATED_AT] = {"createdAt", CAT_TIME,   CAT_SERVER,                0,    0,   NULL,  NULL,
        "When it was done, in UTC", "2026-11-21T16:17:33.270Z"},
    [CAT_AUDIT_SOURCE] =     {"source",    CAT_STRING, CAT_SERVER,                0,    0,   NULL,  &source_rule,
        "How: `http` or `catalogctl`", "http"},
    [CAT_AUDIT_ACTOR_ID] =   {"actorId",   CAT_STRING, CAT_SERVER | CAT_OPTIONAL, 0,    0,   NULL,  &cat_fields_id,
        "The id of the administrator, or of the user who changed their own account; absent with catalogctl", "01a1fee5-af25-7514-8a69-477230296f5b"},
    [CAT_AUDIT_ACTOR] =      {"actor",     CAT_STRING, CAT_SERVER,                0,    0,   NULL,  NULL,
        "The user name; with catalogctl, the operating system's user", "ada"},
    [CAT_AUDIT_CLIENT] =     {"address",   CAT_STRING, CAT_SERVER | CAT_OPTIONAL, 0,    0,   NULL,  NULL,
        "The address of the client", "127.0.0.1"},
    [CAT_AUDIT_REQUEST_ID] = {"requestId", CAT_STRING, CAT_SERVER | CAT_OPTIONAL, 0,    0,   NULL,  NULL,
        "The request, as the server's logs name it", "awPPtfd8xXIaMIJ8wH5HcQAAAFI"},
    [CAT_AUDIT_ACTION] =     {"action",    CAT_STRING, CAT_SERVER,                0,    0,   NULL,  NULL,
        "What was done", CAT_AUDIT_USER_UPDATE},
    [CAT_AUDIT_TARGET_ID] =  {"targetId",  CAT_STRING, CAT_SERVER | CAT_OPTIONAL, 0,    0,   NULL,  &cat_fields_id,
        "The id of the user, mail or webhook that it was done to", "01a1fee5-af61-7337-b1ab-d96476a93743"},
    [CAT_AUDIT_TARGET] =     {"target",    CAT_STRING, CAT_SERVER | CAT_OPTIONAL, 0,    0,   NULL,  NULL,
        "Its name", "grace"},
    [CAT_AUDIT_CHANGES] =    {"changes",   CAT_STRING, CAT_SERVER | CAT_OPTIONAL | CAT_EMBEDDED, 0, 0, NULL, NULL,
        "For each field that changed, its value before (`from`) and after (`to`)",
        "{\"role\": {\"from\": \"user\", \"to\": \"editor\"}}"},
};
/* clang-format on */

const cat_shape_t cat_audit_shape = {
    .kind = CAT_SHAPE_RECORD, .name = "AuditEntry", .fields = cat_audit_fields, .count = CAT_AUDIT_FIELDS};

/* ---- writing ---- */

void cat_audit_begin(cat_audit_entry_t *entry, apr_pool_t *pool, const char *action, const char *target_id,
                     const char *target)
{
    *entry = (cat_audit_entry_t){.action = action, .target_id = target_id, .target = target};
    cat_buffer_init(&entry->changes, pool, 128);
}

int cat_audit_has_changes(const cat_audit_entry_t *entry)
{
    return entry->changes.length > 0;
}

void cat_audit_add_change(cat_audit_entry_t *entry, const cat_field_t *field, const char *from, const char *to)
{
    cat_buffer_t *b = &entry->changes;

    cat_buffer_add_text(b, b->length ? ",\"" : "{\"");
    cat_buffer_add_text(b, field->name);
    CAT_BUFFER_LITERAL(b, "\":{");
    if (from) {
        CAT_BUFFER_LITERAL(b, "\"from\":");
        cat_fields_write_value(b, field, from);
    }
    if (to) {
        cat_buffer_add_text(b, from ? ",\"to\":" : "\"to\":");
        cat_fields_write_value(b, field, to);
    }
    CAT_BUFFER_LITERAL(b, "}");
}

apr_status_t cat_audit_store(cat_audit_entry_t *entry, cat_db_t *db, const cat_actor_t *actor, apr_time_t now)
{
    apr_pool_t *pool = entry->changes.pool;
    const char *id = cat_id_make(pool, now), *changes = NULL;

    if (!id) {
        return APR_EGENERAL;
    }
    if (cat_audit_has_changes(entry)) {
        CAT_BUFFER_LITERAL(&entry->changes, "}");
        changes = cat_buffer_text(&entry->changes);
    }
    return cat_db_insert(db, SQL_AUDIT_INSERT,
                         CAT_VALUES(id, cat_time_store(pool, now), actor->source, actor->id, actor->name, actor->client,
                                    actor->request_id, entry->action, entry->target_id, entry->target, changes));
}

apr_status_t cat_audit_store_own(cat_audit_entry_t *entry, const cat_account_context_t *c)
{
    const cat_actor_t actor = {CAT_AUDIT_HTTP, entry->target_id, entry->target, c->client, c->request_id};

    return cat_audit_store(entry, c->db, &actor, c->now);
}

/* ---- reading ---- */

cat_audit_party_t cat_audit_read_party(apr_pool_t *pool, const char *text)
{
    const char *folded = text ? cat_email_fold(pool, text) : "";
    int is_id = cat_id_check(folded);

    return (cat_audit_party_t){.id = is_id ? folded : "", .name = is_id ? "" : folded};
}

#define ID_MOST "g" /* Greater than every id, as ids begin with a hexadecimal digit. */

/* Conditions of both statements, and their values. */
typedef struct conditions_t {
    apr_pool_t *pool;
    const char *text;
    const char *values[CAT_PAGE_VALUES_MAX];
    int count;
} conditions_t;

/* Adds nothing if the value is "". */
static void add_condition(conditions_t *c, const char *condition, const char *value)
{
    if (*value) {
        c->text = apr_pstrcat(c->pool, c->text, " AND ", condition, NULL);
        c->values[c->count++] = value;
    }
}

/* Returns the least id of an entry made at `since` or later. Ids begin with the time in milliseconds (lib/id.h), so the
 * database skips older entries. */
static const char *find_first_id(apr_pool_t *pool, const char *since)
{
    apr_uint64_t time = (apr_uint64_t)(*since == '-' ? 0 : apr_atoi64(since));

    return apr_psprintf(pool, "%08" APR_UINT64_T_HEX_FMT "-%04x", time >> 16, (unsigned)(time & 0xffff));
}

/* Each of these columns has an index in which equal values are in the order of their ids. */
static void make_conditions(conditions_t *c, const cat_audit_filter_t *filter, const char *bound)
{
    c->text = " FROM audit WHERE id < %s AND id >= %s";
    c->values[c->count++] = bound;
    c->values[c->count++] = find_first_id(c->pool, filter->since);
    add_condition(c, "actor_id = %s", filter->actor.id);
    add_condition(c, "actor_key = %s", filter->actor.name);
    add_condition(c, "target_id = %s", filter->target.id);
    add_condition(c, "target_key = %s", filter->target.name);
    add_condition(c, "action = %s", filter->action);
}

apr_status_t cat_audit_read(cat_db_t *db, const cat_audit_filter_t *filter, cat_page_t *page)
{
    conditions_t c = {.pool = db->pool};
    cat_page_query_t query = {.values = c.values, .is_bounded = 1};

    make_conditions(&c, filter, cat_page_bound(page, ID_MOST));
    query.count = c.count;
    query.count_text = apr_pstrcat(db->pool, "SELECT COUNT(*) FROM (SELECT id", c.text, " LIMIT %s) counted", NULL);
    query.select_text =
        apr_pstrcat(db->pool, "SELECT " AUDIT_COLUMNS, c.text, " ORDER BY id DESC LIMIT %s OFFSET %s", NULL);
    return cat_page_read(db, &query, page);
}
