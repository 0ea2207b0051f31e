/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit table: who changed what of which account, and when.
 *
 * An entry is stored in the transaction of the change that it records, so there is no change without its entry, and no entry
 * of a change that was rolled back. The changes are a JSON object, which is written while the work goes on:
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

#define ID_MOST "g" /* above all ids */

typedef struct reading_t {
    cat_db_t *db;
    apr_pool_t *pool;
    cat_page_t *page;
    const char *conditions;
    const char *values[9]; /* of the conditions, and room for LIMIT and OFFSET */
    int count;
    const char *total; /* NULL: not counted */
} reading_t;

static void add_value(reading_t *r, const char *value)
{
    r->values[r->count++] = value;
}

/* value "": any */
static void add_condition(reading_t *r, const char *condition, const char *value)
{
    if (*value) {
        r->conditions = apr_pstrcat(r->pool, r->conditions, " AND ", condition, NULL);
        add_value(r, value);
    }
}

/* Ids begin with the time, in milliseconds (lib/id.h): so what is older is not read. */
static const char *find_first_id(apr_pool_t *pool, const char *since)
{
    apr_uint64_t time = (apr_uint64_t)(*since == '-' ? 0 : apr_atoi64(since));

    return apr_psprintf(pool, "%08" APR_UINT64_T_HEX_FMT "-%04x", time >> 16, (unsigned)(time & 0xffff));
}

/* Each of the columns has an index, in the order of the ids. */
static void make_conditions(reading_t *r, const cat_audit_filter_t *filter)
{
    r->conditions = " FROM audit WHERE id < %s AND id >= %s";
    r->count = 0;
    add_value(r, cat_page_bound(r->page, ID_MOST));
    add_value(r, find_first_id(r->pool, filter->since));
    add_condition(r, "actor_id = %s", filter->actor.id);
    add_condition(r, "actor_key = %s", filter->actor.name);
    add_condition(r, "target_id = %s", filter->target.id);
    add_condition(r, "target_key = %s", filter->target.name);
    add_condition(r, "action = %s", filter->action);
}

static apr_status_t keep_total(void *baton, const char *const *row, int count)
{
    reading_t *r = baton;

    (void)count;
    r->total = apr_pstrdup(r->pool, row[0]);
    return APR_SUCCESS;
}

static apr_status_t count_entries(reading_t *r)
{
    const char *text =
        apr_pstrcat(r->pool, "SELECT COUNT(*) FROM (SELECT id", r->conditions, " LIMIT %s) counted", NULL);

    r->values[r->count] = cat_page_count_most(r->page);
    r->total = "0";
    return cat_db_each_text(r->db, text, r->values, r->count + 1, keep_total, r);
}

static apr_status_t read_page(void *baton)
{
    reading_t *r = baton;
    const char *text =
        apr_pstrcat(r->pool, "SELECT " AUDIT_COLUMNS, r->conditions, " ORDER BY id DESC LIMIT %s OFFSET %s", NULL);
    apr_status_t rv;

    cat_page_begin(r->page, r->pool);
    rv = r->page->after ? APR_SUCCESS : count_entries(r);
    if (rv != APR_SUCCESS || !cat_page_find(r->page, r->total, &r->values[r->count], &r->values[r->count + 1])) {
        return rv;
    }
    return cat_db_each_text(r->db, text, r->values, r->count + 2, cat_page_add_row, r->page);
}

apr_status_t cat_audit_read(cat_db_t *db, apr_pool_t *pool, const cat_audit_filter_t *filter, cat_page_t *page)
{
    reading_t r = {.db = db, .pool = pool, .page = page};

    make_conditions(&r, filter);
    return cat_db_search(db, read_page, &r);
}
