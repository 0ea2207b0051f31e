/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_MAIL_TOKENS_H
#define CAT_ACCOUNTS_MAIL_TOKENS_H

#include "db/db.h"

/* The secrets in the links of mails: stored as hashes, for one purpose (a template's name), good once. */

/* Makes one, good for ttl seconds; *token is on the pool. */
apr_status_t cat_mail_tokens_make(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *user_id, int ttl,
                                  const char **token);

/* Whose it is. APR_NOTFOUND: it is unknown, used or expired. Changes nothing. */
apr_status_t cat_mail_tokens_find(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *token,
                                  apr_time_t now, const char **user_id);

/* Uses it up, and all others that the user has for the purpose, in the caller's transaction. APR_NOTFOUND as above; of two at the
 * same time one gets it. */
apr_status_t cat_mail_tokens_use(cat_db_t *db, apr_pool_t *pool, const char *purpose, const char *token, apr_time_t now,
                                 const char **user_id);

/* Makes all links that the user has for the purpose worthless, those in mails that wait to be sent included. */
apr_status_t cat_mail_tokens_withdraw(cat_db_t *db, const char *purpose, const char *user_id);

#endif
