/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/names.h"

#include <string.h>

#include "lib/secret.h"
#include "lib/time.h"
#include "mail/email.h"

#define DAY apr_time_from_sec(86400)

int cat_names_is_reserved(const cat_conf_t *conf, const char *name)
{
    const char *const *reserved = conf->reserved_names;

    while (*reserved && strcasecmp(*reserved, name) != 0) {
        reserved++;
    }
    return *reserved != NULL;
}

static const char *digest_name(apr_pool_t *pool, const char *name)
{
    return cat_secret_digest(pool, cat_email_fold(pool, name));
}

apr_status_t cat_names_check(cat_db_t *db, apr_pool_t *pool, const char *name, const char *user_id, apr_time_t now)
{
    const char *const *row;
    apr_status_t rv =
        cat_db_one(db, SQL_NAME_FIND, CAT_VALUES(digest_name(pool, name), user_id, cat_time_store(pool, now)), &row);

    return rv == APR_SUCCESS ? APR_EEXIST : rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

apr_status_t cat_names_take(cat_db_t *db, apr_pool_t *pool, const char *name, const char *user_id, apr_time_t now)
{
    apr_status_t rv = cat_names_check(db, pool, name, user_id, now);

    return rv == APR_SUCCESS ? cat_names_forget(db, pool, name) : rv;
}

apr_status_t cat_names_forget(cat_db_t *db, apr_pool_t *pool, const char *name)
{
    return cat_db_exec(db, SQL_NAME_FORGET, CAT_VALUES(digest_name(pool, name)), NULL);
}

apr_status_t cat_names_release(cat_db_t *db, apr_pool_t *pool, const char *name, const char *user_id, apr_time_t now)
{
    const char *until = cat_time_store(pool, now + CAT_NAMES_DAYS * DAY);
    apr_status_t rv = cat_names_forget(db, pool, name);

    return rv == APR_SUCCESS ? cat_db_insert(db, SQL_NAME_RELEASE, CAT_VALUES(digest_name(pool, name), user_id, until))
                             : rv;
}
