/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/webhook_list.h"

#include <apr_strings.h>

#include "lib/time.h"

static const char *const states[] = {"active", "dead", NULL};
static const cat_text_rule_t state_rule = {.words = states};

/* clang-format off */
const cat_field_t cat_webhook_view_fields[CAT_WEBHOOK_VIEW_FIELDS] = {
    /*                                 name            kind        flags                      least most absent rule */
    [CAT_WEBHOOK_VIEW_ID] =          {"id",           CAT_STRING, CAT_SERVER,                0,    0,   NULL,  &cat_fields_id,
        "The webhook's id, as the error log names it", "01a206e3-5c16-7420-9973-b22df6eefd60"},
    [CAT_WEBHOOK_VIEW_URL] =         {"url",          CAT_STRING, CAT_SERVER,                0,    0,   NULL,  NULL,
        "Where its messages go", "https://erp.example.com/hooks"},
    [CAT_WEBHOOK_VIEW_STATE] =       {"state",        CAT_STRING, CAT_SERVER,                0,    0,   NULL,  &state_rule,
        "`active`, or `dead`: it failed for three days, or its receiver wants no more messages", "active"},
    [CAT_WEBHOOK_VIEW_SENT] =        {"sent",         CAT_NUMBER, CAT_SERVER | CAT_WHOLE,    0,    0,   NULL,  NULL,
        "The `seq` of the last change that its receiver has accepted, or need not know", "122"},
    [CAT_WEBHOOK_VIEW_ATTEMPTS] =    {"attempts",     CAT_NUMBER, CAT_SERVER | CAT_WHOLE,    0,    0,   NULL,  NULL,
        "How many attempts to send the current message there have been", "3"},
    [CAT_WEBHOOK_VIEW_NEXT_AT] =     {"nextAt",       CAT_TIME,   CAT_SERVER | CAT_OPTIONAL, 0,    0,   NULL,  NULL,
        "When the next attempt is due, in UTC; absent if no message waits for one", "2026-11-21T16:17:33.270Z"},
    [CAT_WEBHOOK_VIEW_FAILING_AT] =  {"failingSince", CAT_TIME,   CAT_SERVER | CAT_OPTIONAL, 0,    0,   NULL,  NULL,
        "Since when all attempts have failed, in UTC", "2026-11-21T16:17:07.937Z"},
    [CAT_WEBHOOK_VIEW_STATUS] =      {"status",       CAT_NUMBER, CAT_SERVER | CAT_WHOLE | CAT_OPTIONAL, 0, 0, NULL, NULL,
        "The status of the last answer; absent if the last attempt got none", "503"},
    [CAT_WEBHOOK_VIEW_STATUS_AT] =   {"statusAt",     CAT_TIME,   CAT_SERVER | CAT_OPTIONAL, 0,    0,   NULL,  NULL,
        "When the last attempt ended, in UTC", "2026-11-21T16:17:28.270Z"},
    [CAT_WEBHOOK_VIEW_ERROR] =       {"error",        CAT_STRING, CAT_SERVER | CAT_OPTIONAL, 0,  255,   NULL,  NULL,
        "Why the last attempt failed; absent if it did not", "the receiver answered 503"},
    [CAT_WEBHOOK_VIEW_CREATED_AT] =  {"createdAt",    CAT_TIME,   CAT_SERVER,                0,    0,   NULL,  NULL,
        "When a server first found it in its configuration, in UTC", "2026-11-20T08:00:00.000Z"},
};
/* clang-format on */

const cat_shape_t cat_webhook_view_shape = {
    .kind = CAT_SHAPE_RECORD, .name = "Webhook", .fields = cat_webhook_view_fields, .count = CAT_WEBHOOK_VIEW_FIELDS};

apr_status_t cat_webhook_list_read(cat_db_t *db, cat_page_t *page)
{
    static const cat_page_query_t query = {.counts = SQL_WEBHOOK_COUNT, .selects = SQL_WEBHOOK_PAGE};

    return cat_page_read(db, &query, page);
}

apr_status_t cat_webhook_list_retry(cat_db_t *db, const cat_actor_t *actor, const char *id, apr_time_t now, int *count)
{
    static const cat_field_t webhooks = {.name = "webhooks", .kind = CAT_NUMBER};
    cat_audit_entry_t entry;
    apr_status_t rv = cat_db_exec(db, SQL_WEBHOOK_REVIVE, CAT_VALUES(cat_time_store(db->pool, now), id), count);

    if (rv != APR_SUCCESS || !*count) {
        return rv;
    }
    cat_audit_begin(&entry, db->pool, CAT_AUDIT_WEBHOOK_RETRY, id, NULL);
    cat_audit_add_change(&entry, &webhooks, NULL, apr_itoa(db->pool, *count));
    return cat_audit_store(&entry, db, actor, now);
}
