/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A promotion makes a stand-by of PostgreSQL a primary and gives the cluster a new timeline, a number one above the last. The former
 * primary knows nothing of it: whether it still runs or comes back, it accepts writes that nobody else will ever see. With "host=A,B" in
 * the parameters libpq connects to it first.
 *
 *     A  timeline 1 --------------------------------------- refused
 *     B  timeline 1 ----------+ promoted: timeline 2 ------ connections go here
 *
 * Each new connection asks for cluster and timeline, and the children of a server share the newest timeline of each cluster that any of
 * them has seen; a connection of an older one is refused wherever it is used or commits. All hosts that the parameters name are asked
 * every two seconds by a job, about once a second while a statement waits, and when a server that has just started is led to a primary.
 */
#include "db/pool/timeline.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "db/connection/connection.h"
#include "db/connection/executor.h"
#include "db/dialects/status.h"
#include "db/sqlite/file_registry.h"
#include "lib/hash.h"
#include "lib/time.h"

/* Shortest time between two questions of a child: while a statement waits, and after a connection was refused. */
#define WAITING_INTERVAL apr_time_from_sec(1)
#define REFUSED_INTERVAL apr_time_from_msec(200)

/* The newest timeline among the answers of the hosts. */
typedef struct answers_t {
    cat_database_t *database;
    apr_uint32_t cluster, newest;
    int is_first; /* flag: no timeline of the cluster was known before */
} answers_t;

/* "CLUSTER TIMELINE" as one word: the cluster's hash above, the timeline below. 0: the server is no primary, or does not say. */
static apr_uint64_t parse_timeline(const char *text)
{
    const char *timeline = text ? strchr(text, ' ') : NULL;
    apr_uint64_t number = timeline ? strtoul(timeline, NULL, 10) & 0xFFFFFFFF : 0;

    return number ? cat_hash(text, (apr_size_t)(timeline - text)) << 32 | number : 0;
}

static apr_uint32_t cluster_of(apr_uint64_t timeline)
{
    return (apr_uint32_t)(timeline >> 32);
}

/* Records a timeline of the cluster. Returns the newest one. */
static apr_uint32_t record_timeline(const cat_database_t *database, apr_uint32_t cluster, apr_uint32_t timeline)
{
    return cat_file_registry_note_timeline(database->registry, cluster, timeline);
}

/* For cat_executor_t.ask_hosts. */
static void take_answer(void *baton, int host, const char *text)
{
    answers_t *answers = baton;
    apr_uint64_t timeline = parse_timeline(text);

    if (timeline && cluster_of(timeline) == answers->cluster && (apr_uint32_t)timeline > answers->newest) {
        answers->newest = (apr_uint32_t)timeline;
        atomic_store_explicit(&answers->database->newest, timeline << 32 | (apr_uint64_t)host, memory_order_release);
        if (!answers->is_first) {
            record_timeline(answers->database, answers->cluster, answers->newest);
        }
    }
}

/* Returns true for one thread of the child in each interval. */
static int claim_question(cat_database_t *database, apr_interval_time_t interval)
{
    apr_time_t now = cat_time_monotonic(), last = atomic_load_explicit(&database->asked_at, memory_order_acquire);

    return (!last || now - last >= interval) &&
           atomic_compare_exchange_strong_explicit(&database->asked_at, &last, now, memory_order_acq_rel,
                                                   memory_order_acquire);
}

/* Asks all hosts and records the newest timeline. If none of the cluster is known yet, records it after all answers, so that no primary is accepted
 * before all hosts were asked; later records each answer at once, because a host that hangs delays the end. */
static void ask_hosts(cat_database_t *database, const cat_dialect_t *dialect)
{
    const char *const *hosts = atomic_load_explicit(&database->hosts, memory_order_acquire);
    answers_t answers = {.database = database,
                         .cluster = cluster_of(atomic_load_explicit(&database->timeline, memory_order_acquire))};

    if (!hosts || !answers.cluster) {
        return;
    }
    answers.is_first = !record_timeline(database, answers.cluster, 0);
    dialect->executor->ask_hosts(hosts, dialect->timeline, take_answer, &answers);
    if (answers.newest) {
        record_timeline(database, answers.cluster, answers.newest);
    }
}

void cat_timeline_watch(cat_database_t *database, const cat_dialect_t *dialect)
{
    if (dialect && dialect->timeline && claim_question(database, WAITING_INTERVAL)) {
        ask_hosts(database, dialect);
    }
}

/* Implements cat_connection_t.is_overtaken. */
static int is_overtaken(cat_connection_t *conn)
{
    if (cat_timeline_check_again(conn) == APR_SUCCESS) {
        cat_timeline_watch(conn->database, conn->dialect);
    }
    return cat_timeline_check_again(conn) != APR_SUCCESS;
}

apr_status_t cat_timeline_check(cat_connection_t *conn)
{
    const char *text = NULL;
    apr_status_t rv;

    conn->timeline = 0;
    if (!conn->dialect->timeline) {
        return APR_SUCCESS;
    }
    rv = cat_connection_ask(conn, conn->handle.pool, conn->dialect->timeline, &text);
    if (rv != APR_SUCCESS) { /* the user may not ask, which is no reason to refuse the server */
        return rv == CAT_ELOST ? rv : APR_SUCCESS;
    }
    conn->timeline = parse_timeline(text);
    if (conn->timeline) {
        conn->is_overtaken = is_overtaken;
        atomic_store_explicit(&conn->database->timeline, conn->timeline, memory_order_release);
        if (!record_timeline(conn->database, cluster_of(conn->timeline), 0)) { /* no timeline is known */
            ask_hosts(conn->database, conn->dialect);
        }
    }
    return cat_timeline_check_again(conn);
}

apr_status_t cat_timeline_check_again(cat_connection_t *conn)
{
    apr_uint32_t timeline = (apr_uint32_t)conn->timeline;
    apr_uint32_t newest = timeline ? record_timeline(conn->database, cluster_of(conn->timeline), timeline) : 0;

    if (timeline >= newest) {
        return APR_SUCCESS;
    }
    apr_snprintf(
        conn->fault, sizeof(conn->fault),
        "this primary is on timeline %u, but another server was promoted to timeline %u; stop the former primary",
        timeline, newest);
    return CAT_ENOTREADY;
}

const char *cat_timeline_find_newest(cat_connection_t *conn)
{
    cat_database_t *database = conn->database;
    apr_uint32_t newest = record_timeline(database, cluster_of(conn->timeline), 0);
    apr_uint64_t found = atomic_load_explicit(&database->newest, memory_order_acquire);

    if (found >> 32 != newest && claim_question(database, REFUSED_INTERVAL)) {
        ask_hosts(database, conn->dialect);
        found = atomic_load_explicit(&database->newest, memory_order_acquire);
    }
    return found >> 32 == newest ? atomic_load_explicit(&database->hosts, memory_order_acquire)[found & 0xFFFFFFFF]
                                 : NULL;
}

int cat_timeline_is_first_to_follow(cat_connection_t *conn)
{
    apr_uint32_t timeline = (apr_uint32_t)conn->timeline;

    return atomic_exchange_explicit(&conn->database->followed, timeline, memory_order_acq_rel) != timeline;
}

void cat_timeline_refuse(cat_connection_t *conn)
{
    atomic_store_explicit(&conn->database->newest, 0, memory_order_release);
    cat_database_note_refusal(conn->database);
    conn->dialect->executor->cut(conn);
    conn->is_lost = 1;
}
