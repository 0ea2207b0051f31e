/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_THROTTLE_H
#define CAT_ACCOUNTS_THROTTLE_H

#include "accounts/accounts.h"
#include "db/db.h"

/*
 * The delay after wrong passwords: five failures are free, then the client has to wait 2, 4, 8 ... seconds, at most 15
 * minutes. Failures are counted for a key and the client's network. At sign-in the key is the login, the text that a
 * client sends as user name or address, and not the account: a delay for the address after failures with the name would
 * reveal that the two belong together. Where an access token says who the user is, the key is the user's id, which no
 * rename changes. Keys are digests, because users type passwords into the wrong field.
 */
const char *cat_throttle_login_key(apr_pool_t *pool, const char *login);
const char *cat_throttle_user_key(apr_pool_t *pool, const char *user_id);

/* Counts an attempt before the password is compared, so that parallel guesses count too. *wait 0: the password may be
 * compared, and the attempt counts as failed until it is withdrawn or forgiven. Otherwise the client has to wait *wait
 * seconds. */
apr_status_t cat_throttle_attempt(cat_db_t *db, apr_pool_t *pool, const char *key, const char *network, apr_time_t now,
                                  int *wait);

/* Takes back an allowed attempt whose password was never compared, or was right but opened no session. */
apr_status_t cat_throttle_withdraw(cat_db_t *db, const char *key, const char *network);

/* Deletes the failures of a key from a network. */
apr_status_t cat_throttle_forgive(cat_db_t *db, const char *key, const char *network);

/* Deletes the failures of both logins of an account and of its id, from all networks. */
apr_status_t cat_throttle_unlock(cat_db_t *db, apr_pool_t *pool, const cat_account_t *account);

/* The failures of a login become those of another: the account has a new name. */
apr_status_t cat_throttle_move(cat_db_t *db, apr_pool_t *pool, const char *from, const char *to);

#endif
