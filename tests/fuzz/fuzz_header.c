/* SPDX-License-Identifier: Apache-2.0 */
/* The same text as each of the request headers that the module parses itself. */
#include "fuzz.h"
#include "http/header.h"

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *text = fuzz_text(pool, data, size);
    const char *token = NULL, *cookie, *key, *language;
    apr_array_header_t *languages = apr_array_make(pool, 1, sizeof(const char *));
    int quality, is_named, is_repeated;

    if (cat_header_bearer(pool, text, &token) == CAT_BEARER_TOKEN) {
        FUZZ_CHECK(token && *token);
    }
    cookie = cat_header_cookie(pool, text, "catalog_refresh", &is_repeated);
    FUZZ_CHECK(cookie ? strlen(cookie) < strlen(text) : !is_repeated);
    cat_header_has_type(text, "application/merge-patch+json, application/json");
    key = cat_header_idempotency_key(pool, text);
    FUZZ_CHECK(!key || (*key && strlen(key) <= CAT_HEADER_KEY_MAX && strlen(key) <= strlen(text)));
    quality = cat_header_quality(text, "application/problem+json", &is_named);
    FUZZ_CHECK(quality >= 0 && quality <= 1000 && (*text || !is_named));
    APR_ARRAY_PUSH(languages, const char *) = "de";
    language = cat_header_language(text, languages);
    FUZZ_CHECK(!language || !strcmp(language, "de"));
    if (cat_header_prefers(pool, text, "handling", "strict")) {
        FUZZ_CHECK(cat_header_prefers(pool, text, "handling", NULL));
    }
}
