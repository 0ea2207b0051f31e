/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_THROTTLE_H
#define CAT_ACCOUNTS_THROTTLE_H

#include "accounts/accounts.h"
#include "db/db.h"

/*
 * The delay after wrong passwords. After five failures the client has to wait 2, 4, 8 ... seconds, at most 15 minutes,
 * before each further attempt. Failures are counted for a throttle key and the client's network.
 *
 * At sign-in, the throttle key is the login: the text that the client sends as user name or address. It is not the
 * account, because a delay for the address after failures with the name would reveal that the two belong together. For
 * a user with an access token, the throttle key is the user's id, which stays the same when the user is renamed.
 * Throttle keys are SHA-256 digests, because users sometimes type a password into the field for the name.
 */

/* Returns the throttle key of a login (ASCII case-insensitive), on the pool. */
const char *cat_throttle_login_key(apr_pool_t *pool, const char *login);

/* Returns the throttle key of a user's id, on the pool. It differs from the throttle key of every login. */
const char *cat_throttle_user_key(apr_pool_t *pool, const char *user_id);

/* Counts an attempt as failed before the password is compared, so that parallel attempts count, too. Sets *wait to 0 if
 * the password may be compared; the attempt then counts as failed until it is withdrawn or forgiven. Otherwise sets
 * *wait to the number of seconds that the client has to wait, and does not count the attempt. */
apr_status_t cat_throttle_attempt(cat_db_t *db, apr_pool_t *pool, const char *key, const char *network, apr_time_t now,
                                  int *wait);

/* Uncounts an attempt that the server failed to complete: the password was not compared, or it was right but the change
 * or the session was not stored. */
apr_status_t cat_throttle_withdraw(cat_db_t *db, const char *key, const char *network);

/* Deletes the failures of the throttle key and the network. */
apr_status_t cat_throttle_forgive(cat_db_t *db, const char *key, const char *network);

/* Deletes the failures of the account's name, address and id, from all networks. */
apr_status_t cat_throttle_unlock(cat_db_t *db, apr_pool_t *pool, const cat_account_t *account);

/* Moves the failures of the login `from` to the login `to` and deletes the earlier failures of `to`, because the
 * account was renamed. Does nothing if the logins differ in ASCII case only. */
apr_status_t cat_throttle_move(cat_db_t *db, apr_pool_t *pool, const char *from, const char *to);

#endif
