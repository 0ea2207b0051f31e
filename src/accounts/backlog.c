/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/backlog.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "lib/time.h"
#include "shm/metrics.h"

/* Adds a row of SQL_OUTBOX_COUNT. */
static apr_status_t add_state(void *baton, const char *const *row, int)
{
    cat_database_facts_t *facts = baton;

    if (!strcmp(row[0], "pending")) {
        facts->mails_pending = apr_atoi64(row[1]);
        facts->oldest_mail = cat_time_read(row[2]);
    } else {
        facts->mails_dead += apr_atoi64(row[1]);
    }
    return APR_SUCCESS;
}

/* Time after which a webhook that was removed from the configuration is not counted any more. */
#define SEEN_WITHIN apr_time_from_sec(3600)

static apr_status_t read_webhooks(cat_job_t *job, cat_database_facts_t *facts)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(job->db, SQL_WEBHOOK_FAILING,
                                 CAT_VALUES(cat_time_store(job->pool, apr_time_now() - SEEN_WITHIN)), &row);

    if (rv == APR_SUCCESS) {
        facts->webhooks_dead = apr_atoi64(row[0]);
        facts->webhook_failing = row[1] ? cat_time_read(row[1]) : 0;
    }
    return rv;
}

/* Without a history changes get no numbers, so none is waiting for one. */
static apr_status_t read_changes(cat_job_t *job, cat_database_facts_t *facts)
{
    const char *const *row;
    apr_status_t rv = job->history ? cat_db_one(job->db, SQL_CHANGES_WAITING, CAT_NO_VALUES, &row) : APR_NOTFOUND;

    facts->oldest_change = rv == APR_SUCCESS ? cat_time_read(row[0]) : 0;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

cat_job_result_t cat_backlog_run(cat_job_t *job)
{
    cat_database_facts_t facts = {.schema = 0};
    const char *const *row;
    apr_status_t rv = cat_db_one(job->db, SQL_HEALTH, CAT_NO_VALUES, &row);

    if (rv == APR_SUCCESS) {
        facts.schema = row[0] ? atoi(row[0]) : 0;
        rv = cat_db_each(job->db, SQL_OUTBOX_COUNT, CAT_NO_VALUES, add_state, &facts);
        rv = rv == APR_SUCCESS ? read_webhooks(job, &facts) : rv;
        rv = rv == APR_SUCCESS ? read_changes(job, &facts) : rv;
    }
    if (rv != APR_SUCCESS) {
        return CAT_JOB_FAILED;
    }
    cat_metrics_note_database(job->metrics, job->database, &facts, apr_time_now());
    return CAT_JOB_DONE;
}
