/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RESPONSE_CACHE_CHECK_H
#define RESPONSE_CACHE_CHECK_H

/* Checks whether a response cache is consistent. Includes the cache's source, because the check reads its private
 * structures. */
#include "shm/response_cache.c"

#include <sched.h>

/* State of a check. The functions hold the write lock, so the cache does not change during the check. */
typedef struct check_t {
    const cat_response_cache_t *cache;
    word_t reserved;
    char *taken; /* one flag per line of the ring: true if an entry seen before occupies the line */
} check_t;

static inline int is_zero(const cat_shared_word_t *words, apr_size_t count)
{
    for (apr_size_t i = 0; i < count; i++) {
        if (cat_shared_load(&words[i])) {
            return 0;
        }
    }
    return 1;
}

/* Checks the header. A killed writer may have reserved words without storing an entry, but not the reverse. */
static inline const char *check_header(const check_t *check)
{
    const header_t *header = check->cache->header;
    cat_response_cache_count_t count = cat_response_cache_count(check->cache);
    word_t written = check->reserved - check->cache->ring_length;

    if (check->reserved < check->cache->ring_length || check->reserved % LINE_WORDS) {
        return "reserved is no position after an entry";
    }
    if (count.stored > written / ENTRY_WORDS) {
        return "more entries are counted than were reserved";
    }
    return is_zero(header->padding, LINE_WORDS - 2) ? NULL : "the padding of the header was written to";
}

/* Marks contiguous words of the ring as occupied. Returns an error message if an entry already occupies one of their
 * lines. */
static inline const char *take_lines(const check_t *check, word_t offset, apr_size_t words)
{
    char *line = check->taken + offset / LINE_WORDS;

    for (apr_size_t i = 0; i < words / LINE_WORDS; i++) {
        if (line[i]++) {
            return "two entries overlap";
        }
    }
    return NULL;
}

static inline const char *check_entry(const check_t *check, const bucket_t *bucket, word_t way)
{
    word_t position = way_position(way, check->reserved), offset = position % check->cache->ring_length;
    const entry_t *entry = (const entry_t *)(check->cache->ring + offset);
    word_t lengths = cat_shared_load(&entry->lengths), hash = cat_shared_load(&entry->hash);
    apr_size_t words = count_entry_words(lengths >> 32, lengths & UINT32_MAX);

    if (cat_shared_load(&entry->position) != position) {
        return "an entry has another position than its way";
    }
    if (words > check->cache->ring_length / LARGEST_SHARE) {
        return "an entry is too large";
    }
    if (words > check->cache->ring_length - offset) {
        return "an entry extends past the end of the ring";
    }
    if (words > check->reserved - position) {
        return "an entry extends past reserved";
    }
    if (!has_tag(way, hash) || find_bucket(check->cache, hash) != bucket) {
        return "an entry has another hash than its way and bucket";
    }
    if ((cat_hash((const char *)entry->text, lengths >> 32) ^ cat_shared_load(&entry->owner)) != hash) {
        return "an entry's hash is not that of its key and owner";
    }
    return take_lines(check, offset, words);
}

static inline const char *check_way(const check_t *check, const bucket_t *bucket, word_t way)
{
    word_t position = way_position(way, check->reserved);

    if (position < check->cache->ring_length || position >= check->reserved || position % LINE_WORDS) {
        return "a way has a position that no entry ever had";
    }
    return check->reserved - position > check->cache->ring_length ? NULL : check_entry(check, bucket, way);
}

static inline const char *check_bucket(const check_t *check, const bucket_t *bucket)
{
    const char *fault = NULL;

    for (apr_size_t i = 0; i < WAYS && !fault; i++) {
        word_t way = cat_shared_load(&(*bucket)[i]);
        if (way && i && !cat_shared_load(&(*bucket)[i - 1])) {
            return "a way is in use after a free one";
        }
        for (apr_size_t earlier = 0; way && earlier < i; earlier++) {
            if (has_tag(cat_shared_load(&(*bucket)[earlier]), way)) {
                return "two ways of a bucket have the same tag";
            }
        }
        fault = way ? check_way(check, bucket, way) : NULL;
    }
    return fault;
}

/* Returns NULL if ring, index and counters are consistent, otherwise an error message. Waits for the writer; nothing is
 * stored during the check. `pool` is for temporary memory. */
static inline const char *check_response_cache(cat_response_cache_t *cache, apr_pool_t *pool)
{
    check_t check = {.cache = cache, .taken = apr_pcalloc(pool, cache->ring_length / LINE_WORDS)};
    const char *fault;
    apr_status_t rv;
    int held;

    while ((rv = cat_semaphore_enter(cache->write_lock, NULL, 0, &held)) == APR_EAGAIN) {
        sched_yield();
    }
    if (rv != APR_SUCCESS) {
        return "the write lock does not work";
    }
    check.reserved = cat_shared_load(&cache->header->reserved);
    fault = check_header(&check);
    for (apr_size_t i = 0; i < cache->bucket_count && !fault; i++) {
        fault = check_bucket(&check, &cache->buckets[i]);
    }
    cat_semaphore_leave(cache->write_lock, held);
    return fault;
}

#endif
