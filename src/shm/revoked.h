/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_REVOKED_H
#define CAT_SHM_REVOKED_H

#include <apr.h>
#include <apr_time.h>

/*
 * Sessions that have ended while access tokens of theirs may still be valid, in memory that all children of a server share, without a
 * lock. The database has all of them; this set is what each request can afford to ask.
 */
typedef struct cat_revoked_t cat_revoked_t;

/* Octets of shared memory that it needs. Zeroed memory is an empty set. */
apr_size_t cat_revoked_size(void);

/*
 * session: its id, which must be random. until: when its last access token expires; it may count a minute longer. Any thread of any
 * child may call it at any time, and may be killed in it. Where there is no room the set remembers that it is incomplete until then.
 */
void cat_revoked_add(cat_revoked_t *set, const char *session, apr_time_t until, apr_time_t now);

typedef enum {
    CAT_REVOKED_NO,
    CAT_REVOKED_YES,
    CAT_REVOKED_UNKNOWN /* the set is incomplete: ask the database */
} cat_revoked_state_t;

cat_revoked_state_t cat_revoked_find(const cat_revoked_t *set, const char *session, apr_time_t now);

/*
 * Does the set have all sessions that other servers ended more than delay before now? If not, treat CAT_REVOKED_NO as
 * CAT_REVOKED_UNKNOWN. read_at: when the last successful reading of the database began, 0: there was none; load it before
 * cat_revoked_find. A reading in the future counts as little as an old one: the clock was set back.
 */
static inline int cat_revoked_is_current(apr_time_t read_at, apr_interval_time_t delay, apr_time_t now)
{
    return now - read_at <= delay && read_at - now <= delay;
}

#endif
