/* SPDX-License-Identifier: Apache-2.0 */
/* First line: the URL of CatalogWebhook; second: its events; the rest: the file of its secrets. What is accepted is encrypted or stays on this
 * machine, is told of something, and is signed with each secret; what is refused is named without the secret. */
#include "fuzz.h"
#include "http/webhook.h"
#include "lib/url.h"

static void check_secrets(apr_pool_t *pool, const cat_webhook_t *webhook)
{
    const char *signature = cat_webhook_sign(pool, webhook, "msg_1", "1795617187", "{}");
    int count = webhook->secrets->nelts, signatures = 0;

    FUZZ_CHECK(count >= 1 && count <= CAT_WEBHOOK_SECRETS_MAX);
    for (int i = 0; i < count; i++) {
        apr_size_t length = APR_ARRAY_IDX(webhook->secrets, i, cat_webhook_secret_t).length;
        FUZZ_CHECK(length >= 24 && length <= 64);
    }
    for (const char *at = signature; (at = strstr(at, "v1,")); at++) {
        signatures++;
    }
    FUZZ_CHECK(signatures == count);
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    cat_webhook_t webhook = {0};
    const char *url = fuzz_line(pool, &data, &size), *events = fuzz_line(pool, &data, &size);
    const char *text = fuzz_text(pool, data, size), *fault;

    if (!cat_webhook_set_url(pool, &webhook, url)) {
        FUZZ_CHECK(strlen(url) <= CAT_WEBHOOK_URL_MAX && !strchr(webhook.name, '?'));
        FUZZ_CHECK(!strncasecmp(url, "https:", 6) || cat_url_is_loopback(cat_url_parse(pool, url)));
    }
    if (!cat_webhook_set_events(pool, &webhook, events)) {
        FUZZ_CHECK(webhook.events > 0 && webhook.events <= CAT_WEBHOOK_ALL);
    }
    fault = cat_webhook_set_secrets(pool, &webhook, text);
    if (!fault) {
        check_secrets(pool, &webhook);
    }
    FUZZ_CHECK(!fault || strlen(text) < 24 || !strstr(fault, text));
}
