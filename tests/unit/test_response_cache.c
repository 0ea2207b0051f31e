/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "response_cache_check.h"

#define NOW apr_time_from_sec(1800000000)

static const cat_stamp_t stamp = {7, 9};

static cat_response_cache_t *make_cache(apr_pool_t *pool, apr_size_t size)
{
    cat_response_cache_t *cache;

    assert_int_equal(cat_response_cache_create(&cache, pool, size), APR_SUCCESS);
    return cache;
}

static cat_item_t item_of(const char *key)
{
    return (cat_item_t){.owner = &stamp, .key = key, .stamp = stamp, .made = NOW};
}

static void put_body(cat_response_cache_t *cache, cat_item_t item, const char *body)
{
    item.body = body;
    item.length = strlen(body);
    cat_response_cache_put(cache, &item);
}

/* The body, or NULL. */
static const char *get_body(apr_pool_t *pool, cat_response_cache_t *cache, cat_item_t item)
{
    return cat_response_cache_get(cache, pool, &item, NOW) ? apr_pstrmemdup(pool, item.body, item.length) : NULL;
}

static void test_finds_what_was_stored(void **state)
{
    cat_response_cache_t *cache = make_cache(*state, CAT_RESPONSE_CACHE_LEAST);

    assert_null(get_body(*state, cache, item_of("a")));
    for (int length = 0; length < 40; length++) {
        const char *key = apr_psprintf(*state, "%0*d", length + 1, 7);
        const char *body = apr_psprintf(*state, "%.*s", length, "The quick brown fox jumps over the lazy dog");
        put_body(cache, item_of(key), body);
        assert_string_equal(get_body(*state, cache, item_of(key)), body);
    }
    put_body(cache, item_of("a"), "one");
    put_body(cache, item_of("a"), "another");
    assert_string_equal(get_body(*state, cache, item_of("a")), "another");
}

static void test_finds_no_other_entry(void **state)
{
    cat_response_cache_t *cache = make_cache(*state, CAT_RESPONSE_CACHE_LEAST);
    cat_item_t item = item_of("12345678");
    cat_item_t others[] = {item, item, item, item, item};

    put_body(cache, item, "body");
    others[0].owner = cache;
    others[1].key = "1234567";
    others[2].key = "123456789";
    others[3].stamp.epoch++;
    others[4].stamp.generation++;
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        assert_null(get_body(*state, cache, others[i]));
    }
    assert_string_equal(get_body(*state, cache, item), "body");
}

static void test_finds_no_entry_that_is_too_old(void **state)
{
    cat_response_cache_t *cache = make_cache(*state, CAT_RESPONSE_CACHE_LEAST);
    cat_item_t item = item_of("a");

    put_body(cache, item, "body");
    assert_true(cat_response_cache_get(cache, *state, &item, NOW));
    assert_false(cat_response_cache_get(cache, *state, &item, NOW + 1));
    item.made = NOW - apr_time_from_sec(3600); /* the clock was set back */
    assert_false(cat_response_cache_get(cache, *state, &item, NOW - apr_time_from_sec(3601)));
}

static void test_new_entries_evict_the_oldest(void **state)
{
    cat_response_cache_t *cache = make_cache(*state, CAT_RESPONSE_CACHE_LEAST);
    int first = -1, found = 0, count = 1000;
    char body[200];

    memset(body, 'x', sizeof(body));
    for (int i = 0; i < count; i++) {
        put_body(cache, item_of(apr_itoa(*state, i)), apr_psprintf(*state, "%d %.*s", i, (int)sizeof(body), body));
    }
    for (int i = 0; i < count; i++) {
        const char *got = get_body(*state, cache, item_of(apr_itoa(*state, i)));
        if (got) {
            assert_int_equal(atoi(got), i);
            first = first < 0 ? i : first;
            found++;
        }
    }
    assert_in_range(found, 100, CAT_RESPONSE_CACHE_LEAST / sizeof(body));
    assert_true(first >= count - CAT_RESPONSE_CACHE_LEAST / (int)sizeof(body));
    assert_non_null(get_body(*state, cache, item_of(apr_itoa(*state, count - 1))));
}

static void test_large_bodies_are_not_stored(void **state)
{
    cat_response_cache_t *cache = make_cache(*state, CAT_RESPONSE_CACHE_LEAST);
    char *body = apr_pcalloc(*state, CAT_RESPONSE_CACHE_LEAST);

    memset(body, 'x', CAT_RESPONSE_CACHE_LEAST / 16);
    put_body(cache, item_of("small"), "body");
    put_body(cache, item_of("large"), body);
    assert_null(get_body(*state, cache, item_of("large")));
    assert_string_equal(get_body(*state, cache, item_of("small")), "body");
    body[CAT_RESPONSE_CACHE_LEAST / 20] = '\0';
    put_body(cache, item_of("large"), body);
    assert_string_equal(get_body(*state, cache, item_of("large")), body);
}

static void test_counts_what_is_stored(void **state)
{
    cat_response_cache_t *cache = make_cache(*state, CAT_RESPONSE_CACHE_LEAST);
    cat_response_cache_count_t count;

    put_body(cache, item_of("a"), "body");
    count = cat_response_cache_count(cache);
    assert_int_equal(count.stored, 1);
    assert_int_equal(count.size, CAT_RESPONSE_CACHE_LEAST);
    assert_int_equal(count.used, 128); /* a line of fields, and one of key and body */
    for (int i = 0; i < 5000; i++) {
        put_body(cache, item_of("a"), "body");
    }
    count = cat_response_cache_count(cache);
    assert_int_equal(count.stored, 5001);
    assert_in_range(count.used, CAT_RESPONSE_CACHE_LEAST / 2, CAT_RESPONSE_CACHE_LEAST);
}

/* The words in which the check finds damage: `reserved`, `stored` and the padding of the header, all ways, and what identifies the
 * entry. It cannot check the entry's body, stamp and times, nor words outside of any entry. */
#define CHECKED_WORDS (1 + 1 + 6 + 32 * 8 + 5)

/* Damages the segment, which is the first field of the handle. */
static void test_check_finds_damage(void **state)
{
    cat_response_cache_t *cache = make_cache(*state, CAT_RESPONSE_CACHE_LEAST);
    apr_uint64_t *words = *(apr_uint64_t **)cache;
    int faults = 0;

    assert_null(check_response_cache(cache, *state));
    put_body(cache, item_of("12345678"), "body");
    assert_null(check_response_cache(cache, *state));
    for (size_t i = 0; i < CAT_RESPONSE_CACHE_LEAST / sizeof(*words) - 8; i++) {
        words[i] = ~words[i];
        faults += check_response_cache(cache, *state) != NULL;
        words[i] = ~words[i];
    }
    assert_int_equal(faults, CHECKED_WORDS);
    assert_null(check_response_cache(cache, *state));
}

/* ---- many threads and processes ---- */

#define KEYS 300
#define BODY_MOST 700

/* Each word of a body contains the key and the length of the body. */
static void write_body(char *body, int key, unsigned *seed)
{
    int length = 9 * (1 + rand_r(seed) % (BODY_MOST / 9));

    for (int i = 0; i < length; i += 9) {
        apr_snprintf(body + i, 10, "%04d%04d|", key, length);
    }
}

static int is_whole(const cat_item_t *item, int key)
{
    char word[10];

    apr_snprintf(word, sizeof(word), "%04d%04d|", key, (int)item->length);
    for (apr_size_t i = 0; i < item->length; i += 9) {
        if (memcmp(item->body + i, word, 9) != 0) {
            return 0;
        }
    }
    return item->length % 9 == 0;
}

static const char *check_cache(cat_response_cache_t *cache)
{
    apr_pool_t *pool;
    const char *fault;

    apr_pool_create_unmanaged_ex(&pool, NULL, NULL);
    fault = check_response_cache(cache, pool);
    apr_pool_destroy(pool);
    return fault;
}

/* Gets and puts at random. Returns how many bodies were found; -1: one was not whole. */
static int work(cat_response_cache_t *cache, unsigned seed, int rounds)
{
    apr_pool_t *pool;
    int found = 0;

    apr_pool_create_unmanaged_ex(&pool, NULL, NULL);
    for (int i = 0; i < rounds && found >= 0; i++) {
        int key = rand_r(&seed) % KEYS;
        cat_item_t item = item_of(apr_itoa(pool, key));
        if (cat_response_cache_get(cache, pool, &item, NOW)) {
            found = is_whole(&item, key) ? found + 1 : -1;
        } else {
            char body[BODY_MOST + 1];
            write_body(body, key, &seed);
            put_body(cache, item_of(item.key), body);
        }
        apr_pool_clear(pool);
    }
    apr_pool_destroy(pool);
    return found;
}

typedef struct worker_t {
    pthread_t thread;
    cat_response_cache_t *cache;
    unsigned seed;
    int found;
    atomic_int *running; /* number of running workers */
} worker_t;

#define ROUNDS 100000

static void *run_worker(void *baton)
{
    worker_t *w = baton;

    w->found = work(w->cache, w->seed, ROUNDS);
    atomic_fetch_sub_explicit(w->running, 1, memory_order_seq_cst);
    return NULL;
}

/* All bodies together are larger than the ring, so that it wraps around all the time. */
static void test_threads_get_whole_bodies(void **state)
{
    cat_response_cache_t *cache = make_cache(*state, CAT_RESPONSE_CACHE_LEAST);
    worker_t workers[4];
    atomic_int running = UNIT_COUNT(workers);
    int checks = 0;
    const char *fault = NULL;

    for (unsigned i = 0; i < UNIT_COUNT(workers); i++) {
        workers[i] = (worker_t){.cache = cache, .seed = i, .running = &running};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]), 0);
    }
    for (; !fault && atomic_load_explicit(&running, memory_order_seq_cst); checks++) {
        fault = check_cache(cache);
        usleep(100);
    }
    for (unsigned i = 0; i < UNIT_COUNT(workers); i++) {
        pthread_join(workers[i].thread, NULL);
        assert_true(workers[i].found > ROUNDS / 10);
    }
    assert_true(checks > 0);
    assert_null(fault);
    assert_null(check_cache(cache));
}

static pid_t fork_worker(cat_response_cache_t *cache, unsigned seed, int rounds)
{
    pid_t pid = fork();

    if (pid == 0) {
        _exit(work(cache, seed, rounds) > rounds / 10 ? 0 : 1);
    }
    return pid;
}

static void test_killed_processes_cause_no_damage(void **state)
{
    cat_response_cache_t *cache = make_cache(*state, CAT_RESPONSE_CACHE_LEAST);
    pid_t pids[3];
    int status;

    for (unsigned i = 0; i < UNIT_COUNT(pids); i++) {
        pids[i] = fork_worker(cache, i, ROUNDS);
    }
    for (unsigned i = 0; i < 100; i++) {
        pid_t victim = fork_worker(cache, 100 + i, ROUNDS * 100);
        usleep(1000 + i * 10);
        kill(victim, SIGKILL);
        waitpid(victim, &status, 0);
        assert_true(WIFSIGNALED(status));
        assert_null(check_cache(cache));
    }
    for (unsigned i = 0; i < UNIT_COUNT(pids); i++) {
        waitpid(pids[i], &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_true(work(cache, 5, ROUNDS) > ROUNDS / 10);
    assert_null(check_cache(cache));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_finds_what_was_stored),
        UNIT_TEST(test_finds_no_other_entry),
        UNIT_TEST(test_finds_no_entry_that_is_too_old),
        UNIT_TEST(test_new_entries_evict_the_oldest),
        UNIT_TEST(test_large_bodies_are_not_stored),
        UNIT_TEST(test_counts_what_is_stored),
        UNIT_TEST(test_check_finds_damage),
        UNIT_TEST(test_threads_get_whole_bodies),
        UNIT_TEST(test_killed_processes_cause_no_damage),
    };
    return UNIT_RUN(tests);
}
