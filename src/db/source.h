/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SOURCE_H
#define CAT_DB_SOURCE_H

#include <apr_dbd.h>
#include <apr_file_info.h>
#include <apr_pools.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>

#include "catalog.h"
#include "db/changes.h"
#include "db/dialect.h"
#include "lib/batch.h"
#include "lib/gate.h"
#include "shm/cache.h"

/* An open connection, as whoever pools it hands it out. */
typedef struct cat_link_t {
    const apr_dbd_driver_t *driver;
    apr_dbd_t *handle;
    apr_pool_t *pool; /* lives as long as the connection: what is kept with it is kept here */
    void *owner;      /* the connector's own */
} cat_link_t;

/* Who pools connections: mod_dbd (httpd/dbd.c) or db/pool.c. Used by all threads of a child. */
typedef struct cat_connector_t {
    /* Takes a connection out of the pool, or opens one. pool: the caller's. Its failure is logged by the caller. */
    apr_status_t (*open)(void *context, apr_pool_t *pool, cat_link_t *link);
    /* Gives it back; never inside a transaction. */
    void (*close)(void *context, cat_link_t *link);
    /* In each child, before its threads start. NULL: nothing to do. */
    apr_status_t (*child_init)(void *context, apr_pool_t *pool);
} cat_connector_t;

/*
 * Writers on an embedded database take turns before they come to it, over all children: waiting here costs no connection and
 * no polling. A turn belongs to the database file; files share a turn only by the accident of their hash.
 */
typedef struct cat_turns_t cat_turns_t;

/* Before the children are forked; on the pool, but for the turns themselves. Those live on `process`, which outlives restarts, and
 * are found there again: the children of before a graceful restart take turns with those of after it. */
apr_status_t cat_turns_create(cat_turns_t **turns, apr_pool_t *pool, apr_pool_t *process);

/* The turn for a database file. */
cat_gate_t *cat_turns_gate(const cat_turns_t *turns, const char *file);

/* Is this the file that a child of this server first opened under the name? The first to ask says which it is. Needs
 * APR_FINFO_IDENT. */
int cat_turns_same_file(const cat_turns_t *turns, const char *file, const apr_finfo_t *info);

/* Remembers that the database in the file has its schema; and: was that so once, since this server started? */
void cat_turns_note_schema(const cat_turns_t *turns, const char *file);
int cat_turns_had_schema(const cat_turns_t *turns, const char *file);

typedef enum cat_source_state_t {
    CAT_SOURCE_NEW,
    CAT_SOURCE_UP,
    CAT_SOURCE_DOWN
} cat_source_state_t; /* what the last try to open a connection found */

/* Where a mount's connections come from. Made with the configuration; the members below the line are a child's own. */
struct cat_source_t {
    const char *name; /* for logs: no secret in it */
    const cat_connector_t *connector;
    void *context;
    const cat_turns_t *turns;
    cat_cache_t *cache; /* where answers are kept, with `fresh`; NULL: none are */
    cat_fresh_t *fresh;
    /* ---- set in the child, changed under the mutex ---- */
    apr_thread_mutex_t *mutex;
    apr_thread_cond_t *freed;
    apr_thread_cond_t *tried;
    int in_use; /* connections out of the pool */
    cat_source_state_t state;
    int is_tried;                 /* by somebody, while it is not up */
    apr_time_t lost_at;           /* when a connection was last found lost */
    int stale;                    /* connections that were given back while it was down */
    const cat_dialect_t *dialect; /* NULL until the first connection was seen */
    cat_gate_t *turn;             /* NULL where writers need no turns */
    cat_batch_t *writes;          /* of this child, for the next turn */
    cat_changes_t *changes;       /* of a database that is a file; NULL: no answers are kept */
    int ready;                    /* the schema was found to be right */
    int revocations_known;        /* the sessions ended before this child started are in shared memory */
};

cat_source_t *cat_source_create(apr_pool_t *pool, const char *name, const cat_connector_t *connector, void *context);
apr_status_t cat_source_child_init(cat_source_t *source, const cat_turns_t *turns, apr_pool_t *pool);

/*
 * Takes one of at most max connections. APR_SUCCESS: link is open. CAT_EBUSY: none came free in a second; CAT_EDOWN: none can
 * be opened; both have been logged. While none can, one request tries, and those that come meanwhile are refused after a moment: a
 * server that does not answer costs each try its time-out, and the pools let one try at a time.
 */
apr_status_t cat_source_open(cat_source_t *source, apr_pool_t *pool, int max, const cat_log_t *log, cat_link_t *link);
void cat_source_close(cat_source_t *source, cat_link_t *link);

/* Remembers that a connection was found lost; and: has one been since then? */
void cat_source_note_loss(cat_source_t *source);
int cat_source_lost_one_since(cat_source_t *source, apr_time_t since);

#endif
