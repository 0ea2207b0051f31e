/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message has up to 100 changes, in their order:
 *
 *     {"type":"product.changes","timestamp":"2026-11-26T14:02:07.937Z","since":120,"next":122,"data":[
 *         {"seq":121,"at":"2026-11-26T14:02:07.912Z","op":"create","id":"01a2...","by":{"id":"01a1...","username":"ada"},"batch":119},
 *         {"seq":122,"at":"2026-11-26T14:02:07.937Z","op":"delete","id":"01a2...","by":{...},"batch":122}]}
 *
 * Its id is made of where it begins and ends, and the row keeps both until the receiver has accepted it. So each attempt has the same
 * changes under the same id, on whichever server, although others have been made since.
 */
#include "catalogue/webhooks/webhook_message.h"

#include <apr_strings.h>

#include "catalogue/changes/changes.h"
#include "lib/json.h"
#include "lib/time.h"

#define TYPE "product.changes"
#define CHANGES_MOST 100

/* How many times as many changes are read at once while the webhook receives none of them. */
#define READS_MOST 20

static void add_time(cat_buffer_t *b, const char *name, apr_time_t at)
{
    char text[CAT_TIME_LENGTH + 1];

    cat_time_format(text, apr_time_as_msec(at));
    cat_json_add_member(b, name, text);
}

static void add_number(cat_buffer_t *b, const char *name, apr_int64_t number)
{
    cat_buffer_add_text(b, name);
    cat_buffer_add_int(b, number);
}

/* As GET /changes has it. */
static void add_change(cat_buffer_t *b, const cat_change_t *change)
{
    add_number(b, "{\"seq\":", change->seq);
    add_time(b, ",\"at\":", change->at);
    cat_json_add_member(b, ",\"op\":", change->op);
    cat_json_add_member(b, ",\"id\":", change->id);
    if (change->user_id) {
        cat_json_add_member(b, ",\"by\":{\"id\":", change->user_id);
        if (change->username) {
            cat_json_add_member(b, ",\"username\":", change->username);
        }
        CAT_BUFFER_LITERAL(b, "}");
    }
    add_number(b, ",\"batch\":", change->batch);
    CAT_BUFFER_LITERAL(b, "}");
}

static const cat_change_t *change_at(const cat_webhook_message_t *m, int place)
{
    return APR_ARRAY_IDX(m->changes, place, const cat_change_t *);
}

static void write_body(apr_pool_t *pool, cat_webhook_message_t *m, apr_int64_t told)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 256 + (apr_size_t)m->changes->nelts * 256);
    cat_json_add_member(&b, "{\"type\":", TYPE);
    add_time(&b, ",\"timestamp\":", change_at(m, m->changes->nelts - 1)->at);
    add_number(&b, ",\"since\":", told);
    add_number(&b, ",\"next\":", m->until);
    CAT_BUFFER_LITERAL(&b, ",\"data\":[");
    for (int i = 0; i < m->changes->nelts; i++) {
        cat_buffer_add_text(&b, i ? "," : "");
        add_change(&b, change_at(m, i));
    }
    CAT_BUFFER_LITERAL(&b, "]}");
    m->body = cat_buffer_text(&b);
}

/* Takes the changes of a portion of the history that the webhook receives, up to `until` (0: all). */
static void take_changes(cat_webhook_message_t *m, const cat_webhook_t *webhook, const apr_array_header_t *changes,
                         apr_int64_t until)
{
    for (int i = 0; i < changes->nelts; i++) {
        const cat_change_t *change = &APR_ARRAY_IDX(changes, i, cat_change_t);
        if ((!until || change->seq <= until) && (cat_webhook_event(change->op) & webhook->events)) {
            APR_ARRAY_PUSH(m->changes, const cat_change_t *) = change;
        }
    }
}

static apr_status_t read_changes(cat_db_t *db, const cat_webhook_t *webhook, apr_int64_t until,
                                 cat_webhook_message_t *m)
{
    apr_array_header_t *changes;
    apr_int64_t since = m->since, next;
    apr_status_t rv = APR_SUCCESS;

    for (int reads = 0; reads < READS_MOST && !m->changes->nelts; reads++) {
        rv = cat_changes_after(db, since, CHANGES_MOST, &changes, &next);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        take_changes(m, webhook, changes, until);
        m->until = until && next > until ? until : next;
        if (m->until == since || m->until == until) {
            return APR_SUCCESS;
        }
        since = m->until;
    }
    return rv;
}

/* From 0 on, the history gives what it still has. A webhook that is at 0 was there before the first change, and misses those that were deleted.
 * To be asked after the changes were read: what is deleted while they are read is noticed then. */
static apr_status_t check_beginning(cat_db_t *db, const cat_webhook_row_t *row)
{
    apr_int64_t purged = 0;
    apr_status_t rv = row->sent ? APR_SUCCESS : cat_changes_find_purged(db, &purged);

    return rv == APR_SUCCESS && purged ? CAT_EPURGED : rv;
}

/* The events belong to the id, because other events make another message of the same changes. */
apr_status_t cat_webhook_message_read(cat_db_t *db, const cat_webhook_t *webhook, const cat_webhook_row_t *row,
                                      cat_webhook_message_t *message)
{
    apr_status_t rv;

    *message = (cat_webhook_message_t){
        .since = row->sent, .until = row->sent, .changes = apr_array_make(db->pool, CHANGES_MOST, sizeof(void *))};
    rv = read_changes(db, webhook, row->until > row->sent ? row->until : 0, message);
    rv = rv == APR_SUCCESS ? check_beginning(db, row) : rv;
    if (rv == APR_SUCCESS && message->changes->nelts) {
        message->id = apr_psprintf(db->pool, "msg_%s_%" APR_INT64_T_FMT "_%" APR_INT64_T_FMT "_%d", row->id,
                                   message->since, message->until, webhook->events);
        write_body(db->pool, message, row->told);
    }
    return rv;
}
