/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/purge.h"

#include "accounts/audit.h"
#include "accounts/user_key.h"
#include "db/db.h"
#include "lib/conf.h"
#include "lib/time.h"

/* Statements for one table in one run. Each statement is a transaction and deletes at most 200 rows. */
#define ROUNDS 50

#define DAY 86400

#define WEBHOOK_DAYS 30 /* How long a webhook is kept that is in no server's configuration any more. */
#define BULK_JOB_DAYS 7 /* How long the result of a change of many products is kept. */

static apr_status_t purge_table(cat_job_t *job, cat_sql_t sql, int age)
{
    const char *before = cat_time_store(job->pool, apr_time_now() - apr_time_from_sec(age));
    apr_status_t rv = APR_SUCCESS;
    int deleted = 1;

    for (int i = 0; rv == APR_SUCCESS && deleted && i < ROUNDS && !cat_job_must_stop(job); i++) {
        rv = cat_db_exec(job->db, sql, CAT_VALUES(before), &deleted);
    }
    return rv;
}

cat_job_result_t cat_purge_run(cat_job_t *job)
{
    const cat_conf_t *conf = job->conf;
    const struct {
        cat_sql_t sql;
        int age; /* seconds */
    } tables[] = {
        {SQL_PURGE_REFRESH_TOKENS, 0},
        {SQL_PURGE_SESSIONS, conf->refresh_ttl},
        {SQL_PURGE_REVOKED, conf->token_ttl + DAY},
        {SQL_PURGE_MAIL_TOKENS, 0},
        {SQL_PURGE_LOGIN_FAILURES, DAY},
        {SQL_PURGE_IDEMPOTENCY, 0},
        {SQL_PURGE_NAMES, 0},
        {SQL_PURGE_USER_KEYS, CAT_USER_KEY_DAYS_LISTED * DAY},
        {SQL_PURGE_BULK_JOBS, BULK_JOB_DAYS * DAY},
        {SQL_PURGE_WEBHOOKS, WEBHOOK_DAYS * DAY},
        {SQL_PURGE_AUDIT, CAT_AUDIT_DAYS * DAY},
    };
    apr_status_t rv = APR_SUCCESS;

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && rv == APR_SUCCESS; i++) {
        rv = purge_table(job, tables[i].sql, tables[i].age);
    }
    return rv == APR_SUCCESS ? CAT_JOB_DONE : CAT_JOB_FAILED;
}
