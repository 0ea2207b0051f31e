/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signing keys of a server, and how a new key comes into use without a restart.
 *
 *     a file is added     every child notices it within a second, and verifies with its key
 *     two seconds later   the newest file signs; the others still verify
 *     a file is removed   its tokens are refused
 *
 * Because of the two seconds, no child signs with a key that another child does not know yet. Threads read the current
 * set of keys through one pointer. A set that was replaced stays in memory until the child ends, as requests may still
 * use it.
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

#define CHECK_INTERVAL APR_USEC_PER_SEC
#define SIGNS_AFTER (2 * APR_USEC_PER_SEC) /* By then every child has checked the directory. */

struct cat_keyring_t {
    const char *directory;        /* NULL if the keyring has only a file, which is read once. */
    apr_thread_mutex_t *checking; /* Held by the thread that checks the directory. NULL outside children. */
    /* ---- guarded by `checking` ---- */
    apr_pool_t *pool;
    apr_pool_t *scratch;
    const char *seen;   /* Result of describe_files in the last check. */
    int ready;          /* Number of files in the last check that may sign. */
    const char *failed; /* Why the keys could not be read in the last check. NULL if they were read. */
    /* ---- atomic ---- */
    _Atomic(const cat_keys_t *)
        keys;                    /* Replaced as a whole. The old set stays in memory for threads that still use it. */
    _Atomic(const char *) fault; /* Cause that no caller has received yet, or NULL. */
    _Atomic apr_time_t checked;  /* When the directory was last checked. Set by the thread that holds `checking`. */
};

typedef struct file_t {
    const char *path;
    apr_finfo_t info;
    int may_sign;
} file_t;

/* ---- the directory ---- */

/* Adds a file. If apr_stat fails, adds it too, because reading it will report why. */
static void add_file(apr_array_header_t *files, const char *directory, const char *name, apr_time_t now)
{
    file_t *file = apr_array_push(files);

    memset(file, 0, sizeof(*file));
    file->path = apr_pstrcat(files->pool, directory, "/", name, NULL);
    apr_stat(&file->info, file->path, APR_FINFO_MIN | APR_FINFO_IDENT, files->pool);
    file->may_sign = now - file->info.ctime >= SIGNS_AFTER;
    if (file->info.filetype == APR_DIR) {
        apr_array_pop(files);
    }
}

/* Returns true if a file with this name is a signing key. Names that begin with a dot are excluded, because programs
 * write a new file under such a name before they rename it. */
static int is_key_name(const char *name)
{
    const char *dot = strrchr(name, '.');

    return *name != '.' && dot && (!strcmp(dot, ".key") || !strcmp(dot, ".pem"));
}

/* Adds the key files in the directory's own order. Returns NULL, or the cause on the pool. */
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

/* Returns a text that changes when a file does. The text contains ctime, because no program can set ctime back. */
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

static int count_ready(const apr_array_header_t *files)
{
    int count = 0;

    for (int i = 0; i < files->nelts; i++) {
        count += APR_ARRAY_IDX(files, i, file_t).may_sign;
    }
    return count;
}

/* ---- the keys ---- */

/* Orders the files so that the file whose key signs comes first. */
static int compare_files(const void *left, const void *right)
{
    const file_t *a = left, *b = right;

    if (a->may_sign != b->may_sign) {
        return b->may_sign - a->may_sign;
    }
    if (!a->may_sign && a->info.ctime != b->info.ctime) {
        /* The other children are more likely to have read the older file. */
        return a->info.ctime < b->info.ctime ? -1 : 1;
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

/* Reads the keys if the directory has changed, if a file has become old enough to sign, or if the last reading failed:
 * the cause of that failure may have been outside the directory. */
static void read_directory(cat_keyring_t *ring, apr_pool_t *scratch, apr_time_t now)
{
    apr_array_header_t *files = apr_array_make(scratch, 8, sizeof(file_t));
    const char *fault = list_files(scratch, ring->directory, now, files);
    const char *seen = describe_files(scratch, files);
    int changed = !is_same(ring->seen, seen), ready = count_ready(files);

    if (!fault && (changed || ready != ring->ready || ring->failed)) {
        fault = replace_keys(ring, scratch, files);
    }
    ring->ready = ready;
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

    if (!ring->directory || ring->checking) {
        return APR_SUCCESS;
    }
    rv = apr_pool_create(&ring->pool, pool);
    if (rv == APR_SUCCESS) {
        rv = apr_pool_create(&ring->scratch, ring->pool);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_thread_mutex_create(&ring->checking, APR_THREAD_MUTEX_DEFAULT, ring->pool);
    }
    return rv;
}

/* Returns true if a check is due. The time of a request may be a little before the time of the previous request. */
static int is_due(cat_keyring_t *ring, apr_time_t now)
{
    return llabs(now - atomic_load_explicit(&ring->checked, memory_order_relaxed)) >= CHECK_INTERVAL;
}

const cat_keys_t *cat_keyring_get(cat_keyring_t *ring, apr_time_t now, const char **fault)
{
    if (ring->checking && is_due(ring, now) && apr_thread_mutex_trylock(ring->checking) == APR_SUCCESS) {
        if (is_due(ring, now)) {
            atomic_store_explicit(&ring->checked, now, memory_order_relaxed);
            read_directory(ring, ring->scratch, now);
            apr_pool_clear(ring->scratch);
        }
        apr_thread_mutex_unlock(ring->checking);
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
