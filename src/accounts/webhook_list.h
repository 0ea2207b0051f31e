/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_WEBHOOK_LIST_H
#define CAT_ACCOUNTS_WEBHOOK_LIST_H

#include "accounts/audit.h"
#include "accounts/page.h"
#include "db/db.h"
#include "http/schema.h"
#include "lib/fields.h"

/* Webhooks (catalogue/webhooks/webhook_rows.h) for administrators, over HTTP and with catalogctl: list and retry. */

/* Fields of a webhook, in the order of WEBHOOK_COLUMNS (db/dialects/sql.def). */
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

/* Reads a page of the webhooks, in the order in which they were added, onto the pool of `db`. */
apr_status_t cat_webhook_list_read(cat_db_t *db, cat_page_t *page);

/* Makes the webhook `id` due at once if it is dead or failing and no server is sending to it, in the caller's
 * transaction. Delivery then stops after three days from now if it fails again. `id` is NULL for all dead or failing
 * webhooks. Sets *count to the number of webhooks and, unless that is 0, records the retry in the audit table. */
apr_status_t cat_webhook_list_retry(cat_db_t *db, const cat_actor_t *actor, const char *id, apr_time_t now, int *count);

#endif
