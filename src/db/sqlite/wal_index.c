/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells in some nanoseconds whether anybody has committed to a SQLite database, in this process or in another one. The
 * response cache asks before each answer that it gives.
 *
 * SQLite keeps the "WAL index" beside the database, a file that each process maps into its memory. It begins with two
 * copies of a header:
 *
 *     word    0        2        7            10      | 12       14       19           22
 *             version  commits  checksum of  of this | version  commits  checksum of  of this
 *                               last frame   header  |                   last frame   header
 *             ---------- first copy ---------------- | ---------- second copy ---------------
 *
 * A writer updates the second copy, then the first; a reader trusts a header when both are equal. So the second copy shows
 * a commit no later than any reader sees it. The state is its counter of commits with the checksum of the last frame, for
 * the counter starts anew when SQLite recovers the index. Two states are equal only if nobody has committed in between.
 *
 * Pitfalls: closing any descriptor of a file releases all locks that the process has on it, SQLite's included, so the
 * descriptor stays open. And SQLite deletes the files with its last connection; the state is only known while a connection
 * that has read is open, which callers report with _hold and _release.
 */
#include "db/sqlite/wal_index.h"

#include <apr_errno.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "db/sqlite/files.h"

/* Words of a header. */
enum { VERSION = 0, CHANGE = 2, FRAME_SUM = 7, SUM = 10, HEADER = 12 };

#define KNOWN_VERSION 3007000

/* How often a header is read that does not look like one: a writer may be changing it. */
#define TRIES 1000

#define LOOK_INTERVAL apr_time_from_sec(1)

/* SQLite writes these words, in this process or another one. */
typedef _Atomic apr_uint32_t index_word_t;
_Static_assert(sizeof(index_word_t) == 4, "atomic types are padded here");

struct cat_wal_index_t {
    apr_pool_t *pool; /* of the child */
    apr_thread_mutex_t *mutex;
    /* ---- guarded by the mutex ---- */
    int is_none; /* flag: the WAL index cannot be used */
    cat_files_t files;
    int descriptor; /* of the index, -1: none */
    /* ---- atomic ---- */
    _Atomic(const index_word_t *) page; /* its beginning; stays mapped, for readers that are late */
    atomic_int held;                    /* connections; written last, under the mutex */
    _Atomic apr_time_t looked;          /* when a reader last compared the files */
};

apr_status_t cat_wal_index_create(cat_wal_index_t **wal_index, apr_pool_t *pool)
{
    cat_wal_index_t *c = apr_pcalloc(pool, sizeof(*c));
    c->pool = pool;
    c->descriptor = -1;
    *wal_index = c;
    return apr_thread_mutex_create(&c->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

static apr_uint32_t load_word(const index_word_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

/* The checksum at the end of SQLite's header. */
static int has_checksum(const apr_uint32_t *header)
{
    apr_uint32_t a = 0, b = 0;

    for (int i = 0; i < SUM; i += 2) {
        a += header[i] + b;
        b += header[i + 1] + a;
    }
    return a == header[SUM] && b == header[SUM + 1];
}

static int is_known_index(const index_word_t *page)
{
    for (int tries = 0; tries < TRIES; tries++) {
        apr_uint32_t header[HEADER];
        for (int i = 0; i < HEADER; i++) {
            header[i] = load_word(&page[HEADER + i]);
        }
        if (header[VERSION] == KNOWN_VERSION && has_checksum(header)) {
            return 1;
        }
    }
    return 0;
}

/* If a descriptor is still open, SQLite has deleted its file since: closing it releases no lock that is needed. */
static apr_status_t map_index(cat_wal_index_t *c)
{
    long size = sysconf(_SC_PAGESIZE);
    int descriptor = open(c->files.paths[CAT_FILE_INDEX], O_RDONLY | O_CLOEXEC);
    const index_word_t *mapped = atomic_load_explicit(&c->page, memory_order_relaxed);
    void *page;

    if (descriptor < 0) {
        return errno;
    }
    page = mmap((void *)mapped, (size_t)size, PROT_READ, MAP_SHARED | (mapped ? MAP_FIXED : 0), descriptor, 0);
    if (c->descriptor >= 0) {
        close(c->descriptor);
    }
    c->descriptor = descriptor;
    if (page == MAP_FAILED) {
        return errno;
    }
    atomic_store_explicit(&c->page, page, memory_order_release);
    return APR_SUCCESS;
}

static apr_status_t open_index(cat_wal_index_t *c, const char *file)
{
    apr_uint64_t mapped = c->files.identities[CAT_FILE_INDEX];
    apr_status_t rv = APR_SUCCESS;

    if (c->files.paths[CAT_FILE_DATABASE]) {
        cat_files_look(&c->files);
    } else {
        cat_files_find(&c->files, c->pool, apr_pstrdup(c->pool, file));
    }
    if (c->descriptor < 0 || c->files.identities[CAT_FILE_INDEX] != mapped) {
        rv = map_index(c);
    }
    return rv == APR_SUCCESS && !is_known_index(atomic_load_explicit(&c->page, memory_order_relaxed)) ? APR_EMISMATCH
                                                                                                      : rv;
}

int cat_wal_index_hold(cat_wal_index_t *wal_index, cat_generations_t *generations, const char *file,
                       const cat_log_t *log)
{
    apr_status_t rv = APR_SUCCESS;
    int is_first, held;

    apr_thread_mutex_lock(wal_index->mutex);
    is_first = atomic_load_explicit(&wal_index->held, memory_order_relaxed) == 0 && !wal_index->is_none;
    if (is_first) {
        rv = open_index(wal_index, file);
        wal_index->is_none = rv != APR_SUCCESS;
        cat_generations_invalidate_all(generations); /* before other threads can read the state */
    }
    held = !wal_index->is_none;
    atomic_fetch_add_explicit(&wal_index->held, held, memory_order_release);
    apr_thread_mutex_unlock(wal_index->mutex);
    if (rv != APR_SUCCESS) {
        cat_log(log, CAT_LOG_NOTICE, rv,
                "CAT057: %s: its WAL index cannot be used, so this child does not use the response cache", file);
    }
    return held;
}

void cat_wal_index_release(cat_wal_index_t *wal_index)
{
    apr_thread_mutex_lock(wal_index->mutex);
    atomic_fetch_sub_explicit(&wal_index->held, 1, memory_order_release);
    apr_thread_mutex_unlock(wal_index->mutex);
}

/* SQLite goes on using files that were replaced, and the cache would go on with it. */
static int are_files_same(cat_wal_index_t *c)
{
    cat_files_t now, held;

    apr_thread_mutex_lock(c->mutex);
    held = c->files;
    apr_thread_mutex_unlock(c->mutex);
    now = held;
    cat_files_look(&now);
    return !memcmp(now.identities, held.identities, sizeof(now.identities));
}

static int look_at_files(cat_wal_index_t *c, apr_time_t now)
{
    apr_time_t looked = atomic_load_explicit(&c->looked, memory_order_relaxed);

    if (now >= looked && now - looked < LOOK_INTERVAL) {
        return 1;
    }
    if (!are_files_same(c)) {
        return 0;
    }
    atomic_store_explicit(&c->looked, now, memory_order_relaxed);
    return 1;
}

int cat_wal_index_read(cat_wal_index_t *wal_index, apr_time_t now, apr_uint64_t *state)
{
    const index_word_t *second;

    if (!atomic_load_explicit(&wal_index->held, memory_order_acquire) || !look_at_files(wal_index, now)) {
        return 0;
    }
    second = atomic_load_explicit(&wal_index->page, memory_order_relaxed) + HEADER;
    *state = (apr_uint64_t)load_word(&second[CHANGE]) << 32 | load_word(&second[FRAME_SUM]);
    return 1;
}
