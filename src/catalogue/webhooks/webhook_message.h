/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_WEBHOOKS_WEBHOOK_MESSAGE_H
#define CAT_CATALOGUE_WEBHOOKS_WEBHOOK_MESSAGE_H

#include "catalogue/webhooks/webhook_rows.h"
#include "http/webhook.h"

/* What is sent to a webhook at once. */
typedef struct cat_webhook_message_t {
    apr_int64_t since, until;    /* it has the changes after `since`, up to `until`, that the webhook receives */
    apr_array_header_t *changes; /* const cat_change_t *; empty: it receives none of them */
    const char *id;              /* the same on every attempt */
    const char *body;
} cat_webhook_message_t;

/*
 * The next message of a row, or the one whose attempt failed, with the same changes; on the pool of db. until = since: there is nothing
 * new. CAT_EPURGED: the history does not
 * have them any more. Long runs of changes of which the webhook is not told are gone through in several steps, each of which returns a message without
 * changes.
 */
apr_status_t cat_webhook_message_read(cat_db_t *db, const cat_webhook_t *webhook, const cat_webhook_row_t *row,
                                      cat_webhook_message_t *message);

#endif
