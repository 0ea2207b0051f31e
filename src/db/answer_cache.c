/* SPDX-License-Identifier: Apache-2.0 */
#include "db/answer_cache.h"

#include <string.h>

#include "db/pool/checkout.h"
#include "http/etag.h"

/* 1: stamps count: the file's state is the last that is known, or a reader has now made it so. */
static int is_state_known(const cat_source_t *source, apr_time_t now)
{
    apr_uint64_t seen = cat_generations_seen(source->generations), state;
    int is_foreign;

    if (!cat_wal_index_read(source->wal_index, now, &state)) {
        return 0;
    }
    if (state == seen) {
        return 1;
    }
    is_foreign = cat_generations_detect_foreign(source->generations, seen, state);
    cat_metrics_add(source->database.metrics, CAT_METRIC_CACHE_INVALIDATIONS, CAT_SCOPE_ALL, (apr_uint64_t)is_foreign);
    return is_foreign;
}

/* The stamp is read after the state, so it is not older. */
int cat_answer_cache_get(cat_db_t *db, const char *id, apr_time_t now, cat_item_t *item)
{
    const cat_source_t *source = db->use->source;
    const cat_dialect_t *dialect = cat_source_dialect(source);
    apr_time_t since = 0;
    int found;

    item->owner = NULL;
    if (!source->cache || !dialect) {
        return 0;
    }
    if (!dialect->file) {
        since = now - apr_time_from_sec(db->conf->cache_max_age);
        if (!db->conf->cache_max_age) {
            return 0;
        }
    } else if (!is_state_known(source, now)) {
        return 0;
    }
    item->owner = source->generations;
    item->stamp = cat_generations_read(source->generations, id);
    item->made = now;
    found = cat_response_cache_get(source->cache, db->pool, item, since);
    cat_metrics_add(source->database.metrics, found ? CAT_METRIC_CACHE_HITS : CAT_METRIC_CACHE_MISSES, 0, 1);
    return found;
}

void cat_answer_cache_put(cat_db_t *db, const cat_item_t *item)
{
    const cat_source_t *source = db->use->source;

    if (item->owner && cat_response_cache_put(source->cache, item)) {
        cat_metrics_add(source->database.metrics, CAT_METRIC_CACHE_STORED, 0, 1);
    }
}

/* Neither JSON nor a header has a NUL. */
void cat_answer_cache_join(cat_item_t *item, cat_buffer_t *body, const char *headers)
{
    item->hash = cat_etag_hash(body->data, body->length);
    cat_buffer_add(body, "", 1);
    cat_buffer_add(body, headers, strlen(headers) + 1);
    item->body = body->data;
    item->length = body->length;
}

cat_cached_list_t cat_answer_cache_split(const cat_item_t *item)
{
    const char *end = memrchr(item->body, '\0', item->length - 1);

    return (cat_cached_list_t){item->body, (apr_size_t)(end - item->body), item->hash, end + 1};
}
