/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/audit.h"

#include "lib/id.h"
#include "lib/time.h"

#define TEXT(name)                                                                                                     \
    {                                                                                                                  \
        name, CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL                                                                 \
    }

const cat_field_t cat_audit_fields[CAT_AUDIT_FIELDS] = {
    [CAT_AUDIT_ID] = TEXT("id"),
    [CAT_AUDIT_CREATED_AT] = {"createdAt", CAT_TIME, CAT_SERVER, 0, 0, NULL, NULL},
    [CAT_AUDIT_SOURCE] = TEXT("source"),
    [CAT_AUDIT_ACTOR_ID] = TEXT("actorId"),
    [CAT_AUDIT_ACTOR] = TEXT("actor"),
    [CAT_AUDIT_CLIENT] = TEXT("address"),
    [CAT_AUDIT_REQUEST_ID] = TEXT("requestId"),
    [CAT_AUDIT_ACTION] = TEXT("action"),
    [CAT_AUDIT_TARGET_ID] = TEXT("targetId"),
    [CAT_AUDIT_TARGET] = TEXT("target"),
    [CAT_AUDIT_CHANGES] = {"changes", CAT_STRING, CAT_SERVER | CAT_EMBEDDED, 0, 0, NULL, NULL},
};

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
        CAT_BUFFER_LITERAL(b, ",");
    }
    CAT_BUFFER_LITERAL(b, "\"to\":");
    cat_fields_write_value(b, field, to);
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

/* ---- reading ---- */

typedef struct reading_t {
    cat_db_t *db;
    apr_pool_t *pool;
    const cat_audit_filter_t *filter;
    cat_page_t *page;
} reading_t;

static apr_status_t read_page(void *baton)
{
    const reading_t *r = baton;
    const char *limit, *offset, *const *row;
    apr_status_t rv = cat_db_one(r->db, SQL_AUDIT_COUNT, CAT_VALUES(CAT_AUDIT_FILTER_VALUES(r->filter)), &row);

    cat_page_begin(r->page, r->pool);
    if (rv != APR_SUCCESS || !cat_page_find(r->page, row[0], &limit, &offset)) {
        return rv;
    }
    return cat_db_each(r->db, SQL_AUDIT_PAGE, CAT_VALUES(CAT_AUDIT_FILTER_VALUES(r->filter), limit, offset),
                       cat_page_add_row, r->page);
}

apr_status_t cat_audit_read(cat_db_t *db, apr_pool_t *pool, const cat_audit_filter_t *filter, cat_page_t *page)
{
    reading_t r = {db, pool, filter, page};
    return cat_db_view(db, read_page, &r);
}
