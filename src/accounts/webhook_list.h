/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_WEBHOOK_LIST_H
#define CAT_ACCOUNTS_WEBHOOK_LIST_H

#include "accounts/audit.h"
#include "accounts/page.h"
#include "db/db.h"
#include "http/schema.h"
#include "lib/fields.h"

/* What administrators see of webhooks (catalogue/webhooks/webhook_rows.h), and do to them, over HTTP and with catalogctl. */

/* The fields of a webhook, in the order of WEBHOOK_COLUMNS (db/dialects/sql.def). */
enum {
    CAT_WEBHOOK_VIEW_ID,
    CAT_WEBHOOK_VIEW_URL,
    CAT_WEBHOOK_VIEW_STATE,
    CAT_WEBHOOK_VIEW_SENT,
    CAT_WEBHOOK_VIEW_ATTEMPTS,
    CAT_WEBHOOK_VIEW_NEXT_AT,
    CAT_WEBHOOK_VIEW_FAILING_AT,
    CAT_WEBHOOK_VIEW_STATUS,
    CAT_WEBHOOK_VIEW_STATUS_AT,
    CAT_WEBHOOK_VIEW_ERROR,
    CAT_WEBHOOK_VIEW_CREATED_AT,
    CAT_WEBHOOK_VIEW_FIELDS
};

extern const cat_field_t cat_webhook_view_fields[CAT_WEBHOOK_VIEW_FIELDS];
extern const cat_shape_t cat_webhook_view_shape;

/* A page of the webhooks, in the order in which they were added, on the pool of db. */
apr_status_t cat_webhook_list_read(cat_db_t *db, cat_page_t *page);

/* In the caller's transaction: has a webhook that is dead, or fails, tried again at once, for three days from now on, and stores that in the
 * audit table. id NULL: all of them. *count: how many there were. */
apr_status_t cat_webhook_list_retry(cat_db_t *db, const cat_actor_t *actor, const char *id, apr_time_t now, int *count);

#endif
