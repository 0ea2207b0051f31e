/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests from pages of other origins. A browser lets such a page read a response only if the headers allow the page's
 * origin (Fetch, CORS). So CatalogAllowOrigin names origins as browsers send them, and the texts are compared byte by
 * byte. Cookies need more: Sec-Fetch-Site, or else Origin, tells whether the page that sent a request may use them.
 */
#include "http/cors.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"

/* Request headers that pages may send in addition to those that browsers always let them send. */
#define REQUEST_HEADERS "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Link-Token, Prefer"
#define MAX_AGE "7200" /* In seconds. Chromium keeps a preflight no longer. */

static const char exposed[] = ""
#define EXPOSED(name) ", " name
#define SAFE(name)
#define HIDDEN(name)
#define HEADER(kind, name, ...) kind(name)
#include "http/response_headers.def"
    ;

/* ---- origins ---- */

static const char *skip_scheme(const char *p)
{
    if (!(*p >= 'a' && *p <= 'z')) {
        return NULL;
    }
    p += strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789+-.");
    return strncmp(p, "://", 3) == 0 ? p + 3 : NULL;
}

static const char *skip_host(const char *p)
{
    const char *end = p;

    if (*p == '[') {
        end = p + 1 + strspn(p + 1, "0123456789abcdef:.");
        return *end == ']' && end > p + 2 ? end + 1 : NULL;
    }
    end += strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789-._");
    return end > p ? end : NULL;
}

/* Checks the text after the host, which must be a port. Browsers leave out the port of the scheme. */
static const char *check_port(const char *text, const char *port)
{
    apr_size_t digits = strspn(port + 1, "0123456789");

    if (*port != ':' || digits == 0 || digits > 5 || port[1 + digits] || port[1] == '0' || atoi(port + 1) > 65535) {
        return "is not an origin: only a colon and a port may follow the host";
    }
    if ((strncmp(text, "http:", 5) == 0 && strcmp(port, ":80") == 0) ||
        (strncmp(text, "https:", 6) == 0 && strcmp(port, ":443") == 0)) {
        return "has the port of its scheme, which browsers leave out; leave it out too";
    }
    return NULL;
}

const char *cat_cors_check_origin(const char *text)
{
    const char *host = skip_scheme(text), *end = host ? skip_host(host) : NULL;

    if (strchr(text, '*')) {
        return "has an asterisk; only * alone is allowed, for all origins";
    }
    if (host && strchr(host, '/')) {
        return "has a path or a slash at its end; an origin is a scheme, a host and perhaps a port";
    }
    for (const char *p = text; *p; p++) {
        if (apr_isupper(*p)) {
            return "has capital letters, which browsers write in lower case";
        }
    }
    if (!end) {
        return "is not an origin, such as https://shop.example.com";
    }
    return *end ? check_port(text, end) : NULL;
}

static int is_listed(const cat_origins_t *origins, const char *origin)
{
    for (int i = 0; i < origins->count; i++) {
        if (strcmp(origins->list[i], origin) == 0) {
            return 1;
        }
    }
    return 0;
}

int cat_cors_is_on(const cat_origins_t *origins)
{
    return origins->any || origins->count;
}

int cat_cors_allows(const cat_origins_t *origins, const char *origin)
{
    return origin && (origins->any || is_listed(origins, origin));
}

/* ---- responses ---- */

/* A response for all origins does not depend on Origin, so all of them can share it in a cache. */
void cat_cors_describe(const cat_origins_t *origins, const char *origin, apr_table_t *headers)
{
    if (origins->any) {
        apr_table_setn(headers, "Access-Control-Allow-Origin", "*");
    } else if (origins->count) {
        apr_table_mergen(headers, "Vary", "Origin");
        if (!cat_cors_allows(origins, origin)) {
            return;
        }
        apr_table_setn(headers, "Access-Control-Allow-Origin", origin);
        apr_table_setn(headers, "Access-Control-Allow-Credentials", "true");
    } else {
        return;
    }
    apr_table_setn(headers, "Access-Control-Expose-Headers", exposed + strlen(", "));
}

void cat_cors_describe_preflight(apr_pool_t *pool, cat_answer_t *answer, const char *methods, const char *headers)
{
    cat_answer_header(answer, pool, "Access-Control-Allow-Methods", methods);
    cat_answer_header(answer, pool, "Access-Control-Allow-Headers", apr_pstrcat(pool, REQUEST_HEADERS, headers, NULL));
    cat_answer_header(answer, pool, "Access-Control-Max-Age", MAX_AGE);
}

/* ---- cookies ---- */

/* Returns true if `origin` is the origin of `url`, which is CatalogBaseURL and has a scheme and a host. */
static int is_origin_of(const char *origin, const char *url)
{
    const char *host = cat_text_host(url);
    apr_size_t length = (apr_size_t)(host - url) + strcspn(host, "/");

    return strlen(origin) == length && strncasecmp(origin, url, length) == 0;
}

int cat_cors_is_foreign(const cat_origins_t *origins, const cat_sender_t *sender, const char *base_url)
{
    const char *origin = sender->origin, *authority = origin ? cat_text_host(origin) : NULL;

    if (origin && (is_listed(origins, origin) || (base_url && is_origin_of(origin, base_url)))) {
        return 0;
    }
    if (sender->site) {
        return strcasecmp(sender->site, "same-origin") != 0 && strcasecmp(sender->site, "none") != 0;
    }
    return origin && !(authority && *authority && sender->host && strcasecmp(authority, sender->host) == 0);
}
