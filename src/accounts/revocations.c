/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/revocations.h"

#include "accounts/session.h"
#include "db/db.h"

/* Time that two successive reads overlap, because the servers' clocks differ and a transaction commits later than the
 * time that it writes. */
#define OVERLAP apr_time_from_sec(60)

cat_job_result_t cat_revocations_run(cat_job_t *job)
{
    apr_time_t now = apr_time_now();
    apr_status_t rv;

    /* The job runs more often than it needs to read. It reads after half of the delay, so that the other half is left
     * for the read itself. */
    if (*job->last && now >= *job->last && now - *job->last < apr_time_from_sec(job->conf->revocation_delay) / 2) {
        return CAT_JOB_DONE;
    }
    rv = cat_session_learn(job->db, job->conf, job->revoked, *job->last ? *job->last - OVERLAP : 0);
    if (rv == APR_SUCCESS) {
        *job->last = now;
        cat_db_note_revocations(job->db, now);
    }
    return rv == APR_SUCCESS ? CAT_JOB_DONE : CAT_JOB_FAILED;
}
