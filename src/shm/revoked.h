/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_REVOKED_H
#define CAT_SHM_REVOKED_H

#include <apr.h>
#include <apr_time.h>

/*
 * Sessions that have ended while some of their access tokens may still be valid, in memory that all children of a
 * server share, without a lock. The database has all such sessions; a query for each request would be too expensive.
 */
typedef struct cat_revoked_t cat_revoked_t;

/* Returns the bytes of shared memory for the set. Zeroed memory is an empty set. */
apr_size_t cat_revoked_size(void);

/*
 * Adds a session. `session` is its id, which must be random. `until` is the time when its last access token expires;
 * the session may stay in the set a minute longer. Any thread of any child may call this at any time, and may be killed
 * during the call. If there is no room, the set remembers that it is incomplete until that time.
 */
void cat_revoked_add(cat_revoked_t *set, const char *session, apr_time_t until, apr_time_t now);

typedef enum {
    CAT_REVOKED_NO,
    CAT_REVOKED_YES,
    CAT_REVOKED_UNKNOWN /* the set is incomplete; the caller must ask the database */
} cat_revoked_state_t;

cat_revoked_state_t cat_revoked_find(const cat_revoked_t *set, const char *session, apr_time_t now);

/*
 * Returns true if the set has all sessions that other servers ended more than `delay` before `now`. If not, treat
 * CAT_REVOKED_NO as CAT_REVOKED_UNKNOWN. `read_at` is the time when the last successful read of the database began, or
 * 0 if there was none; load it before cat_revoked_find. Returns false if `read_at` is more than `delay` in the future,
 * because the clock was set back.
 */
static inline int cat_revoked_is_current(apr_time_t read_at, apr_interval_time_t delay, apr_time_t now)
{
    return now - read_at <= delay && read_at - now <= delay;
}

#endif
