/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_PURGE_H
#define CAT_ACCOUNTS_PURGE_H

#include "db/job.h"

/* The background job that deletes expired rows and old entries of the audit table. */
cat_job_run_t cat_purge_run;

#endif
