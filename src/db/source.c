/* SPDX-License-Identifier: Apache-2.0 */
#include "db/source.h"

#include <apr_shm.h>
#include <apr_strings.h>
#include <string.h>
#include <unistd.h>

#include "db/database_file.h"
#include "http/answer.h"
#include "lib/hash.h"
#include "shm/shared.h"

/* How long a request may wait for a connection before it answers 503. The pools themselves would wait without limit. */
#define PATIENCE apr_time_from_sec(1)

/* And for what a try finds, while the database is known to be down: one that is back answers within this. */
#define MOMENT apr_time_from_msec(500)

#define TURNS 16

/* The number changes with what is kept: a graceful restart may bring another version of this module. */
#define TURNS_KEY "catalog:turns:2"

/* In memory that the children share. The name, identity and has_schema are written once. */
typedef struct file_t {
    cat_shared_word_t name; /* hash; 0: free */
    cat_shared_word_t identity;
    cat_shared_word_t has_schema;
    cat_shared_word_t wal, index; /* identities, which change: the index is written last and read first */
} file_t;

struct cat_turns_t {
    cat_semaphore_t **gates; /* TURNS of them */
    file_t *files;           /* TURNS of them */
};

static apr_status_t make_gates(cat_semaphore_t ***gates, apr_pool_t *pool)
{
    apr_status_t rv = APR_SUCCESS;

    *gates = apr_palloc(pool, TURNS * sizeof(**gates));
    for (int i = 0; i < TURNS && rv == APR_SUCCESS; i++) {
        rv = cat_semaphore_create(&(*gates)[i], pool, 1, CAT_SEMAPHORE_ANY);
    }
    return rv == APR_SUCCESS ? apr_pool_userdata_set(*gates, TURNS_KEY, NULL, pool) : rv;
}

apr_status_t cat_turns_create(cat_turns_t **turns, apr_pool_t *pool, apr_pool_t *process)
{
    cat_turns_t *t = apr_pcalloc(pool, sizeof(*t));
    void *gates = NULL;
    apr_shm_t *shm;
    apr_status_t rv = apr_shm_create(&shm, TURNS * sizeof(*t->files), NULL, pool);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    t->files = apr_shm_baseaddr_get(shm);
    memset(t->files, 0, TURNS * sizeof(*t->files));
    apr_pool_userdata_get(&gates, TURNS_KEY, process);
    t->gates = gates;
    *turns = t;
    return gates ? APR_SUCCESS : make_gates(&t->gates, process);
}

static apr_uint64_t hash(const char *text)
{
    return cat_hash(text, strlen(text));
}

cat_semaphore_t *cat_turns_gate(const cat_turns_t *turns, const char *file)
{
    return turns->gates[hash(file) % TURNS];
}

/* Is this the value of a word that is written once? A word that is still 0 becomes it. */
static int claim(cat_shared_word_t *word, apr_uint64_t value)
{
    apr_uint64_t found = 0;

    return atomic_compare_exchange_strong_explicit(word, &found, value, memory_order_acq_rel, memory_order_acquire) ||
           found == value;
}

/* Files whose turns are the same by accident share one place here: the second of them is not watched, and gets NULL. */
static file_t *watch(const cat_turns_t *turns, const char *file)
{
    apr_uint64_t name = hash(file);
    file_t *f = &turns->files[name % TURNS];

    return claim(&f->name, name) ? f : NULL;
}

int cat_turns_same_file(const cat_turns_t *turns, const cat_files_t *files)
{
    file_t *f = watch(turns, files->paths[CAT_FILE_DATABASE]);

    return !f || claim(&f->identity, files->identities[CAT_FILE_DATABASE]);
}

int cat_turns_same_wal(const cat_turns_t *turns, const cat_files_t *files)
{
    file_t *f = watch(turns, files->paths[CAT_FILE_DATABASE]);
    apr_uint64_t index = f ? atomic_load_explicit(&f->index, memory_order_acquire) : 0;

    return !index || index != files->identities[CAT_FILE_INDEX] ||
           atomic_load_explicit(&f->wal, memory_order_acquire) == files->identities[CAT_FILE_WAL];
}

void cat_turns_note_wal(const cat_turns_t *turns, const cat_files_t *files)
{
    file_t *f = watch(turns, files->paths[CAT_FILE_DATABASE]);
    if (f) {
        atomic_store_explicit(&f->wal, files->identities[CAT_FILE_WAL], memory_order_release);
        atomic_store_explicit(&f->index, files->identities[CAT_FILE_INDEX], memory_order_release);
    }
}

void cat_turns_note_schema(const cat_turns_t *turns, const char *file)
{
    file_t *f = watch(turns, file);
    if (f) {
        atomic_store_explicit(&f->has_schema, 1, memory_order_release);
    }
}

int cat_turns_had_schema(const cat_turns_t *turns, const char *file)
{
    file_t *f = watch(turns, file);
    return f && atomic_load_explicit(&f->has_schema, memory_order_acquire);
}

cat_source_t *cat_source_create(apr_pool_t *pool, const char *name, const cat_connector_t *connector, void *context)
{
    cat_source_t *source = apr_pcalloc(pool, sizeof(*source));
    source->name = name;
    source->connector = connector;
    source->context = context;
    return source;
}

apr_status_t cat_source_child_init(cat_source_t *source, const cat_turns_t *turns, cat_source_migrate_t *migrate,
                                   apr_pool_t *pool)
{
    apr_status_t rv = apr_thread_mutex_create(&source->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
    if (rv == APR_SUCCESS) {
        rv = cat_permits_create(&source->permits, pool);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_thread_cond_create(&source->tried, pool);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_group_commit_create(&source->writes, pool);
    }
    if (rv == APR_SUCCESS && source->cache) {
        rv = cat_wal_index_create(&source->changes, pool);
    }
    if (rv == APR_SUCCESS && source->connector->child_init) {
        rv = source->connector->child_init(source->context, pool);
    }
    source->turns = turns;
    source->migrate = migrate;
    return rv;
}

const cat_dialect_t *cat_source_dialect(const cat_source_t *source)
{
    return atomic_load_explicit(&source->dialect, memory_order_acquire);
}

cat_semaphore_t *cat_source_turn(const cat_source_t *source)
{
    return atomic_load_explicit(&source->turn, memory_order_acquire);
}

void cat_source_note_schema(cat_source_t *source, int is_right)
{
    atomic_store_explicit(&source->ready, is_right, memory_order_release);
}

int cat_source_has_schema(const cat_source_t *source)
{
    return atomic_load_explicit(&source->ready, memory_order_acquire);
}

void cat_source_note_revocations(cat_source_t *source, apr_time_t began)
{
    atomic_store_explicit(&source->revocations_at, began, memory_order_release);
}

apr_time_t cat_source_revocations_at(const cat_source_t *source)
{
    return atomic_load_explicit(&source->revocations_at, memory_order_acquire);
}

static apr_status_t wait_until(apr_thread_cond_t *what, apr_thread_mutex_t *mutex, apr_time_t deadline)
{
    apr_time_t now = apr_time_now();
    return now < deadline ? apr_thread_cond_timedwait(what, mutex, deadline - now) : APR_TIMEUP;
}

static int is_up(cat_source_t *source)
{
    int up;

    apr_thread_mutex_lock(source->mutex);
    up = source->state == CAT_SOURCE_UP;
    apr_thread_mutex_unlock(source->mutex);
    return up;
}

static void note_stale(cat_source_t *source)
{
    apr_thread_mutex_lock(source->mutex);
    source->stale += source->state == CAT_SOURCE_DOWN;
    apr_thread_mutex_unlock(source->mutex);
}

/* Until the database is known to answer, one at a time tries, and the others wait for what it finds. more: how many connections in
 * the pool may be ones that the database has dropped: each fails once. */
static apr_status_t begin_try(cat_source_t *source, int *tries_alone, int *more)
{
    apr_status_t rv = APR_SUCCESS;
    apr_time_t deadline;

    apr_thread_mutex_lock(source->mutex);
    deadline = apr_time_now() + (source->state == CAT_SOURCE_DOWN ? MOMENT : PATIENCE);
    while (source->state != CAT_SOURCE_UP && source->is_tried && rv == APR_SUCCESS) {
        rv = wait_until(source->tried, source->mutex, deadline);
    }
    *tries_alone = rv == APR_SUCCESS && source->state != CAT_SOURCE_UP;
    source->is_tried |= *tries_alone;
    if (*tries_alone && source->state == CAT_SOURCE_DOWN) {
        *more = source->stale;
        source->stale = 0;
    }
    apr_thread_mutex_unlock(source->mutex);
    return rv;
}

static void end_try(cat_source_t *source, int tried_alone, cat_source_state_t state)
{
    apr_thread_mutex_lock(source->mutex);
    source->state = state;
    if (tried_alone) {
        source->is_tried = 0;
        apr_thread_cond_broadcast(source->tried);
    }
    apr_thread_mutex_unlock(source->mutex);
}

/* What a driver says of a file that it cannot open is less than what the file system tells. */
static const char *explain_failure(const cat_source_t *source, apr_pool_t *pool, const char *cause)
{
    cat_os_user_t user = {geteuid(), getegid()};
    const char *fault = source->path ? cat_database_file_check(pool, source->path, &user) : NULL;

    if (fault || !source->path) {
        return fault ? fault : cause;
    }
    return cause ? apr_pstrcat(pool, source->path, ": ", cause, NULL) : source->path;
}

static void log_no_connection(const cat_source_t *source, apr_pool_t *pool, const cat_log_t *log, apr_status_t rv,
                              const char *cause)
{
    const char *why = explain_failure(source, pool, cause);

    cat_log(log, CAT_LOG_ERROR, why ? 0 : rv, "CAT002: no connection to %s%s%s", source->name, why ? ": " : "",
            why ? why : "");
}

static apr_status_t try_to_open(cat_source_t *source, apr_pool_t *pool, int max, const cat_log_t *log,
                                cat_db_handle_t *link)
{
    apr_time_t give_up = apr_time_now() + PATIENCE;
    const char *cause = NULL;
    int tries_alone, more = max;
    apr_status_t rv = begin_try(source, &tries_alone, &more);

    if (rv != APR_SUCCESS) {
        cat_log(log, CAT_LOG_DEBUG, 0, "CAT056: %s: another request tries to connect", source->name);
        return CAT_EDOWN;
    }
    do {
        rv = source->connector->open(source->context, pool, link, &cause);
    } while (rv != APR_SUCCESS && more-- > 0 && apr_time_now() < give_up);
    end_try(source, tries_alone, rv == APR_SUCCESS ? CAT_SOURCE_UP : CAT_SOURCE_DOWN);
    if (rv != APR_SUCCESS) {
        log_no_connection(source, pool, log, rv, cause);
        return CAT_EDOWN;
    }
    return APR_SUCCESS;
}

apr_status_t cat_source_open(cat_source_t *source, apr_pool_t *pool, int max, const cat_log_t *log,
                             cat_db_handle_t *link)
{
    const char *cause;
    int up;
    apr_status_t rv = cat_permits_take(source->permits, max, apr_time_now() + PATIENCE);

    if (rv != APR_SUCCESS) {
        cat_log(log, CAT_LOG_ERROR, 0, "CAT001: all %d connections to %s are in use; see CatalogMaxConnections", max,
                source->name);
        return CAT_EBUSY;
    }
    up = is_up(source);
    if (up) {
        rv = source->connector->open(source->context, pool, link, &cause);
    }
    if (!up || rv != APR_SUCCESS) {
        rv = try_to_open(source, pool, max, log, link);
    }
    if (rv != APR_SUCCESS) {
        cat_permits_give_back(source->permits);
    }
    return rv;
}

void cat_source_close(cat_source_t *source, cat_db_handle_t *link)
{
    source->connector->close(source->context, link);
    note_stale(source);
    cat_permits_give_back(source->permits);
}

apr_status_t cat_source_reopen(const cat_source_t *source, cat_db_handle_t *link)
{
    return source->connector->reopen(source->context, link);
}

apr_status_t cat_source_take_write_lock(const cat_source_t *source, apr_time_t until, const cat_log_t *log, int *place)
{
    apr_time_t now = apr_time_now();
    apr_status_t rv = cat_semaphore_enter(cat_source_turn(source), NULL, until > now ? until - now : 0, place);

    return rv == APR_SUCCESS ? rv : cat_source_log_late(source, log);
}

apr_status_t cat_source_log_late(const cat_source_t *source, const cat_log_t *log)
{
    cat_log(log, CAT_LOG_ERROR, 0, "CAT008: %s: writers before this one took more than %d seconds", source->name,
            (int)apr_time_sec(CAT_SOURCE_WRITE_PATIENCE));
    return CAT_EBUSY;
}

void cat_source_note_loss(cat_source_t *source)
{
    apr_thread_mutex_lock(source->mutex);
    source->lost_at = apr_time_now();
    apr_thread_mutex_unlock(source->mutex);
}

int cat_source_lost_one_since(cat_source_t *source, apr_time_t since)
{
    int lost;

    apr_thread_mutex_lock(source->mutex);
    lost = since <= source->lost_at;
    apr_thread_mutex_unlock(source->mutex);
    return lost;
}

void cat_source_note_refusal(cat_source_t *source)
{
    apr_time_t none = 0;
    atomic_compare_exchange_strong_explicit(&source->refused_since, &none, apr_time_now(), memory_order_acq_rel,
                                            memory_order_acquire);
}

void cat_source_note_taken(cat_source_t *source)
{
    if (atomic_load_explicit(&source->refused_since, memory_order_relaxed)) {
        atomic_store_explicit(&source->refused_since, 0, memory_order_release);
    }
}

int cat_source_may_get_ready(const cat_source_t *source)
{
    apr_time_t since = atomic_load_explicit(&source->refused_since, memory_order_acquire), now = apr_time_now();
    return since == 0 || (now >= since && now - since < CAT_SOURCE_READY_PATIENCE);
}
