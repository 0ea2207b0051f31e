/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/cache.h"

#include <apr_shm.h>
#include <sched.h>
#include <string.h>

#include "lib/gate.h"
#include "lib/hash.h"

/*
 * Entries stand one behind the other in a ring of words. A place in it is counted from the first word that was ever written,
 * so that no place comes twice: the word is its rest by the ring's length. `reserved` is the place behind the last entry. What
 * lies further behind it than the ring is long has been given away.
 *
 * Who stores moves `reserved` before the first word of the entry, and puts its place into the index behind the last one. Who
 * finds copies the entry first, and then looks whether its place has been given away meanwhile. All words are loaded and stored
 * one by one and atomically, so that this is no race by C's rules either. One writes at a time, under a mutex that comes back
 * when its holder is killed: two could be in the ring a whole round apart, and meet.
 */
typedef apr_uint64_t word_t;

/* What is looked for is in main memory more often than not, and fetching it from there takes longer than all the rest. So what
 * belongs together begins with a line of the processor's caches. */
#define LINE 64
#define LINE_WORDS (LINE / sizeof(word_t))

/* A bucket of the index is a line: 16 bits of an entry's hash, and the lower 48 of its place. 0: none. */
#define WAYS LINE_WORDS
#define PLACE_BITS 48
#define PLACE_MASK ((UINT64_C(1) << PLACE_BITS) - 1)
typedef word_t bucket_t[WAYS];

/* One bucket for so many octets; an entry has some 300. */
#define OCTETS_A_BUCKET 2048

/* The words before an entry's key: a line. */
enum { PLACE, HASH, OWNER, EPOCH, GENERATION, MADE, BODY_HASH, LENGTHS, HEAD };

/* An entry has to be found by more than whom it pushes out. */
#define SHARE 16

/* A counter that all write to would be carried from core to core; so each core has its own, as far as these go. */
#define COUNTERS 16
typedef struct counter_t {
    word_t hits, misses;
    word_t unused[6];
} counter_t;

/* In shared memory; the ring and the index lie behind it. */
typedef struct shared_t {
    word_t reserved;
    word_t stored;
    word_t unused[6];
    counter_t counters[COUNTERS];
} shared_t;

struct cat_cache_t {
    shared_t *shared;
    bucket_t *buckets;
    apr_size_t bucket_count; /* a power of two */
    word_t *ring;
    word_t ring_length; /* words */
    apr_size_t size;
    cat_gate_t *gate;
};

/* APR puts a word of its own before the memory that it gives. */
static void *first_line(void *memory)
{
    return (char *)memory + (LINE - (apr_uintptr_t)memory % LINE) % LINE;
}

static apr_size_t whole_lines(apr_size_t words)
{
    return words / LINE_WORDS * LINE_WORDS;
}

apr_status_t cat_cache_create(cat_cache_t **cache, apr_pool_t *pool, apr_size_t size)
{
    cat_cache_t *c = apr_pcalloc(pool, sizeof(*c));
    apr_shm_t *shm;
    apr_status_t rv = apr_shm_create(&shm, size, NULL, pool);

    if (rv == APR_SUCCESS) {
        rv = cat_gate_create(&c->gate, pool, 1, 0);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    c->size = size;
    c->bucket_count = 1;
    while (c->bucket_count * 2 <= size / OCTETS_A_BUCKET) {
        c->bucket_count *= 2;
    }
    c->shared = first_line(apr_shm_baseaddr_get(shm)); /* zeroed: pages that nobody has written to */
    c->buckets = (bucket_t *)(c->shared + 1);
    c->ring = (word_t *)(c->buckets + c->bucket_count);
    c->ring_length = whole_lines(((char *)apr_shm_baseaddr_get(shm) + size - (char *)c->ring) / sizeof(word_t));
    c->shared->reserved = c->ring_length; /* 0 is no place */
    *cache = c;
    return APR_SUCCESS;
}

static word_t load(const word_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void store(word_t *word, word_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static apr_size_t count_words(apr_size_t octets)
{
    return (octets + sizeof(word_t) - 1) / sizeof(word_t);
}

/* Who chooses keys that meet in one bucket pushes out less than with keys that fill the ring. */
static word_t hash_of(const cat_item_t *item, apr_size_t key_length)
{
    return cat_hash(item->key, key_length) ^ (word_t)(apr_uintptr_t)item->owner;
}

static bucket_t *bucket_of(const cat_cache_t *cache, word_t hash)
{
    return &cache->buckets[hash & (cache->bucket_count - 1)];
}

static int has_tag(word_t way, word_t hash)
{
    return way >> PLACE_BITS == hash >> PLACE_BITS;
}

/* The last place before `reserved` with these lower bits. */
static word_t place_of(word_t way, word_t reserved)
{
    return reserved - ((reserved - way) & PLACE_MASK);
}

static int is_given_away(const cat_cache_t *cache, word_t place)
{
    return load(&cache->shared->reserved) - place > cache->ring_length;
}

/* ---- finding ---- */

/* A list has some hundreds of words, and atomic loads are not put together by the compiler. */
static void copy_out(void *to, const word_t *from, apr_size_t words)
{
#pragma GCC unroll 8
    for (apr_size_t i = 0; i < words; i++) {
        word_t word = load(from + i);
        memcpy((char *)to + i * sizeof(word), &word, sizeof(word));
    }
}

static int is_key(const word_t *words, const char *key, apr_size_t length)
{
    for (apr_size_t done = 0; done < length; done += sizeof(word_t)) {
        word_t word = 0;
        memcpy(&word, key + done, length - done < sizeof(word) ? length - done : sizeof(word));
        if (load(words + done / sizeof(word)) != word) {
            return 0;
        }
    }
    return 1;
}

/* Further ahead than this, the clock was set back since it was made. */
#define AHEAD apr_time_from_sec(1)

static int is_of_time(apr_time_t made, apr_time_t since, apr_time_t now)
{
    return made >= since && made <= now + AHEAD;
}

/* What is looked for, and gets the body. */
typedef struct wanted_t {
    cat_item_t *item;
    apr_size_t key_length;
    word_t hash;
    apr_time_t since;
} wanted_t;

/* What it reads may be of another entry by now, and be anything. */
static int is_wanted(const word_t *entry, word_t place, const wanted_t *wanted)
{
    const cat_item_t *item = wanted->item;

    return load(&entry[PLACE]) == place && load(&entry[HASH]) == wanted->hash &&
           load(&entry[OWNER]) == (word_t)(apr_uintptr_t)item->owner && load(&entry[EPOCH]) == item->ticket.epoch &&
           load(&entry[GENERATION]) == item->ticket.generation &&
           is_of_time((apr_time_t)load(&entry[MADE]), wanted->since, item->made) &&
           load(&entry[LENGTHS]) >> 32 == wanted->key_length && is_key(entry + HEAD, item->key, wanted->key_length);
}

#define LINES 5 /* of a product's entry */

/* Asks for all of it before the first word is waited for. */
static void fetch(const word_t *entry)
{
    for (apr_size_t line = 0; line < LINES; line++) {
        __builtin_prefetch(entry + line * LINE_WORDS);
    }
}

static int read_entry(const cat_cache_t *cache, apr_pool_t *pool, word_t place, const wanted_t *wanted)
{
    word_t offset = place % cache->ring_length;
    const word_t *entry = cache->ring + offset;
    apr_size_t before_body = HEAD + count_words(wanted->key_length), length;
    word_t body_hash;
    char *body;

    fetch(entry);
    if (before_body > cache->ring_length - offset || !is_wanted(entry, place, wanted)) {
        return 0;
    }
    length = load(&entry[LENGTHS]) & UINT32_MAX;
    body_hash = load(&entry[BODY_HASH]);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (is_given_away(cache, place)) {
        return 0;
    }
    body = apr_palloc(pool, count_words(length) * sizeof(word_t));
    copy_out(body, entry + before_body, count_words(length));
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (is_given_away(cache, place)) {
        return 0;
    }
    wanted->item->body = body;
    wanted->item->length = length;
    wanted->item->hash = body_hash;
    return 1;
}

static int find(const cat_cache_t *cache, apr_pool_t *pool, const wanted_t *wanted)
{
    const bucket_t *bucket = bucket_of(cache, wanted->hash);
    word_t reserved = __atomic_load_n(&cache->shared->reserved, __ATOMIC_ACQUIRE);

    for (apr_size_t i = 0; i < WAYS; i++) {
        word_t way = __atomic_load_n(&(*bucket)[i], __ATOMIC_ACQUIRE);
        word_t place = place_of(way, reserved);
        if (way && has_tag(way, wanted->hash) && reserved - place <= cache->ring_length &&
            read_entry(cache, pool, place, wanted)) {
            return 1;
        }
    }
    return 0;
}

int cat_cache_find(cat_cache_t *cache, apr_pool_t *pool, cat_item_t *item, apr_time_t since)
{
    apr_size_t key_length = strlen(item->key);
    wanted_t wanted = {item, key_length, hash_of(item, key_length), since};
    int found = find(cache, pool, &wanted);
    counter_t *counter = &cache->shared->counters[(unsigned)sched_getcpu() % COUNTERS];

    __atomic_fetch_add(found ? &counter->hits : &counter->misses, 1, __ATOMIC_RELAXED);
    return found;
}

/* ---- storing ---- */

static void copy_in(word_t *to, const char *from, apr_size_t length)
{
    for (apr_size_t done = 0; done < length; done += sizeof(word_t)) {
        word_t word = 0;
        memcpy(&word, from + done, length - done < sizeof(word) ? length - done : sizeof(word));
        store(to++, word);
    }
}

/* An entry is not divided: where the ring's end is too near it begins anew. */
static word_t reserve(cat_cache_t *cache, apr_size_t words)
{
    word_t place = load(&cache->shared->reserved);
    word_t left = cache->ring_length - place % cache->ring_length;

    place += left < words ? left : 0;
    store(&cache->shared->reserved, place + words);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return place;
}

static void write_entry(word_t *entry, word_t place, word_t hash, const cat_item_t *item, apr_size_t key_length)
{
    store(&entry[PLACE], place);
    store(&entry[HASH], hash);
    store(&entry[OWNER], (word_t)(apr_uintptr_t)item->owner);
    store(&entry[EPOCH], item->ticket.epoch);
    store(&entry[GENERATION], item->ticket.generation);
    store(&entry[MADE], (word_t)item->made);
    store(&entry[LENGTHS], (word_t)key_length << 32 | item->length);
    store(&entry[BODY_HASH], item->hash);
    copy_in(entry + HEAD, item->key, key_length);
    copy_in(entry + HEAD + count_words(key_length), item->body, item->length);
}

/* The way of the same key, or of one that happens to have its tag; else the one that was stored first. */
static word_t *choose_way(bucket_t *bucket, word_t hash, word_t reserved)
{
    word_t *oldest = &(*bucket)[0];

    for (apr_size_t i = 0; i < WAYS; i++) {
        word_t *way = &(*bucket)[i];
        if (!load(way) || has_tag(load(way), hash)) {
            return way;
        }
        if (place_of(load(way), reserved) < place_of(load(oldest), reserved)) {
            oldest = way;
        }
    }
    return oldest;
}

void cat_cache_store(cat_cache_t *cache, const cat_item_t *item)
{
    apr_size_t key_length = strlen(item->key);
    apr_size_t words = whole_lines(HEAD + count_words(key_length) + count_words(item->length) + LINE_WORDS - 1);
    word_t hash = hash_of(item, key_length), place, *way;
    int held;

    if (words > cache->ring_length / SHARE || cat_gate_enter(cache->gate, 0, &held) != APR_SUCCESS) {
        return;
    }
    place = reserve(cache, words);
    write_entry(cache->ring + place % cache->ring_length, place, hash, item, key_length);
    way = choose_way(bucket_of(cache, hash), hash, place + words);
    __atomic_store_n(way, (hash & ~PLACE_MASK) | (place & PLACE_MASK), __ATOMIC_RELEASE);
    store(&cache->shared->stored, load(&cache->shared->stored) + 1);
    cat_gate_leave(cache->gate, held);
}

cat_cache_count_t cat_cache_count(const cat_cache_t *cache)
{
    cat_cache_count_t count = {.stored = load(&cache->shared->stored), .size = cache->size};

    for (int i = 0; i < COUNTERS; i++) {
        count.hits += load(&cache->shared->counters[i].hits);
        count.misses += load(&cache->shared->counters[i].misses);
    }
    return count;
}
