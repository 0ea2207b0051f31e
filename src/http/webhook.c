/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard Webhooks (standardwebhooks.com). The signature is the HMAC-SHA256 of the message's id, the time of the
 * attempt and the body, with a full stop between them:
 *
 *     webhook-id:        msg_01a206e35c167420_120_220_7
 *     webhook-timestamp: 1795617187
 *     webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
 *
 * With several secrets there are several signatures, with a space between them. The receiver needs to know only one
 * secret, so a secret can be changed without losing a message.
 */
#include "http/webhook.h"

#include <string.h>

#include <apr_encode.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_uri.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "lib/url.h"

#define PREFIX CAT_WEBHOOK_SECRET_PREFIX
#define SECRET_LEAST 24 /* In bytes. */
#define SECRET_MOST 64

static const struct event_t {
    const char *name, *operation;
    int event;
} events[] = {
    {"product.created", "create", CAT_WEBHOOK_CREATED},
    {"product.updated", "update", CAT_WEBHOOK_UPDATED},
    {"product.deleted", "delete", CAT_WEBHOOK_DELETED},
};

#define EVENTS (sizeof(events) / sizeof(events[0]))

int cat_webhook_event(const char *operation)
{
    for (size_t i = 0; i < EVENTS; i++) {
        if (!strcmp(events[i].operation, operation)) {
            return events[i].event;
        }
    }
    return 0;
}

static void to_lower(char *text)
{
    for (; *text; text++) {
        *text = (char)apr_tolower(*text);
    }
}

/* Returns one spelling for all URLs with the same meaning: scheme and host in lower case, no port if it is the scheme's
 * own, and a path. Returns a URL that cannot be parsed unchanged; it is refused later. */
static const char *normalize(apr_pool_t *pool, const char *url)
{
    apr_uri_t uri;

    if (apr_uri_parse(pool, url, &uri) != APR_SUCCESS || !uri.scheme || !uri.hostname) {
        return url;
    }
    to_lower(uri.scheme);
    to_lower(uri.hostname);
    uri.path = uri.path && *uri.path ? uri.path : apr_pstrdup(pool, "/");
    return apr_uri_unparse(pool, &uri, 0);
}

const char *cat_webhook_set_url(apr_pool_t *pool, cat_webhook_t *webhook, const char *url)
{
    const cat_url_t *u = cat_url_parse(pool, url);
    const char *shown = cat_url_without_user(pool, url);

    webhook->url = normalize(pool, url);
    webhook->name = apr_pstrmemdup(pool, shown, strcspn(shown, "?#"));
    if (!u || (strcmp(u->scheme, "https") != 0 && strcmp(u->scheme, "http") != 0)) {
        return "must be a URL like https://erp.example.com/hooks";
    }
    if (*u->user || *u->password || *u->fragment) {
        return "may have neither a user nor a fragment; the receiver knows the sender by the signature";
    }
    if (strcmp(u->scheme, "http") == 0 && !cat_url_is_loopback(u)) {
        return "must begin with https://, because its host is not this machine";
    }
    return strlen(webhook->url) > CAT_WEBHOOK_URL_MAX ? "must have at most 2000 bytes" : NULL;
}

static int find_event(const char *name)
{
    for (size_t i = 0; i < EVENTS; i++) {
        if (!strcmp(events[i].name, name)) {
            return events[i].event;
        }
    }
    return 0;
}

const char *cat_webhook_set_events(apr_pool_t *pool, cat_webhook_t *webhook, const char *names)
{
    char *state, *list = apr_pstrdup(pool, names);

    for (const char *name = apr_strtok(list, ",", &state); name; name = apr_strtok(NULL, ",", &state)) {
        int event = find_event(name);
        if (!event) {
            return apr_psprintf(pool,
                                "events= takes product.created, product.updated and product.deleted, with commas "
                                "between them; '%s' is none of them",
                                name);
        }
        webhook->events |= event;
    }
    return webhook->events ? NULL
                           : "events= must name at least one of product.created, product.updated and product.deleted";
}

/* Reads a line of whsec_ and base64. apr_pdecode_base64_binary accepts base64 without padding, but no white space. */
static int read_secret(apr_pool_t *pool, const char *line, cat_webhook_secret_t *secret)
{
    const char *text = line + strlen(PREFIX);

    if (strncmp(line, PREFIX, strlen(PREFIX)) != 0 ||
        text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")]) {
        return 0;
    }
    secret->octets = apr_pdecode_base64_binary(pool, text, APR_ENCODE_STRING, APR_ENCODE_NONE, &secret->length);
    return secret->octets && secret->length >= SECRET_LEAST && secret->length <= SECRET_MOST;
}

const char *cat_webhook_set_secrets(apr_pool_t *pool, cat_webhook_t *webhook, const char *text)
{
    apr_array_header_t *secrets = apr_array_make(pool, 1, sizeof(cat_webhook_secret_t));
    char *state, *lines = apr_pstrdup(pool, text);

    for (const char *line = apr_strtok(lines, "\n", &state); line; line = apr_strtok(NULL, "\n", &state)) {
        if (!read_secret(pool, line, apr_array_push(secrets))) {
            return "must have " PREFIX
                   " and 24 to 64 bytes in base64 on each line; create it with: (umask 077; echo " PREFIX
                   "$(openssl rand -base64 32) >FILE)";
        }
    }
    webhook->secrets = secrets;
    return secrets->nelts >= 1 && secrets->nelts <= CAT_WEBHOOK_SECRETS_MAX
               ? NULL
               : "must have one secret, or up to four while it is changed";
}

const char *cat_webhook_sign(apr_pool_t *pool, const cat_webhook_t *webhook, const char *id, const char *timestamp,
                             const char *body)
{
    const char *content = apr_pstrcat(pool, id, ".", timestamp, ".", body, NULL), *signatures = "";
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned int length = 0;

    for (int i = 0; i < webhook->secrets->nelts; i++) {
        const cat_webhook_secret_t *secret = &APR_ARRAY_IDX(webhook->secrets, i, cat_webhook_secret_t);
        HMAC(EVP_sha256(), secret->octets, (int)secret->length, (const unsigned char *)content, strlen(content), mac,
             &length);
        signatures = apr_pstrcat(pool, signatures, i ? " v1," : "v1,",
                                 apr_pencode_base64_binary(pool, mac, length, APR_ENCODE_NONE, NULL), NULL);
    }
    return signatures;
}
