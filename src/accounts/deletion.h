/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_DELETION_H
#define CAT_ACCOUNTS_DELETION_H

#include <apr_tables.h>

#include "accounts/accounts.h"

/* Deletes an account with its sessions, API keys, links and mails, and records that its name was given up, in the
 * caller's transaction. Sets *ended to the ids of the sessions and API keys (const char *), on `pool`, for
 * cat_session_revoke. */
apr_status_t cat_deletion_run(cat_db_t *db, apr_pool_t *pool, const cat_account_t *account, apr_time_t now,
                              apr_array_header_t **ended);

#endif
