/* SPDX-License-Identifier: Apache-2.0 */
#include "db/changes.h"

#include <apr_errno.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The WAL-index begins with two copies of a header of twelve 32-bit words. A writer writes the second copy first, and a reader
 * of SQLite's believes them when they are equal: so the second one knows of a commit no later than any reader.
 */
enum { VERSION = 0, CHANGE = 2, FRAME_SUM = 7, SUM = 10, HEADER = 12 };

#define KNOWN_VERSION 3007000

/* How often a header is read before it is believed to be none: a writer may be about to change it. */
#define TRIES 1000

#define LOOK_INTERVAL apr_time_from_sec(1)

typedef struct identity_t {
    dev_t device;
    ino_t inode;
} identity_t;

struct cat_changes_t {
    apr_pool_t *pool; /* of the child */
    apr_thread_mutex_t *mutex;
    int held;    /* connections; changed under the mutex */
    int is_none; /* the WAL-index cannot be used */
    const char *file, *index;
    identity_t file_identity, index_identity;
    int descriptor;           /* of the index, -1: none */
    const apr_uint32_t *page; /* its beginning; stays where it is, so that a reader who is late reads something */
    apr_time_t looked;
};

apr_status_t cat_changes_create(cat_changes_t **changes, apr_pool_t *pool)
{
    cat_changes_t *c = apr_pcalloc(pool, sizeof(*c));
    c->pool = pool;
    c->descriptor = -1;
    *changes = c;
    return apr_thread_mutex_create(&c->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

static apr_uint32_t load(const apr_uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static int find_identity(const char *path, identity_t *identity)
{
    struct stat info;

    if (stat(path, &info) != 0) {
        return 0;
    }
    identity->device = info.st_dev;
    identity->inode = info.st_ino;
    return 1;
}

static int is_still(const char *path, const identity_t *identity)
{
    identity_t now;
    return find_identity(path, &now) && now.device == identity->device && now.inode == identity->inode;
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
static apr_status_t map_index(cat_changes_t *c)
{
    long size = sysconf(_SC_PAGESIZE);
    int descriptor = open(c->index, O_RDONLY | O_CLOEXEC);
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
    return find_identity(c->index, &c->index_identity) ? APR_SUCCESS : errno;
}

static apr_status_t start(cat_changes_t *c, const char *file)
{
    apr_status_t rv = APR_SUCCESS;

    if (!c->file) {
        c->file = apr_pstrdup(c->pool, file);
        c->index = apr_pstrcat(c->pool, file, "-shm", NULL);
    }
    if (!find_identity(c->file, &c->file_identity)) {
        return errno;
    }
    if (c->descriptor < 0 || !is_still(c->index, &c->index_identity)) {
        rv = map_index(c);
    }
    return rv == APR_SUCCESS && !is_known(c->page) ? APR_EMISMATCH : rv;
}

int cat_changes_hold(cat_changes_t *changes, cat_fresh_t *fresh, const char *file, const cat_log_t *log)
{
    apr_status_t rv = APR_SUCCESS;
    int is_first, held;

    apr_thread_mutex_lock(changes->mutex);
    is_first = changes->held == 0 && !changes->is_none;
    if (is_first) {
        rv = start(changes, file);
        changes->is_none = rv != APR_SUCCESS;
        cat_fresh_forget(fresh); /* before others find the state told */
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

void cat_changes_release(cat_changes_t *changes)
{
    apr_thread_mutex_lock(changes->mutex);
    __atomic_store_n(&changes->held, changes->held - 1, __ATOMIC_RELEASE);
    apr_thread_mutex_unlock(changes->mutex);
}

/* SQLite goes on with files that were replaced; so would what is kept of them. */
static int look_at_files(cat_changes_t *c, apr_time_t now)
{
    apr_time_t looked = __atomic_load_n(&c->looked, __ATOMIC_RELAXED);

    if (now >= looked && now - looked < LOOK_INTERVAL) {
        return 1;
    }
    if (!is_still(c->file, &c->file_identity) || !is_still(c->index, &c->index_identity)) {
        return 0;
    }
    __atomic_store_n(&c->looked, now, __ATOMIC_RELAXED);
    return 1;
}

/* The counter of commits begins anew when SQLite mends an index; then the checksum of the log's last frame is another one. */
int cat_changes_read(cat_changes_t *changes, apr_time_t now, apr_uint64_t *state)
{
    const apr_uint32_t *second;

    if (!__atomic_load_n(&changes->held, __ATOMIC_ACQUIRE) || !look_at_files(changes, now)) {
        return 0;
    }
    second = changes->page + HEADER;
    *state = (apr_uint64_t)load(&second[CHANGE]) << 32 | load(&second[FRAME_SUM]);
    return 1;
}

int cat_changes_is_next(apr_uint64_t state, apr_uint64_t next)
{
    return (apr_uint32_t)(next >> 32) == (apr_uint32_t)((state >> 32) + 1);
}
