/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_WEBHOOK_H
#define CAT_HTTP_WEBHOOK_H

#include <apr_tables.h>

/* A URL that receives changes, as CatalogWebhook names it, and how messages to it are signed (standardwebhooks.com, version 1.0). */

/* The kinds of changes that it may receive: a set. */
enum { CAT_WEBHOOK_CREATED = 1, CAT_WEBHOOK_UPDATED = 2, CAT_WEBHOOK_DELETED = 4, CAT_WEBHOOK_ALL = 7 };

typedef struct cat_webhook_t {
    const char *url;
    const char *name;                  /* the URL without user and query, for messages */
    int events;                        /* of the set */
    const apr_array_header_t *secrets; /* cat_webhook_secret_t: messages are signed with each */
} cat_webhook_t;

typedef struct cat_webhook_secret_t {
    const unsigned char *octets;
    apr_size_t length;
} cat_webhook_secret_t;

#define CAT_WEBHOOK_URL_MAX 2000 /* octets, as the table webhooks stores it */
#define CAT_WEBHOOK_SECRETS_MAX 4
#define CAT_WEBHOOK_SECRET_PREFIX "whsec_"

/* Sets url, in one of its spellings, and name. NULL, or why the URL is refused: it must be https, unless its host is this machine. */
const char *cat_webhook_set_url(apr_pool_t *pool, cat_webhook_t *webhook, const char *url);

/* Adds what a comma-separated list names, such as "product.created,product.deleted". NULL, or why not. */
const char *cat_webhook_set_events(apr_pool_t *pool, cat_webhook_t *webhook, const char *names);

/* Sets the secrets to those of a file: one on each line, whsec_ and 24 to 64 octets in base64. NULL, or what is wrong, without any part of
 * the text. */
const char *cat_webhook_set_secrets(apr_pool_t *pool, cat_webhook_t *webhook, const char *text);

/* The event of an operation that the history names: create, update or delete; 0: it is another. */
int cat_webhook_event(const char *operation);

/* The value of the header webhook-signature, on the pool: a signature of each secret. timestamp: seconds since the epoch. */
const char *cat_webhook_sign(apr_pool_t *pool, const cat_webhook_t *webhook, const char *id, const char *timestamp,
                             const char *body);

#endif
