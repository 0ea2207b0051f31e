/* SPDX-License-Identifier: Apache-2.0 */
#include "db/answer_cache.h"

#include <string.h>

#include "db/pool/checkout.h"
#include "http/etag.h"

/* Reads the stamp of now. Returns 0 if nothing is cached for the database. The state of a SQLite file takes the place of a generation, so any
 * commit, by whichever program, makes all answers invalid. */
static int read_stamp(const cat_source_t *source, const char *id, apr_time_t now, cat_stamp_t *stamp)
{
    apr_uint64_t state;

    if (!cat_source_dialect(source)->file) {
        *stamp = cat_generations_read(source->generations, id);
        return 1;
    }
    if (!cat_wal_index_read(source->wal_index, now, &state)) {
        return 0;
    }
    *stamp = (cat_stamp_t){cat_generations_read(source->generations, NULL).epoch, state};
    return 1;
}

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
    }
    if (!read_stamp(source, id, now, &item->stamp)) {
        return 0;
    }
    item->owner = source->generations;
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
