/* SPDX-License-Identifier: Apache-2.0 */
#include "db/wal_index.h"

#include <apr_errno.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "db/files.h"

/*
 * The WAL-index begins with two copies of a header of twelve 32-bit words. A writer writes the second copy first, and a reader
 * of SQLite's believes them when they are equal: so the second one knows of a commit no later than any reader.
 */
enum { VERSION = 0, CHANGE = 2, FRAME_SUM = 7, SUM = 10, HEADER = 12 };

#define KNOWN_VERSION 3007000

/* How often a header is read before it is believed to be none: a writer may be about to change it. */
#define TRIES 1000

#define LOOK_INTERVAL apr_time_from_sec(1)

struct cat_wal_index_t {
    apr_pool_t *pool; /* of the child */
    apr_thread_mutex_t *mutex;
    int held;    /* connections; changed under the mutex */
    int is_none; /* the WAL-index cannot be used */
    cat_files_t files;
    int descriptor;           /* of the index, -1: none */
    const apr_uint32_t *page; /* its beginning; stays where it is, so that a reader who is late reads something */
    apr_time_t looked;
};

apr_status_t cat_wal_index_create(cat_wal_index_t **changes, apr_pool_t *pool)
{
    cat_wal_index_t *c = apr_pcalloc(pool, sizeof(*c));
    c->pool = pool;
    c->descriptor = -1;
    *changes = c;
    return apr_thread_mutex_create(&c->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

static apr_uint32_t load(const apr_uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* The sum that SQLite puts behind its header. */
static int has_sum(const apr_uint32_t *header)
{
    apr_uint32_t a = 0, b = 0;

    for (int i = 0; i < SUM; i += 2) {
        a += header[i] + b;
        b += header[i + 1] + a;
    }
    return a == header[SUM] && b == header[SUM + 1];
}

static int is_known(const apr_uint32_t *page)
{
    for (int tries = 0; tries < TRIES; tries++) {
        apr_uint32_t header[HEADER];
        for (int i = 0; i < HEADER; i++) {
            header[i] = load(&page[HEADER + i]);
        }
        if (header[VERSION] == KNOWN_VERSION && has_sum(header)) {
            return 1;
        }
    }
    return 0;
}

/*
 * To close any descriptor of a file takes away all locks that this process has on it, SQLite's among them: it stays open until
 * the file is one that SQLite has deleted.
 */
static apr_status_t map_index(cat_wal_index_t *c)
{
    long size = sysconf(_SC_PAGESIZE);
    int descriptor = open(c->files.paths[CAT_FILE_INDEX], O_RDONLY | O_CLOEXEC);
    void *page;

    if (descriptor < 0) {
        return errno;
    }
    page = mmap((void *)c->page, (size_t)size, PROT_READ, MAP_SHARED | (c->page ? MAP_FIXED : 0), descriptor, 0);
    if (c->descriptor >= 0) {
        close(c->descriptor);
    }
    c->descriptor = descriptor;
    if (page == MAP_FAILED) {
        return errno;
    }
    c->page = page;
    return APR_SUCCESS;
}

static apr_status_t start(cat_wal_index_t *c, const char *file)
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
    return rv == APR_SUCCESS && !is_known(c->page) ? APR_EMISMATCH : rv;
}

int cat_wal_index_hold(cat_wal_index_t *changes, cat_generations_t *fresh, const char *file, const cat_log_t *log)
{
    apr_status_t rv = APR_SUCCESS;
    int is_first, held;

    apr_thread_mutex_lock(changes->mutex);
    is_first = changes->held == 0 && !changes->is_none;
    if (is_first) {
        rv = start(changes, file);
        changes->is_none = rv != APR_SUCCESS;
        cat_generations_forget(fresh); /* before others find the state told */
    }
    held = !changes->is_none;
    __atomic_store_n(&changes->held, changes->held + held, __ATOMIC_RELEASE);
    apr_thread_mutex_unlock(changes->mutex);
    if (rv != APR_SUCCESS) {
        cat_log(log, CAT_LOG_NOTICE, rv, "CAT057: %s: its WAL-index cannot be used, so this child keeps no answers",
                file);
    }
    return held;
}

void cat_wal_index_release(cat_wal_index_t *changes)
{
    apr_thread_mutex_lock(changes->mutex);
    __atomic_store_n(&changes->held, changes->held - 1, __ATOMIC_RELEASE);
    apr_thread_mutex_unlock(changes->mutex);
}

/* SQLite goes on with files that were replaced; so would what is kept of them. */
static int look_at_files(cat_wal_index_t *c, apr_time_t now)
{
    apr_time_t looked = __atomic_load_n(&c->looked, __ATOMIC_RELAXED);
    cat_files_t files;

    if (now >= looked && now - looked < LOOK_INTERVAL) {
        return 1;
    }
    files = c->files;
    cat_files_look(&files);
    if (memcmp(files.identities, c->files.identities, sizeof(files.identities)) != 0) {
        return 0;
    }
    __atomic_store_n(&c->looked, now, __ATOMIC_RELAXED);
    return 1;
}

/* The counter of commits begins anew when SQLite mends an index; then the checksum of the log's last frame is another one. */
int cat_wal_index_read(cat_wal_index_t *changes, apr_time_t now, apr_uint64_t *state)
{
    const apr_uint32_t *second;

    if (!__atomic_load_n(&changes->held, __ATOMIC_ACQUIRE) || !look_at_files(changes, now)) {
        return 0;
    }
    second = changes->page + HEADER;
    *state = (apr_uint64_t)load(&second[CHANGE]) << 32 | load(&second[FRAME_SUM]);
    return 1;
}

int cat_wal_index_is_next(apr_uint64_t state, apr_uint64_t next)
{
    return (apr_uint32_t)(next >> 32) == (apr_uint32_t)((state >> 32) + 1);
}
