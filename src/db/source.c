/* SPDX-License-Identifier: Apache-2.0 */
#include "db/source.h"

#include <apr_shm.h>
#include <string.h>

/* How long a request may wait for a connection before it answers 503. The pools themselves would wait without limit. */
#define PATIENCE apr_time_from_sec(1)

/* A pooled connection that the database has dropped fails once and is then opened anew: so many in a row may be stale. */
#define STALE_MAX 3

#define TURNS 16

/* In memory that the children share. Written once, by whoever changes name from 0. */
typedef struct file_t {
    apr_uint64_t name; /* hash; 0: free */
    apr_uint64_t identity;
    apr_uint64_t has_schema;
} file_t;

struct cat_turns_t {
    cat_gate_t *gates[TURNS];
    file_t *files; /* TURNS of them */
};

apr_status_t cat_turns_create(cat_turns_t **turns, apr_pool_t *pool)
{
    cat_turns_t *t = apr_pcalloc(pool, sizeof(*t));
    apr_shm_t *shm;
    apr_status_t rv = apr_shm_create(&shm, TURNS * sizeof(*t->files), NULL, pool);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    t->files = apr_shm_baseaddr_get(shm);
    memset(t->files, 0, TURNS * sizeof(*t->files));
    for (int i = 0; i < TURNS && rv == APR_SUCCESS; i++) {
        rv = cat_gate_create(&t->gates[i], pool, 1, CAT_GATE_ANY);
    }
    *turns = t;
    return rv;
}

/* FNV-1a. */
static apr_uint64_t hash(const char *text)
{
    apr_uint64_t h = APR_UINT64_C(14695981039346656037);
    for (; *text; text++) {
        h = (h ^ (unsigned char)*text) * APR_UINT64_C(1099511628211);
    }
    return h ? h : 1;
}

cat_gate_t *cat_turns_gate(const cat_turns_t *turns, const char *file)
{
    return turns->gates[hash(file) % TURNS];
}

/* Files whose turns are the same by accident share one place here: the second of them is not watched, and gets NULL. */
static file_t *watch(const cat_turns_t *turns, const char *file)
{
    apr_uint64_t name = hash(file), unset = 0;
    file_t *f = &turns->files[name % TURNS];

    __atomic_compare_exchange_n(&f->name, &unset, name, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&f->name, __ATOMIC_ACQUIRE) == name ? f : NULL;
}

int cat_turns_same_file(const cat_turns_t *turns, const char *file, const apr_finfo_t *info)
{
    apr_uint64_t identity = (apr_uint64_t)info->inode ^ ((apr_uint64_t)info->device << 48), unknown = 0;
    file_t *f = watch(turns, file);

    return !f || __atomic_compare_exchange_n(&f->identity, &unknown, identity, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
           unknown == identity;
}

void cat_turns_note_schema(const cat_turns_t *turns, const char *file)
{
    file_t *f = watch(turns, file);
    if (f) {
        __atomic_store_n(&f->has_schema, 1, __ATOMIC_RELEASE);
    }
}

int cat_turns_had_schema(const cat_turns_t *turns, const char *file)
{
    file_t *f = watch(turns, file);
    return f && __atomic_load_n(&f->has_schema, __ATOMIC_ACQUIRE);
}

cat_source_t *cat_source_create(apr_pool_t *pool, const char *name, const cat_connector_t *connector, void *context)
{
    cat_source_t *source = apr_pcalloc(pool, sizeof(*source));
    source->name = name;
    source->connector = connector;
    source->context = context;
    return source;
}

apr_status_t cat_source_child_init(cat_source_t *source, const cat_turns_t *turns, apr_pool_t *pool)
{
    apr_status_t rv = apr_thread_mutex_create(&source->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
    if (rv == APR_SUCCESS) {
        rv = apr_thread_cond_create(&source->freed, pool);
    }
    if (rv == APR_SUCCESS && source->connector->child_init) {
        rv = source->connector->child_init(source->context, pool);
    }
    source->turns = turns;
    return rv;
}

static apr_status_t take_place(cat_source_t *source, int max)
{
    apr_status_t rv = APR_SUCCESS;
    apr_time_t deadline = 0;

    apr_thread_mutex_lock(source->mutex);
    while (source->in_use >= max && rv == APR_SUCCESS) {
        apr_time_t now = apr_time_now();
        if (!deadline) {
            deadline = now + PATIENCE;
        }
        rv = now < deadline ? apr_thread_cond_timedwait(source->freed, source->mutex, deadline - now) : APR_TIMEUP;
    }
    if (rv == APR_SUCCESS) {
        source->in_use++;
    }
    apr_thread_mutex_unlock(source->mutex);
    return rv;
}

static void leave_place(cat_source_t *source)
{
    apr_thread_mutex_lock(source->mutex);
    source->in_use--;
    apr_thread_cond_signal(source->freed);
    apr_thread_mutex_unlock(source->mutex);
}

apr_status_t cat_source_open(cat_source_t *source, apr_pool_t *pool, int max, const cat_log_t *log, cat_link_t *link)
{
    apr_time_t give_up;
    int stale;
    apr_status_t rv = take_place(source, max);
    if (rv != APR_SUCCESS) {
        cat_log(log, CAT_LOG_ERROR, 0, "CAT001: all %d connections to %s are in use; see CatalogMaxConnections", max,
                source->name);
        return CAT_EBUSY;
    }
    give_up = apr_time_now() + PATIENCE;
    stale = source->dialect ? STALE_MAX : 0; /* a database that never answered has left no stale connections */
    do {
        rv = source->connector->open(source->context, pool, link);
        if (rv == APR_SUCCESS) {
            return APR_SUCCESS;
        }
    } while (stale-- > 0 && apr_time_now() < give_up);
    leave_place(source);
    cat_log(log, CAT_LOG_ERROR, rv, "CAT002: no connection to %s", source->name);
    return CAT_EDOWN;
}

void cat_source_close(cat_source_t *source, cat_link_t *link)
{
    source->connector->close(source->context, link);
    leave_place(source);
}
