/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_WEBHOOK_H
#define CAT_HTTP_WEBHOOK_H

#include <apr_tables.h>

/* A URL that receives changes, as a CatalogWebhook line names it, and the signature of messages to it
 * (standardwebhooks.com, version 1.0). */

/* The kinds of changes that a webhook may receive, as bits. */
enum { CAT_WEBHOOK_CREATED = 1, CAT_WEBHOOK_UPDATED = 2, CAT_WEBHOOK_DELETED = 4, CAT_WEBHOOK_ALL = 7 };

typedef struct cat_webhook_t {
    const char *url;
    const char *name;                  /* The URL without user and query, for messages. */
    int events;                        /* Bits CAT_WEBHOOK_x. */
    const apr_array_header_t *secrets; /* Elements are cat_webhook_secret_t. Messages are signed with each of them. */
} cat_webhook_t;

typedef struct cat_webhook_secret_t {
    const unsigned char *octets;
    apr_size_t length;
} cat_webhook_secret_t;

#define CAT_WEBHOOK_URL_MAX 2000 /* In bytes, as in the table webhooks. */
#define CAT_WEBHOOK_SECRETS_MAX 4
#define CAT_WEBHOOK_SECRET_PREFIX "whsec_"

/* Sets url, normalized, and name. Returns NULL, or why the URL is refused. The URL must be https, unless its host is
 * this machine. */
const char *cat_webhook_set_url(apr_pool_t *pool, cat_webhook_t *webhook, const char *url);

/* Adds the events of a comma-separated list, such as "product.created,product.deleted". Returns NULL, or why the list
 * is refused. */
const char *cat_webhook_set_events(apr_pool_t *pool, cat_webhook_t *webhook, const char *names);

/* Sets the secrets to those of a file's text: whsec_ and 24 to 64 bytes in base64 on each line. Returns NULL, or why
 * the text is refused, without any part of the text. */
const char *cat_webhook_set_secrets(apr_pool_t *pool, cat_webhook_t *webhook, const char *text);

/* Returns the event of an operation in the history (create, update or delete), or 0 for another operation. */
int cat_webhook_event(const char *operation);

/* Returns the value of the header webhook-signature, on the pool: one signature for each secret. `timestamp` is in
 * seconds since the epoch. */
const char *cat_webhook_sign(apr_pool_t *pool, const cat_webhook_t *webhook, const char *id, const char *timestamp,
                             const char *body);

#endif
