/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of response bodies in shared memory: an index of buckets, and a ring of entries.
 *
 * A new entry is written after the newest one, over the oldest ones. The index is a hash table; the ways of a bucket
 * hold positions of entries. Nothing is removed from the index, because a position itself tells whether its entry was
 * overwritten. Invalid entries stay, too: a lookup compares the stamp (shm/generations.h) with the current stamp, and
 * the next put of the key replaces the way.
 *
 * The shared memory segment; each row begins at a cache line:
 *
 *   +-----------------------------------------------------------------+
 *   | header_t   reserved, stored                                     |
 *   +-----------------------------------------------------------------+
 *   | index      buckets[bucket_count], one line each:                |
 *   |            way[8]: 16 bits of the hash | 48 of the position     |
 *   +-----------------------------------------------------------------+
 *   | ring       ring_length words:                                   |
 *   |            [entry][entry]..[entry] | [entry]..[entry] | (rest)  |
 *   |             newer             newest  oldest                    |
 *   +-----------------------------------^-----------------------------+
 *                                       reserved % ring_length
 */
#include "shm/response_cache.h"

#include <apr_shm.h>
#include <string.h>

#include "lib/hash.h"
#include "shm/semaphore.h"
#include "shm/shared.h"

typedef apr_uint64_t word_t;

/* A lookup mostly waits for main memory, so data that is read together is in one cache line. */
#define LINE_WORDS (CAT_SHARED_LINE / sizeof(word_t))

/* A way is 0 if it is free. */
#define WAYS LINE_WORDS
#define POSITION_BITS 48
#define POSITION_MASK ((UINT64_C(1) << POSITION_BITS) - 1)
typedef cat_shared_word_t bucket_t[WAYS];

/* One bucket per 2 KiB of the segment: about as many ways as the ring has entries of 300 bytes, the size of a
 * product. */
#define BYTES_PER_BUCKET 2048

/*
 * An entry occupies whole lines and is contiguous. An entry that does not fit before the end of the ring begins at its
 * start, and the rest stays unused. Key and body are zero-padded to whole words.
 *
 * A position is the number of words written since the cache was created, so no two entries have the same position. Its
 * word in the ring is position % ring_length. Entries before header_t.reserved - ring_length are overwritten, or about
 * to be.
 */
typedef struct entry_t {
    cat_shared_word_t position; /* position of the entry itself; a reader recognizes the entry by it */
    cat_shared_word_t hash;     /* hash of key and owner */
    cat_shared_word_t owner;
    cat_shared_word_t epoch, generation; /* stamp */
    cat_shared_word_t made;
    cat_shared_word_t body_hash;
    cat_shared_word_t lengths; /* lengths in bytes: of the key in the upper half, of the body in the lower half */
    cat_shared_word_t text[];  /* key, followed by the body */
} entry_t;

#define ENTRY_WORDS (sizeof(entry_t) / sizeof(word_t))
_Static_assert(sizeof(entry_t) == CAT_SHARED_LINE, "the fields of an entry are one line");

/* Largest entry: 1/16 of the ring, so that one body cannot evict most others. */
#define LARGEST_SHARE 16

typedef struct header_t {
    cat_shared_word_t reserved; /* position after the newest entry; only the writer stores it */
    cat_shared_word_t stored;   /* only the writer stores it */
    cat_shared_word_t padding[LINE_WORDS - 2];
} header_t;

/* Each process has a copy, which does not change after the fork. */
struct cat_response_cache_t {
    header_t *header;
    bucket_t *buckets;
    apr_size_t bucket_count; /* a power of two */
    cat_shared_word_t *ring;
    word_t ring_length; /* in words, a multiple of a line */
    apr_size_t size;
    cat_semaphore_t *write_lock;
};

static apr_size_t round_down_to_line(apr_size_t words)
{
    return words / LINE_WORDS * LINE_WORDS;
}

apr_status_t cat_response_cache_create(cat_response_cache_t **cache, apr_pool_t *pool, apr_size_t size)
{
    cat_response_cache_t *c = apr_pcalloc(pool, sizeof(*c));
    apr_shm_t *shm;
    apr_status_t rv = apr_shm_create(&shm, size, NULL, pool);

    if (rv == APR_SUCCESS) {
        rv = cat_semaphore_create(&c->write_lock, pool, &(cat_semaphore_size_t){.slots = 1});
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    c->size = size;
    c->bucket_count = 1;
    while (c->bucket_count * 2 <= size / BYTES_PER_BUCKET) {
        c->bucket_count *= 2;
    }
    c->header = cat_shared_align(apr_shm_baseaddr_get(shm)); /* new pages are zeroed */
    c->buckets = (bucket_t *)(c->header + 1);
    c->ring = (cat_shared_word_t *)(c->buckets + c->bucket_count);
    c->ring_length = round_down_to_line(((char *)apr_shm_baseaddr_get(shm) + size - (char *)c->ring) / sizeof(word_t));
    atomic_init(&c->header->reserved, c->ring_length); /* so that no position is 0 */
    *cache = c;
    return APR_SUCCESS;
}

static void store_word(cat_shared_word_t *word, word_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static apr_size_t count_words(apr_size_t bytes)
{
    return (bytes + sizeof(word_t) - 1) / sizeof(word_t);
}

static apr_size_t count_entry_words(apr_size_t key_length, apr_size_t body_length)
{
    return round_down_to_line(ENTRY_WORDS + count_words(key_length) + count_words(body_length) + LINE_WORDS - 1);
}

/* Unkeyed, because a client that chooses keys for one bucket evicts less than a client that fills the ring. */
static word_t hash_key(const cat_item_t *item, apr_size_t key_length)
{
    return cat_hash(item->key, key_length) ^ (word_t)(apr_uintptr_t)item->owner;
}

static bucket_t *find_bucket(const cat_response_cache_t *cache, word_t hash)
{
    return &cache->buckets[hash & (cache->bucket_count - 1)];
}

static int has_tag(word_t way, word_t hash)
{
    return way >> POSITION_BITS == hash >> POSITION_BITS;
}

/* Returns the last position before `reserved` that has the same lower bits as the way. */
static word_t way_position(word_t way, word_t reserved)
{
    return reserved - ((reserved - way) & POSITION_MASK);
}

static int is_overwritten(const cat_response_cache_t *cache, word_t position)
{
    return cat_shared_load(&cache->header->reserved) - position > cache->ring_length;
}

/*
 * A writer increases `reserved` before it writes the first word of an entry, and sets the way after the last word. A
 * reader copies the body and then checks that the entry was not overwritten meanwhile. Every word is loaded and stored
 * atomically, so this is not a data race in C either.
 *
 * A robust mutex allows one writer at a time, because two writers could be one round of the ring apart and write the
 * same words. A writer that is killed leaves only words that no way points to.
 */

/* ---- get ---- */

/* Unrolled by hand, because the compiler does not unroll atomic loads and a list has hundreds of words
 * (docs/decisions/0030-tricks-that-pay.md). */
static void copy_out(void *to, const cat_shared_word_t *from, apr_size_t words)
{
#pragma GCC unroll 8
    for (apr_size_t i = 0; i < words; i++) {
        word_t word = cat_shared_load(from + i);
        memcpy((char *)to + i * sizeof(word), &word, sizeof(word));
    }
}

static int is_key(const cat_shared_word_t *words, const char *key, apr_size_t length)
{
    for (apr_size_t done = 0; done < length; done += sizeof(word_t)) {
        word_t word = 0;
        memcpy(&word, key + done, length - done < sizeof(word) ? length - done : sizeof(word));
        if (cat_shared_load(words + done / sizeof(word)) != word) {
            return 0;
        }
    }
    return 1;
}

/* Entries that are further in the future were made before the clock was set back. */
#define CLOCK_TOLERANCE apr_time_from_sec(1)

typedef struct lookup_t {
    cat_item_t *item; /* has owner, key and stamp; receives the body */
    apr_size_t key_length;
    word_t hash;
    apr_time_t since;
} lookup_t;

/* A writer may overwrite the entry during this call, so its members can have any value. */
static int is_match(const entry_t *entry, word_t position, const lookup_t *lookup)
{
    const cat_item_t *item = lookup->item;
    apr_time_t made = (apr_time_t)cat_shared_load(&entry->made);

    return cat_shared_load(&entry->position) == position && cat_shared_load(&entry->hash) == lookup->hash &&
           cat_shared_load(&entry->owner) == (word_t)(apr_uintptr_t)item->owner &&
           cat_shared_load(&entry->epoch) == item->stamp.epoch &&
           cat_shared_load(&entry->generation) == item->stamp.generation && made >= lookup->since &&
           made <= item->made + CLOCK_TOLERANCE && cat_shared_load(&entry->lengths) >> 32 == lookup->key_length &&
           is_key(entry->text, item->key, lookup->key_length);
}

static int read_entry(const cat_response_cache_t *cache, apr_pool_t *pool, word_t position, const lookup_t *lookup)
{
    word_t offset = position % cache->ring_length;
    const entry_t *entry = (const entry_t *)(cache->ring + offset);
    apr_size_t before_body = ENTRY_WORDS + count_words(lookup->key_length), length;
    word_t body_hash;
    char *body;

    if (before_body > cache->ring_length - offset || !is_match(entry, position, lookup)) {
        return 0;
    }
    length = cat_shared_load(&entry->lengths) & UINT32_MAX;
    body_hash = cat_shared_load(&entry->body_hash);
    atomic_thread_fence(memory_order_acquire);
    if (is_overwritten(cache, position)) {
        return 0; /* `length` can have any value, too */
    }
    body = apr_palloc(pool, count_words(length) * sizeof(word_t));
    copy_out(body, (const cat_shared_word_t *)entry + before_body, count_words(length));
    atomic_thread_fence(memory_order_acquire);
    if (is_overwritten(cache, position)) {
        return 0;
    }
    lookup->item->body = body;
    lookup->item->length = length;
    lookup->item->hash = body_hash;
    return 1;
}

int cat_response_cache_get(cat_response_cache_t *cache, apr_pool_t *pool, cat_item_t *item, apr_time_t since)
{
    apr_size_t key_length = strlen(item->key);
    const lookup_t lookup = {item, key_length, hash_key(item, key_length), since};
    const bucket_t *bucket = find_bucket(cache, lookup.hash);
    word_t reserved = cat_shared_acquire(&cache->header->reserved);

    for (apr_size_t i = 0; i < WAYS; i++) {
        word_t way = cat_shared_acquire(&(*bucket)[i]);
        word_t position = way_position(way, reserved);
        if (way && has_tag(way, lookup.hash) && reserved - position <= cache->ring_length &&
            read_entry(cache, pool, position, &lookup)) {
            return 1;
        }
    }
    return 0;
}

/* ---- put ---- */

static void copy_in(cat_shared_word_t *to, const char *from, apr_size_t length)
{
    for (apr_size_t done = 0; done < length; done += sizeof(word_t)) {
        word_t word = 0;
        memcpy(&word, from + done, length - done < sizeof(word) ? length - done : sizeof(word));
        store_word(to++, word);
    }
}

/* Reserves contiguous words for an entry and returns their position. From now on no reader accepts the old contents of
 * the words. */
static word_t reserve_words(cat_response_cache_t *cache, apr_size_t words)
{
    word_t position = cat_shared_load(&cache->header->reserved);
    word_t left = cache->ring_length - position % cache->ring_length;

    position += left < words ? left : 0;
    store_word(&cache->header->reserved, position + words);
    atomic_thread_fence(memory_order_release);
    return position;
}

static void write_entry(entry_t *entry, word_t position, word_t hash, const cat_item_t *item, apr_size_t key_length)
{
    store_word(&entry->position, position);
    store_word(&entry->hash, hash);
    store_word(&entry->owner, (word_t)(apr_uintptr_t)item->owner);
    store_word(&entry->epoch, item->stamp.epoch);
    store_word(&entry->generation, item->stamp.generation);
    store_word(&entry->made, (word_t)item->made);
    store_word(&entry->lengths, (word_t)key_length << 32 | item->length);
    store_word(&entry->body_hash, item->hash);
    copy_in(entry->text, item->key, key_length);
    copy_in(entry->text + count_words(key_length), item->body, item->length);
}

/* Returns the way with the same tag, which nearly always has the same key. Otherwise returns the first free way, or
 * else the oldest. */
static cat_shared_word_t *choose_way(bucket_t *bucket, word_t hash, word_t reserved)
{
    cat_shared_word_t *oldest = &(*bucket)[0];

    for (apr_size_t i = 0; i < WAYS; i++) {
        cat_shared_word_t *way = &(*bucket)[i];
        if (!cat_shared_load(way) || has_tag(cat_shared_load(way), hash)) {
            return way;
        }
        if (way_position(cat_shared_load(way), reserved) < way_position(cat_shared_load(oldest), reserved)) {
            oldest = way;
        }
    }
    return oldest;
}

int cat_response_cache_put(cat_response_cache_t *cache, const cat_item_t *item)
{
    apr_size_t key_length = strlen(item->key);
    apr_size_t words = count_entry_words(key_length, item->length);
    word_t hash = hash_key(item, key_length), position;
    cat_shared_word_t *way;
    int held;

    if (words > cache->ring_length / LARGEST_SHARE ||
        cat_semaphore_enter(cache->write_lock, NULL, 0, &held) != APR_SUCCESS) {
        return 0;
    }
    position = reserve_words(cache, words);
    write_entry((entry_t *)(cache->ring + position % cache->ring_length), position, hash, item, key_length);
    way = choose_way(find_bucket(cache, hash), hash, position + words);
    atomic_store_explicit(way, (hash & ~POSITION_MASK) | (position & POSITION_MASK), memory_order_release);
    store_word(&cache->header->stored, cat_shared_load(&cache->header->stored) + 1);
    cat_semaphore_leave(cache->write_lock, held);
    return 1;
}

cat_response_cache_count_t cat_response_cache_count(const cat_response_cache_t *cache)
{
    word_t written = cat_shared_load(&cache->header->reserved) - cache->ring_length;

    return (cat_response_cache_count_t){
        .stored = cat_shared_load(&cache->header->stored),
        .size = cache->size,
        .used = (written < cache->ring_length ? written : cache->ring_length) * sizeof(word_t),
    };
}
