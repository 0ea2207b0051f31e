/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a server, and how a new one comes into use without a restart.
 *
 *     a file is added     every child notices within a second, and verifies with its key
 *     two seconds later   the newest file signs; the others go on verifying
 *     a file is removed   its tokens are refused
 *
 * The two seconds are the point: no child signs with a key that another one does not know yet. Threads read the current set
 * through one pointer; a set that was replaced stays in memory until the child ends, as requests may still use it.
 */
#include "jose/keyring.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_info.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>

#include "lib/buffer.h"
#include "lib/json.h"

#define LOOK_EVERY APR_USEC_PER_SEC
#define SETTLED_AFTER (2 * APR_USEC_PER_SEC) /* by then every child has looked at the directory */

struct cat_keyring_t {
    const char *directory;       /* NULL: a file, which is read once */
    apr_thread_mutex_t *looking; /* the thread that holds it looks at the directory; NULL: not in a child */
    /* ---- guarded by `looking` ---- */
    apr_pool_t *pool;
    apr_pool_t *scratch;
    const char *seen;   /* what describe_files returned the last time */
    int settled;        /* how many of these files were */
    const char *failed; /* why the keys could not be read; NULL: they were */
    /* ---- atomic ---- */
    _Atomic(const cat_keys_t *)
        keys;                    /* replaced as a whole; the old set stays where it is, for threads that still use it */
    _Atomic(const char *) fault; /* that no caller has received yet */
    _Atomic apr_time_t looked;   /* by the thread that holds `looking` */
};

typedef struct file_t {
    const char *path;
    apr_finfo_t info;
    int settled;
} file_t;

/* ---- the directory ---- */

/* A file whose apr_stat fails is added too: reading it will report why. */
static void add_file(apr_array_header_t *files, const char *directory, const char *name, apr_time_t now)
{
    file_t *file = apr_array_push(files);

    memset(file, 0, sizeof(*file));
    file->path = apr_pstrcat(files->pool, directory, "/", name, NULL);
    apr_stat(&file->info, file->path, APR_FINFO_MIN | APR_FINFO_IDENT, files->pool);
    file->settled = now - file->info.ctime >= SETTLED_AFTER;
    if (file->info.filetype == APR_DIR) {
        apr_array_pop(files);
    }
}

/* Returns true if a file with this name is a key. A name that begins with a dot is not: programs write a new file under such a name before they
 * rename it. */
static int is_key_name(const char *name)
{
    const char *dot = strrchr(name, '.');

    return *name != '.' && dot && (!strcmp(dot, ".key") || !strcmp(dot, ".pem"));
}

/* Adds the files with keys, in the directory's own order. NULL, or the error, on the pool. */
static const char *list_files(apr_pool_t *pool, const char *path, apr_time_t now, apr_array_header_t *files)
{
    apr_dir_t *directory;
    apr_finfo_t entry;
    char reason[120];
    apr_status_t rv = apr_dir_open(&directory, path, pool);

    if (rv != APR_SUCCESS) {
        return apr_psprintf(pool, "%s: cannot be read: %s", path, apr_strerror(rv, reason, sizeof(reason)));
    }
    while (apr_dir_read(&entry, APR_FINFO_NAME, directory) == APR_SUCCESS && files->nelts <= CAT_KEYRING_MAX) {
        if (is_key_name(entry.name)) {
            add_file(files, path, entry.name, now);
        }
    }
    apr_dir_close(directory);
    return NULL;
}

/* A text that changes when a file does. It has ctime, because no program can set that back. */
static const char *describe_files(apr_pool_t *pool, const apr_array_header_t *files)
{
    cat_buffer_t text;

    cat_buffer_init(&text, pool, 256);
    for (int i = 0; i < files->nelts; i++) {
        const file_t *file = &APR_ARRAY_IDX(files, i, file_t);
        cat_buffer_add_text(&text, file->path);
        cat_buffer_add_text(&text, apr_psprintf(pool, " %" APR_UINT64_T_FMT " %" APR_OFF_T_FMT " %" APR_TIME_T_FMT "\n",
                                                (apr_uint64_t)file->info.inode, file->info.size, file->info.ctime));
    }
    return cat_buffer_text(&text);
}

static int count_settled(const apr_array_header_t *files)
{
    int count = 0;

    for (int i = 0; i < files->nelts; i++) {
        count += APR_ARRAY_IDX(files, i, file_t).settled;
    }
    return count;
}

/* ---- the keys ---- */

/* The file whose key signs comes first. */
static int compare_files(const void *left, const void *right)
{
    const file_t *a = left, *b = right;

    if (a->settled != b->settled) {
        return b->settled - a->settled;
    }
    if (!a->settled && a->info.ctime != b->info.ctime) {
        return a->info.ctime < b->info.ctime ? -1 : 1; /* the other children are most likely to have the older one */
    }
    if (a->info.mtime != b->info.mtime) {
        return a->info.mtime < b->info.mtime ? 1 : -1;
    }
    return strcmp(b->path, a->path);
}

static const char *find_namesake(apr_pool_t *pool, const cat_key_t *const *keys, int last, const char *path)
{
    for (int i = 0; i < last; i++) {
        if (strcmp(cat_key_id(keys[i]), cat_key_id(keys[last])) == 0) {
            return apr_psprintf(
                pool, "%s: another key has the id \"%s\" too, the file name without its extension; rename one", path,
                cat_key_id(keys[i]));
        }
    }
    return NULL;
}

static const char *read_keys(apr_pool_t *pool, const char *directory, apr_array_header_t *files,
                             const cat_keys_t **keys)
{
    const cat_key_t **all = apr_palloc(pool, CAT_KEYRING_MAX * sizeof(const cat_key_t *));
    cat_keys_t *set = apr_palloc(pool, sizeof(*set));

    if (files->nelts == 0) {
        return apr_psprintf(pool,
                            "%s: contains no file whose name ends in .key or .pem; create a key: (umask 077; openssl "
                            "rand -base64 32 > %s/1.key)",
                            directory, directory);
    }
    if (files->nelts > CAT_KEYRING_MAX) {
        return apr_psprintf(pool, "%s: contains more than %d files; remove those that are not keys", directory,
                            CAT_KEYRING_MAX);
    }
    qsort(files->elts, (size_t)files->nelts, sizeof(file_t), compare_files);
    for (int i = 0; i < files->nelts; i++) {
        const char *path = APR_ARRAY_IDX(files, i, file_t).path;
        const char *fault = cat_key_read(pool, path, &all[i]);

        fault = fault ? fault : find_namesake(pool, all, i, path);
        if (fault) {
            return fault;
        }
    }
    *set = (cat_keys_t){all, files->nelts};
    *keys = set;
    return NULL;
}

static const char *replace_keys(cat_keyring_t *ring, apr_pool_t *scratch, apr_array_header_t *files)
{
    const cat_keys_t *keys = NULL;
    const char *fault;
    apr_pool_t *pool;

    apr_pool_create(&pool, ring->pool);
    fault = read_keys(pool, ring->directory, files, &keys);
    if (fault) {
        fault = apr_pstrdup(scratch, fault);
        apr_pool_destroy(pool);
        return fault;
    }
    atomic_store_explicit(&ring->keys, keys, memory_order_release);
    return NULL;
}

static int is_same(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

/* Reads the keys if the directory has changed or the last reading failed, whose cause may have been outside the
 * directory. When a file has settled, the order of the keys changes. */
static void read_directory(cat_keyring_t *ring, apr_pool_t *scratch, apr_time_t now)
{
    apr_array_header_t *files = apr_array_make(scratch, 8, sizeof(file_t));
    const char *fault = list_files(scratch, ring->directory, now, files);
    const char *seen = describe_files(scratch, files);
    int changed = !is_same(ring->seen, seen), settled = count_settled(files);

    if (!fault && (changed || settled != ring->settled || ring->failed)) {
        fault = replace_keys(ring, scratch, files);
    }
    ring->settled = settled;
    if (!changed && is_same(ring->failed, fault)) {
        return;
    }
    ring->seen = apr_pstrdup(ring->pool, seen);
    ring->failed = apr_pstrdup(ring->pool, fault);
    atomic_store_explicit(&ring->fault, ring->failed, memory_order_release);
}

/* ---- the ring ---- */

const char *cat_keyring_open_file(apr_pool_t *pool, const char *path, cat_keyring_t **ring)
{
    cat_keyring_t *r = apr_pcalloc(pool, sizeof(*r));
    cat_keys_t *keys = apr_palloc(pool, sizeof(*keys));
    const cat_key_t **all = apr_palloc(pool, sizeof(const cat_key_t *));
    const char *fault = cat_key_read(pool, path, all);

    if (!fault) {
        *keys = (cat_keys_t){all, 1};
        atomic_init(&r->keys, keys);
        *ring = r;
    }
    return fault;
}

const char *cat_keyring_open_directory(apr_pool_t *pool, const char *path, cat_keyring_t **ring)
{
    cat_keyring_t *r = apr_pcalloc(pool, sizeof(*r));

    r->pool = pool;
    r->directory = apr_pstrdup(pool, path);
    read_directory(r, pool, apr_time_now());
    if (!r->failed) {
        *ring = r;
    }
    return r->failed;
}

const char *cat_keyring_directory(const cat_keyring_t *ring)
{
    return ring->directory;
}

static int has_key(const cat_keys_t *keys, const cat_key_t *key)
{
    for (int i = 0; i < keys->count; i++) {
        if (cat_key_is_same(keys->all[i], key)) {
            return 1;
        }
    }
    return 0;
}

int cat_keyring_shares(const cat_keyring_t *ring, const cat_keyring_t *other)
{
    const cat_keys_t *keys = atomic_load(&ring->keys), *others = atomic_load(&other->keys);

    for (int i = 0; i < keys->count && ring != other; i++) {
        if (has_key(others, keys->all[i])) {
            return 1;
        }
    }
    return ring == other;
}

apr_status_t cat_keyring_child_init(cat_keyring_t *ring, apr_pool_t *pool)
{
    apr_status_t rv;

    if (!ring->directory || ring->looking) {
        return APR_SUCCESS;
    }
    rv = apr_pool_create(&ring->pool, pool);
    if (rv == APR_SUCCESS) {
        rv = apr_pool_create(&ring->scratch, ring->pool);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_thread_mutex_create(&ring->looking, APR_THREAD_MUTEX_DEFAULT, ring->pool);
    }
    return rv;
}

/* The time of a request may be a little before that of the previous one. */
static int is_due(cat_keyring_t *ring, apr_time_t now)
{
    return llabs(now - atomic_load_explicit(&ring->looked, memory_order_relaxed)) >= LOOK_EVERY;
}

const cat_keys_t *cat_keyring_get(cat_keyring_t *ring, apr_time_t now, const char **fault)
{
    if (ring->looking && is_due(ring, now) && apr_thread_mutex_trylock(ring->looking) == APR_SUCCESS) {
        if (is_due(ring, now)) {
            atomic_store_explicit(&ring->looked, now, memory_order_relaxed);
            read_directory(ring, ring->scratch, now);
            apr_pool_clear(ring->scratch);
        }
        apr_thread_mutex_unlock(ring->looking);
    }
    if (fault) {
        *fault = atomic_exchange_explicit(&ring->fault, NULL, memory_order_acq_rel);
    }
    return atomic_load_explicit(&ring->keys, memory_order_acquire);
}

json_t *cat_keyring_jwks(apr_pool_t *pool, const cat_keys_t *keys)
{
    json_t *set = cat_json_own(pool, json_pack("{s:[]}", "keys"));

    for (int i = 0; i < keys->count; i++) {
        json_t *jwk = cat_key_jwk(pool, keys->all[i]);
        if (jwk) {
            json_array_append(json_object_get(set, "keys"), jwk);
        }
    }
    return set;
}
