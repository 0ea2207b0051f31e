/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations on a small response cache, compared with a model: the cache may forget a body, but returns the last one stored under
 * the same key and generation, or none. After each operation the cache is consistent. An operation is three octets: the kind, the
 * key, the length.
 */
#include "fuzz.h"
#include "../unit/response_cache_check.h"

#define KEYS 16
#define NOW apr_time_from_sec(1800000000)

typedef struct model_t {
    const char *body; /* NULL: none was stored */
    size_t length;
    apr_uint64_t generation;
} model_t;

static cat_item_t make_item(apr_pool_t *pool, unsigned key, const model_t *model)
{
    static const int owner;

    return (cat_item_t){.owner = &owner,
                        .key = apr_psprintf(pool, "key %0*u", (int)(1 + key), key),
                        .stamp = {1, model->generation},
                        .made = NOW};
}

static void put_body(apr_pool_t *pool, cat_response_cache_t *cache, unsigned key, size_t length, model_t *model)
{
    char *body = apr_palloc(pool, length + 1);
    cat_item_t item;

    memset(body, (int)('a' + (key + length) % 26), length);
    body[length] = '\0';
    model->generation++; /* another body means another state */
    item = make_item(pool, key, model);
    item.body = model->body = body;
    item.length = model->length = length;
    item.hash = length + 1;
    cat_response_cache_put(cache, &item);
}

static void get_body(apr_pool_t *pool, cat_response_cache_t *cache, unsigned key, const model_t *model)
{
    cat_item_t item = make_item(pool, key, model);

    if (cat_response_cache_get(cache, pool, &item, NOW)) {
        FUZZ_CHECK(model->body && item.length == model->length && item.hash == model->length + 1);
        FUZZ_CHECK(!memcmp(item.body, model->body, model->length));
    }
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    model_t models[KEYS] = {{NULL, 0, 0}};
    cat_response_cache_t *cache;

    FUZZ_CHECK(cat_response_cache_create(&cache, pool, CAT_RESPONSE_CACHE_LEAST) == APR_SUCCESS);
    for (; size >= 3; data += 3, size -= 3) {
        unsigned key = data[1] % KEYS;
        switch (data[0] % 3) {
        case 0:
            put_body(pool, cache, key, (size_t)data[2] * (data[2] % 2 ? 1 : 32), &models[key]);
            break;
        case 1:
            get_body(pool, cache, key, &models[key]);
            break;
        default: /* invalidates all stored bodies */
            models[key] = (model_t){NULL, 0, models[key].generation + 1};
        }
        FUZZ_CHECK(!check_response_cache(cache, pool));
    }
}
