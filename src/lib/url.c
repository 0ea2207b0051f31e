/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/url.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include <apr_strings.h>
#include <curl/curl.h>

#include "lib/text.h"

static apr_status_t free_url(void *url)
{
    curl_url_cleanup(url);
    return APR_SUCCESS;
}

static const char *get_part(apr_pool_t *pool, CURLU *url, CURLUPart part)
{
    char *text = NULL;
    const char *copy;

    curl_url_get(url, part, &text, 0);
    copy = apr_pstrdup(pool, text ? text : "");
    curl_free(text);
    return copy;
}

const cat_url_t *cat_url_parse(apr_pool_t *pool, const char *text)
{
    cat_url_t *url = apr_pcalloc(pool, sizeof(*url));
    const struct {
        const char **text;
        CURLUPart part;
    } parts[] = {
        {&url->scheme, CURLUPART_SCHEME},   {&url->user, CURLUPART_USER},   {&url->password, CURLUPART_PASSWORD},
        {&url->options, CURLUPART_OPTIONS}, {&url->host, CURLUPART_HOST},   {&url->port, CURLUPART_PORT},
        {&url->path, CURLUPART_PATH},       {&url->query, CURLUPART_QUERY}, {&url->fragment, CURLUPART_FRAGMENT},
    };
    CURLU *u = curl_url();

    apr_pool_cleanup_register(pool, u, free_url, apr_pool_cleanup_null);
    if (curl_url_set(u, CURLUPART_URL, text, 0) != CURLUE_OK || !cat_text_host(text)) { /* curl accepts "smtp:/host" */
        return NULL;
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        *parts[i].text = get_part(pool, u, parts[i].part);
    }
    return url;
}

int cat_url_is_loopback(const cat_url_t *url)
{
    struct in_addr address;

    if (inet_pton(AF_INET, url->host, &address) == 1) {
        return ntohl(address.s_addr) >> 24 == 127;
    }
    return strcasecmp(url->host, "localhost") == 0 || strcmp(url->host, "[::1]") == 0;
}

const char *cat_url_without_user(apr_pool_t *pool, const char *text)
{
    const char *host = cat_text_host(text), *at = strrchr(text, '@');
    apr_size_t scheme = host ? (apr_size_t)(host - text) : 0;

    return at && at >= text + scheme ? apr_pstrcat(pool, apr_pstrmemdup(pool, text, scheme), at + 1, NULL) : text;
}
