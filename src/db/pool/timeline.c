/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A promotion makes a stand-by of PostgreSQL a primary and gives the cluster a new timeline, a number one above the last. The former
 * primary knows nothing of it: when its machine comes back, it accepts writes that nobody else will ever see. With "host=A,B" in the
 * parameters it is even asked first.
 *
 *     A  timeline 1 ----------x (gone)          back: still timeline 1, refused
 *     B  timeline 1 ----------+ promoted: timeline 2 --------------------------
 *
 * So each new connection asks for cluster and timeline, and the children of a server share the newest timeline of each cluster that any
 * of them has seen. A server that is led to a primary, and has seen none yet because it has just started, asks all hosts that the
 * parameters name.
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

/* "CLUSTER TIMELINE" as one word: the cluster's hash above, the timeline below. 0: the server is no primary, or does not say. */
static apr_uint64_t parse_timeline(const char *text)
{
    const char *timeline = text ? strchr(text, ' ') : NULL;
    apr_uint64_t number = timeline ? strtoul(timeline, NULL, 10) & 0xFFFFFFFF : 0;

    return number ? cat_hash(text, (apr_size_t)(timeline - text)) << 32 | number : 0;
}

/* The newest timeline of the same cluster. */
static apr_uint32_t note_timeline(const cat_connection_t *conn, apr_uint64_t timeline)
{
    return cat_file_registry_note_timeline(conn->database->registry, (apr_uint32_t)(timeline >> 32),
                                           (apr_uint32_t)timeline);
}

/* For cat_executor_t.ask_hosts. */
static void take_answer(void *connection, const char *text)
{
    apr_uint64_t timeline = parse_timeline(text);

    if (timeline) {
        note_timeline(connection, timeline);
    }
}

static apr_status_t refuse_connection(cat_connection_t *conn, apr_uint32_t newest)
{
    apr_snprintf(
        conn->fault, sizeof(conn->fault),
        "this primary is on timeline %u, but another server was promoted to timeline %u; stop the former primary",
        (unsigned)conn->timeline, newest);
    cat_database_note_refusal(conn->database);
    conn->dialect->executor->cut(conn);
    conn->is_lost = 1;
    return CAT_ENOTREADY;
}

apr_status_t cat_timeline_check(cat_connection_t *conn)
{
    const char *text = NULL;
    apr_uint32_t cluster;
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
    cluster = (apr_uint32_t)(conn->timeline >> 32);
    if (conn->timeline && !cat_file_registry_note_timeline(conn->database->registry, cluster, 0)) { /* none is known */
        conn->dialect->executor->ask_hosts(conn, conn->dialect->timeline, take_answer, conn);
    }
    return cat_timeline_check_again(conn);
}

apr_status_t cat_timeline_check_again(cat_connection_t *conn)
{
    apr_uint32_t newest = conn->timeline ? note_timeline(conn, conn->timeline) : 0;

    return (apr_uint32_t)conn->timeline < newest ? refuse_connection(conn, newest) : APR_SUCCESS;
}
