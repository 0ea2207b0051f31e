/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_THROTTLE_H
#define CAT_ACCOUNTS_THROTTLE_H

#include "accounts/accounts.h"
#include "db/db.h"

/*
 * The delay after wrong passwords: five failures are free, then 2, 4, 8 ... seconds have to pass, at most 15 minutes. Failures are
 * counted for a login, the text that a client sends as user name or address, and the network it comes from. They are not counted
 * for the account: a delay under the address after failures under the name would tell that the two belong together.
 */

/* Counts an attempt before the password is compared, so that parallel guesses count too. *wait is 0: the attempt may be made, and
 * counts as failed until it is withdrawn or forgiven. Otherwise too many have failed, and *wait seconds have to pass. */
apr_status_t cat_throttle_attempt(cat_db_t *db, apr_pool_t *pool, const char *login, const char *network,
                                  apr_time_t now, int *wait);

/* Takes an attempt back that was allowed, but whose password was never compared, or was the right one in vain. */
apr_status_t cat_throttle_withdraw(cat_db_t *db, apr_pool_t *pool, const char *login, const char *network);

/* Forgets the failures of a login from a network. */
apr_status_t cat_throttle_forgive(cat_db_t *db, apr_pool_t *pool, const char *login, const char *network);

/* Forgets the failures under both logins of an account, from all networks. */
apr_status_t cat_throttle_unlock(cat_db_t *db, apr_pool_t *pool, const cat_account_t *account);

#endif
