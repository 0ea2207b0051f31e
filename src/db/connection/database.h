/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_DATABASE_H
#define CAT_DB_CONNECTION_DATABASE_H

#include <apr_time.h>

#include "lib/log.h"
#include "shm/metrics.h"
#include "shm/repeats.h"

typedef struct cat_file_registry_t cat_file_registry_t;

/*
 * What the connections of a child tell each other about their database: that one of them was lost, and that the database is
 * not ready. One for each source (db/pool/source.h), used by all threads.
 */
typedef struct cat_database_t {
    /* ---- set before there are threads ---- */
    const cat_metrics_t *metrics;        /* NULL: nothing is counted */
    const cat_file_registry_t *registry; /* what the children know about the database's files */
    /* ---- atomic ---- */
    _Atomic apr_time_t lost_at;       /* when a connection was last found lost; 0: none was */
    _Atomic apr_time_t refused_since; /* since then the database is not ready; 0: it executed the last statement */
    cat_repeats_t gone_files;         /* sums up the lines about removed files */
    /* ---- atomic; of a database server with several hosts, see db/pool/timeline.c ---- */
    _Atomic(const char *const *) hosts; /* parameters for each host; NULL: only one host, or not connected yet */
    _Atomic apr_uint64_t timeline;      /* cluster and timeline of the primary that was connected last; 0: none was */
    /* Newest timeline of the hosts << 32 | index in `hosts` of the host that has it; 0: not known. */
    _Atomic apr_uint64_t newest;
    _Atomic apr_time_t asked_at;   /* when this child asked the hosts last, by the monotonic clock */
    _Atomic apr_uint32_t followed; /* the timeline of the last promotion that was logged */
} cat_database_t;

/* Is a line to be logged about what others were first for? more: then how many like it were not, for its end. Those of background jobs
 * are not summed up. */
int cat_database_sums_up(const cat_log_t *log, cat_repeats_t *repeats, char more[CAT_REPEATS_TEXT]);

/* Notes that a connection was lost; and returns whether one has been since then. */
void cat_database_note_loss(cat_database_t *database);
int cat_database_lost_one_since(const cat_database_t *database, apr_time_t since);

/* Notes that the database refused a statement because it is not ready, or that it executed one. */
void cat_database_note_refusal(cat_database_t *database);
void cat_database_note_taken(cat_database_t *database);

/*
 * Is a database that is not ready worth waiting for? Yes for CAT_DATABASE_READY_PATIENCE since it refused a statement: a
 * cluster whose nodes come and go has no quorum for a moment. After that requests would only pile up. And yes once it
 * has executed a statement of another thread since the refusal.
 */
#define CAT_DATABASE_READY_PATIENCE apr_time_from_sec(2)
int cat_database_may_get_ready(const cat_database_t *database);

#endif
