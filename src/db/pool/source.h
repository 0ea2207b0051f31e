/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_SOURCE_H
#define CAT_DB_POOL_SOURCE_H

#include <apr_pools.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>
#include <stdatomic.h>

#include "db/connection/database.h"
#include "db/connection/handle.h"
#include "db/dialects/dialect.h"
#include "db/pool/exports.h"
#include "db/pool/group.h"
#include "db/pool/permits.h"
#include "db/pool/warm.h"
#include "db/pool/write_lock.h"
#include "db/sqlite/file_registry.h"
#include "db/sqlite/wal_index.h"
#include "lib/conf.h"
#include "lib/log.h"
#include "shm/repeats.h"
#include "shm/response_cache.h"
#include "shm/semaphore.h"

typedef struct cat_source_t cat_source_t;

/* How many threads of a child send statements of db/work/read_batch.h at a time, unless one hangs. */
#define CAT_SOURCE_READERS 2

/* A pool of connections that checks each before it hands it out: mod_dbd (httpd/dbd.c) or db/pool/pool.c. Used by all
 * threads of a child. */
typedef struct cat_connector_t {
    /* Takes a connection out of the pool, or opens one. The caller logs a failure, with *cause: the driver's words
     * without any secret, on the pool, which is the caller's; NULL: there are none. */
    apr_status_t (*open)(void *context, apr_pool_t *pool, cat_db_handle_t *handle, const char **cause);
    /* Gives a connection back; never inside a transaction. */
    void (*close)(void *context, cat_db_handle_t *handle);
    /* In each child, before its threads start. NULL: nothing to do. */
    apr_status_t (*child_init)(void *context, apr_pool_t *pool);
    /* Opens another connection in place of the one that is taken out, which nothing may refer to, and closes that. params:
     * of the new connection; NULL: the pool's own. After a failure the old one stays. */
    apr_status_t (*reopen)(void *context, cat_db_handle_t *handle, const char *params);
} cat_connector_t;

typedef enum cat_source_state_t {
    CAT_SOURCE_NEW,
    CAT_SOURCE_UP,
    CAT_SOURCE_DOWN
} cat_source_state_t; /* what the last attempt to open a connection found */

typedef struct cat_db_t cat_db_t;

/* Brings the schema up to date, or checks that it is: cat_migration_try, whose contract it has. */
typedef apr_status_t cat_source_migrate_t(const cat_db_t *db);

/* Where a mount's connections come from. Created with the configuration; child_init completes it before there are
 * threads. After that only the fields below "guarded by" and "atomic" change. */
struct cat_source_t {
    cat_database_t database; /* what its connections share */
    const char *name;        /* for logs: no secret in it */
    apr_time_t created;
    const char *path; /* the database's file; NULL: it is none, or not known to be one */
    const cat_connector_t *connector;
    void *context;
    const cat_write_locks_t *write_locks;
    cat_source_migrate_t *migrate;
    cat_response_cache_t *cache; /* where responses are kept, with `generations`; NULL: none are */
    cat_generations_t *generations;
    /* Over all children of the server, and fair to the networks of clients; NULL: there is no limit. */
    cat_semaphore_t *searches;    /* lists that the database may take long for (cat_db_begin_search) */
    cat_semaphore_t *long_writes; /* transactions of many writes (db/work/transaction.h) */
    apr_time_t leader_patience;   /* CAT_SOURCE_LEADER_PATIENCE; unit tests may wait longer */
    int has_no_limit;             /* True if its statements have no time limit, as catalogctl's */
    int keeps; /* how many connections may be kept for the next use; 0: each ends with the use that opened it */
    cat_permits_t *permits; /* of the child: connections that may be in use */
    cat_warm_t *warm;       /* those that are kept for the next use */
    cat_exports_t exports;
    apr_pool_t *hosts_pool; /* of database.hosts; used under the mutex */
    apr_thread_mutex_t *mutex;
    apr_thread_cond_t *attempt_ended;
    cat_group_t *group; /* the writes of this child that wait for the write lock */
    cat_group_t *batch; /* the items of db/work/batch.h that wait for a leader */
    cat_group_t
        *reads[2][CAT_SOURCE_READERS]; /* the rows of db/work/read_batch.h that wait for a leader; [1]: with `of` */
    cat_wal_index_t *wal_index;        /* of a database that is a file; NULL: no responses are cached */
    cat_repeats_t limit_refusals, late_refusals; /* what sums up their lines */
    cat_repeats_t image_files;                   /* sums up the lines about picture files that cannot be written */
    /* ---- guarded by the mutex ---- */
    cat_source_state_t state;
    int is_attempted;      /* flag: a thread tries to connect while the database is not known to be up */
    int stale_connections; /* how many were given back while it was down */
    apr_time_t fell_at;    /* when a database server that had answered was first found down, by the monotonic clock */
    /* ---- atomic ---- */
    _Atomic(const cat_dialect_t *) dialect; /* NULL until the first connection was seen; written after write_lock */
    _Atomic(cat_semaphore_t *) write_lock;  /* NULL: the database takes several writers at once */
    atomic_uint next_reads;                 /* which of reads the next row joins, modulo their number */
    atomic_int ready;                       /* flag: the schema was found to be right */
    _Atomic apr_time_t revocations_at;      /* begin of the last successful reading of ended sessions; 0: none yet */
    _Atomic apr_time_t parts_at;            /* when complete_parts was noted; written after it */
    atomic_int complete_parts;              /* of the index, see catalogue/search/indexes.h */
    _Atomic apr_time_t registry_at;         /* when registry was noted; written after it */
    _Atomic apr_time_t written_at;          /* when this process knew that products were written; 0: not yet */
    _Atomic(const void *) registry;         /* of own fields, see catalogue/product/registry.h; NULL: none yet */
    _Atomic(const void *) registry_read; /* the one that was read last, perhaps within a transaction; NULL: none yet */
};

cat_source_t *cat_source_create(apr_pool_t *pool, const char *name, const cat_connector_t *connector, void *context);

/* In each child, before its threads start. migrate is called by the first that uses the source, and until it
 * succeeds. */
apr_status_t cat_source_child_init(cat_source_t *source, apr_pool_t *pool, const cat_write_locks_t *locks,
                                   const cat_file_registry_t *registry, cat_source_migrate_t *migrate);

/*
 * Takes one of at most max connections, before uses with a lower max. APR_SUCCESS: handle is open. CAT_EBUSY: none came
 * free in a second, or another thread has been trying for three to open the first one of this child; CAT_EDOWN: none
 * can be opened; both have been logged. While none can, one thread tries, and the others are refused after half a
 * second: a server that does not answer costs each attempt its time-out, and the pools let one thread try at a time.
 */
apr_status_t cat_source_open(cat_source_t *source, apr_pool_t *pool, int max, const cat_log_t *log,
                             cat_db_handle_t *handle);
void cat_source_close(cat_source_t *source, cat_db_handle_t *handle);

/* Returns true for two seconds after a database server that had answered was found down. Always false for a file. */
int cat_source_fell_lately(cat_source_t *source);

/* Closes a connection that is in order; but where the pool's check is a round trip to the server, the connection may be
 * kept for the next use instead. */
void cat_source_keep(cat_source_t *source, cat_db_handle_t *handle);

/* Asks the server whether an open connection is alive, unless the pool has just done so. CAT_ELOST: it is not. */
apr_status_t cat_source_check(cat_source_t *source, apr_pool_t *pool, cat_db_handle_t *handle);

/* Gives back to the pool what was kept for long enough. Call it several times a second. */
void cat_source_sweep(cat_source_t *source);

/* The database's dialect, NULL until this child has opened its first connection; and the write lock, NULL until then,
 * and where the database takes several writers at once. */
const cat_dialect_t *cat_source_dialect(const cat_source_t *source);
cat_semaphore_t *cat_source_write_lock(const cat_source_t *source);

/* Notes whether the schema is right; and returns what was noted last. */
void cat_source_note_schema(cat_source_t *source, int is_right);
int cat_source_has_schema(const cat_source_t *source);

/* When the last successful read of ended sessions began (cat_db_note_revocations); 0: none yet. */
apr_time_t cat_source_revocations_at(const cat_source_t *source);

/* Opens a new connection in place of one that is taken out and cannot be used as it is. params: those of one of its hosts; NULL: the pool's own. */
apr_status_t cat_source_reopen(const cat_source_t *source, cat_db_handle_t *handle, const char *params);

/* How long a thread waits for the leader of a batch, or of reads, whose connection may hang, before it works alone. */
#define CAT_SOURCE_LEADER_PATIENCE apr_time_from_msec(500)

/*
 * How long a writer waits for the write lock before it answers 503; and how long for the lock of another program, where
 * the database has one writer at a time. Both count from the writer's arrival, because the writers before it may have
 * waited for that program too; but once it has the write lock, a writer waits for the other program for at least
 * CAT_SOURCE_LOCK_CHANCE.
 */
#define CAT_SOURCE_WRITE_PATIENCE apr_time_from_sec(3)
#define CAT_SOURCE_LOCK_PATIENCE apr_time_from_msec(1600)
#define CAT_SOURCE_LOCK_CHANCE apr_time_from_msec(500)

/* How long a list waits for others, and a transaction of many writes. */
#define CAT_SOURCE_SEARCH_PATIENCE apr_time_from_sec(2)
#define CAT_SOURCE_LONG_PATIENCE apr_time_from_sec(30)

/* Takes the write lock of a source that has one; *slot is for cat_semaphore_leave. CAT_EBUSY, logged: other writers had
 * it until the time until. */
apr_status_t cat_source_take_write_lock(cat_source_t *source, apr_time_t until, const cat_log_t *log, int *slot);

/* Logs that, and returns CAT_EBUSY. */
apr_status_t cat_source_log_late(cat_source_t *source, const cat_log_t *log);

#endif
