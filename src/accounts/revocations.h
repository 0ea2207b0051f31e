/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_REVOCATIONS_H
#define CAT_ACCOUNTS_REVOCATIONS_H

#include "db/job.h"

/* The background job that adds the sessions that other servers have ended to the shared set of ended sessions
 * (shm/revoked.h), often enough for CatalogRevocationDelay. */
cat_job_run_t cat_revocations_run;

#endif
