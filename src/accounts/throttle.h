/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_THROTTLE_H
#define CAT_ACCOUNTS_THROTTLE_H

#include "accounts/accounts.h"
#include "db/db.h"

/*
 * The delay after wrong passwords: five failures are free, then the client has to wait 2, 4, 8 ... seconds, at most 15
 * minutes. Failures are counted for a login, the text that a client sends as user name or address, and the client's
 * network. They are not counted for the account: a delay for the address after failures with the name would reveal that
 * the two belong together.
 */

/* Counts an attempt before the password is compared, so that parallel guesses count too. *wait 0: the password may be
 * compared, and the attempt counts as failed until it is withdrawn or forgiven. Otherwise the client has to wait *wait
 * seconds. */
apr_status_t cat_throttle_attempt(cat_db_t *db, apr_pool_t *pool, const char *login, const char *network,
                                  apr_time_t now, int *wait);

/* Takes back an allowed attempt whose password was never compared, or was right but opened no session. */
apr_status_t cat_throttle_withdraw(cat_db_t *db, apr_pool_t *pool, const char *login, const char *network);

/* Deletes the failures of a login from a network. */
apr_status_t cat_throttle_forgive(cat_db_t *db, apr_pool_t *pool, const char *login, const char *network);

/* Deletes the failures of both logins of an account, from all networks. */
apr_status_t cat_throttle_unlock(cat_db_t *db, apr_pool_t *pool, const cat_account_t *account);

#endif
