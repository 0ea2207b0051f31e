/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_DIALECTS_STATUS_H
#define CAT_DB_DIALECTS_STATUS_H

#include <apr_errno.h>

/*
 * Statuses of db/ beyond APR's own, of which it returns two: APR_NOTFOUND, no such row; APR_EEXIST, a unique key is
 * taken. Rooms above may return these too, for what they mean here. db/ has the numbers below 20.
 */
#define CAT_EDOWN (APR_OS_START_USERERR + 1)   /* the database cannot be used, and stored nothing */
#define CAT_EUNSURE (APR_OS_START_USERERR + 4) /* the database may have stored the write or not: its answer was lost */
#define CAT_EFULL (APR_OS_START_USERERR + 10)  /* the database has no room for the write, and stored nothing */
#define CAT_EBUSY (APR_OS_START_USERERR + 2)   /* over a limit of httpd's or the database's, or others wrote first */
#define CAT_EVALUE (APR_OS_START_USERERR + 3)  /* the database refuses the values */
#define CAT_ESLOW (APR_OS_START_USERERR + 6)   /* a search took longer than it may, and was ended */
#define CAT_ENOTREADY (APR_OS_START_USERERR + 5) /* the database is not ready, and did nothing */
#define CAT_EREADONLY (APR_OS_START_USERERR + 9) /* the database accepts no writes, and did nothing */
#define CAT_ECLAIMED (APR_OS_START_USERERR + 7)  /* another write has the claim's key; nothing was done: db/claim.h */
#define CAT_ECHANGED (APR_OS_START_USERERR + 8)  /* a condition of the caller's does not hold for what is stored */

/* Is it the fault of the database, which would be the same for another write? */
static inline int cat_status_is_fault(apr_status_t rv)
{
    return rv == CAT_EDOWN || rv == CAT_EUNSURE || rv == CAT_EFULL || rv == CAT_EBUSY || rv == CAT_ENOTREADY ||
           rv == CAT_EREADONLY;
}

/* What a driver's result can mean beside these. Only db/ sees them. */
#define CAT_EDEAD                                                                                                      \
    (APR_OS_START_USERERR + 11) /* the prepared statement is dead: it has not run, and would if prepared again */
#define CAT_ELOST (APR_OS_START_USERERR + 12)     /* the connection is gone, and with it its transaction */
#define CAT_ECUT (APR_OS_START_USERERR + 15)      /* the same, and what was sent last has had no effect */
#define CAT_ECONFLICT (APR_OS_START_USERERR + 13) /* lost a conflict; succeeds if retried */
#define CAT_EENDED (APR_OS_START_USERERR + 16)    /* took longer than a statement may; nothing of it was done */

#endif
